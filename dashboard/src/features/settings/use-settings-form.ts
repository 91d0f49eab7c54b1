import type { UseFormReturn } from 'react-hook-form';
import { ApiError } from '../../api/api-error.ts';
import { discard, useSavedForm } from '../../hooks/use-saved-form.ts';
import { refusedSettings, saveSetting } from './queries.ts';
import { problemOf, ruleText, type Setting } from './setting.ts';

/** Values by the settings' keys. */
type ByKey = Record<string, string>;

export interface Change {
  setting: Setting;
  /** The new value; a secret's is never shown. */
  value: string;
}

interface Outcome {
  saved: readonly Setting[];
  refused: number;
}

export interface SettingsForm {
  control: UseFormReturn<ByKey>['control'];
  changes: readonly Change[];
  /** How many fields have an error. */
  wrong: number;
  discard(): void;
  /** Whether the form is valid, by the manager's rules; marks all errors at once. */
  check(): Promise<boolean>;
  /** Saves one after the other and reports each; rejected ones stay. @throws ApiError if it can't continue: the rest stays, too */
  save(onSaved: (setting: Setting) => void): Promise<Outcome>;
}

/** The settings as one form. */
export function useSettingsForm(settings: readonly Setting[]): SettingsForm {
  const form = useSavedForm<ByKey>(Object.fromEntries(settings.map(({ key, value }) => [key, value])));
  const values = form.watch();
  const { dirtyFields, errors } = form.formState;
  const changes = settings
    .map((setting) => ({ setting, value: values[setting.key] ?? '' }))
    .filter(({ setting, value }) => dirtyFields[setting.key] && value !== setting.value);
  return {
    control: form.control,
    changes,
    wrong: Object.keys(errors).length,
    discard: () => discard(form),
    async check() {
      const own = changes.flatMap(({ setting, value }) => {
        const problem = problemOf(setting, value);
        return problem ? [[setting.key, problem]] : [];
      });
      const refused = await refusedSettings(
        Object.fromEntries(changes.map(({ setting, value }) => [setting.key, value])),
      );
      const problems = Object.entries<string>({ ...refused, ...Object.fromEntries(own) });
      form.clearErrors();
      for (const [key, message] of problems) form.setError(key, { message });
      return problems.length === 0;
    },
    async save(onSaved) {
      const saved: Setting[] = [];
      for (const { setting, value } of changes) {
        try {
          form.resetField(setting.key, { defaultValue: await saveSetting(setting.key, value) });
          saved.push(setting);
          onSaved(setting);
        } catch (error) {
          if (!(error instanceof ApiError) || error.status !== 400) throw error;
          form.setError(setting.key, { message: ruleText(error.fields.value ?? error.message) });
        }
      }
      return { saved, refused: changes.length - saved.length };
    },
  };
}
