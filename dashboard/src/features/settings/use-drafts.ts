import { useState } from 'react';
import { ApiError } from '../../api/api-error.ts';
import { refusedSettings, saveSetting } from './queries.ts';
import { problemOf, ruleText, type Setting } from './setting.ts';

/** Values by the settings' keys. */
type ByKey = Readonly<Record<string, string>>;

export interface Change {
  setting: Setting;
  /** The new value; a secret's is never shown. */
  value: string;
}

interface Outcome {
  saved: readonly Setting[];
  refused: number;
}

export interface Drafts {
  changes: readonly Change[];
  /** Errors, by key. */
  wrong: ByKey;
  valueOf(setting: Setting): string;
  isChanged(setting: Setting): boolean;
  set(setting: Setting, value: string): void;
  undo(key: string): void;
  discard(): void;
  /** Whether the form is valid, by the manager's rules; marks all errors at once. */
  check(): Promise<boolean>;
  /** Saves one after the other and reports each; rejected ones stay. @throws ApiError if it can't continue: the rest stays, too */
  save(onSaved: (setting: Setting) => void): Promise<Outcome>;
}

const without = (all: ByKey, key: string): ByKey =>
  Object.fromEntries(Object.entries(all).filter(([name]) => name !== key));

/** Unsaved changes of settings. */
export function useDrafts(settings: readonly Setting[]): Drafts {
  const [given, setGiven] = useState<ByKey>({});
  const [wrong, setWrong] = useState<ByKey>({});
  // A secret can't be read: any value changes it; an empty one clears it.
  const isChanged = ({ key, value, is_secret }: Setting): boolean => {
    const draft = given[key];
    if (draft === undefined) return false;
    return is_secret ? draft !== '' || value !== '' : draft !== value;
  };
  const changes = settings.filter(isChanged).map((setting) => ({ setting, value: given[setting.key] ?? '' }));
  const undo = (key: string): void => {
    setGiven((before) => without(before, key));
    setWrong((before) => without(before, key));
  };
  return {
    changes,
    wrong,
    isChanged,
    valueOf: ({ key, value }) => given[key] ?? value,
    set({ key }, value) {
      setGiven((before) => ({ ...before, [key]: value }));
      setWrong((before) => without(before, key));
    },
    undo,
    discard() {
      setGiven({});
      setWrong({});
    },
    async check() {
      const found = changes.flatMap(({ setting, value }) => {
        const problem = problemOf(setting, value);
        return problem ? [[setting.key, problem]] : [];
      });
      const refused = await refusedSettings(
        Object.fromEntries(changes.map(({ setting, value }) => [setting.key, value])),
      );
      const problems = { ...refused, ...Object.fromEntries(found) };
      setWrong(problems);
      return Object.keys(problems).length === 0;
    },
    async save(onSaved) {
      const saved: Setting[] = [];
      for (const { setting, value } of changes) {
        try {
          await saveSetting(setting.key, value);
          undo(setting.key);
          saved.push(setting);
          onSaved(setting);
        } catch (error) {
          if (!(error instanceof ApiError) || error.status !== 400) throw error;
          const reason = ruleText(error.fields.value ?? error.message);
          setWrong((before) => ({ ...before, [setting.key]: reason }));
        }
      }
      return { saved, refused: changes.length - saved.length };
    },
  };
}
