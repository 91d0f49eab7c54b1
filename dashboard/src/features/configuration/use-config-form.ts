import { useMemo, useState } from 'react';
import { ApiError } from '../../api/api-error.ts';
import { discard, useSavedForm } from '../../hooks/use-saved-form.ts';
import { countChanges, type EnvRow, entriesOf, problemsOf, rowsOf } from './environment/env-rows.ts';
import { type FieldName, fieldNames } from './fields.ts';
import { configurationText } from './messages.ts';
import type { Config } from './queries.ts';

type Fields = Record<FieldName, string>;
/** The fields, and the environment as rows. */
export type ConfigValues = Fields & { rows: EnvRow[] };
/** The part that `PUT config` accepts. */
export type ConfigBody = Partial<Fields> & { custom_env?: Record<string, string>; revision?: number };

/** The configuration as a form. */
export function useConfigForm(config: Config) {
  const { custom_env } = config;
  const saved = useMemo(() => rowsOf(custom_env), [custom_env]);
  const form = useSavedForm<ConfigValues>(valuesOf(config, saved));
  const { rows, ...fields } = form.watch();
  const { dirtyFields, errors } = form.formState;
  const changed = fieldNames.filter((name) => dirtyFields[name] && fields[name] !== config[name]);
  const changedEntries = dirtyFields.rows ? countChanges(rows, custom_env) : 0;
  const changes = changed.length + changedEntries;
  // What the changes are based on: without changes, what is saved.
  const [base, setBase] = useState(config);
  if (changes === 0 && base !== config) setBase(config);
  const body: ConfigBody = {
    ...Object.fromEntries(changed.map((name) => [name, fields[name]])),
    ...(changedEntries > 0 ? { custom_env: entriesOf(rows) } : {}),
    revision: base.revision,
  };
  const isFlawed = Object.keys(problemsOf(rows)).length > 0;
  return {
    control: form.control,
    body,
    changes,
    /** Changes by other users since then; undefined: none. */
    overtaken: base.revision === config.revision ? undefined : changesBetween(base, config),
    /** Rebases the changes on the saved values. */
    rebase: () => setBase(config),
    /** Invalid input that the page detects itself. */
    isFlawed,
    isWrong: isFlawed || Object.keys(errors).length > 0 || rows.some(({ refused }) => refused),
    /** Attaches the manager's error messages to their fields. */
    refuse(error: unknown): void {
      if (!(error instanceof ApiError)) return;
      const wrong = error.fields;
      form.clearErrors();
      for (const name of fieldNames) if (wrong[name]) form.setError(name, { message: wrong[name] });
      const refused = (row: EnvRow): EnvRow => ({ ...row, refused: wrong[`custom_env.${row.name}`] });
      form.setValue('rows', form.getValues('rows').map(refused));
    },
    /** Discards the changes; what follows them is what is saved. */
    reset: (to: Config) => discard(form, valuesOf(to, rowsOf(to.custom_env))),
  };
}

const valuesOf = (config: Config, rows: EnvRow[]): ConfigValues => ({
  ...(Object.fromEntries(fieldNames.map((name) => [name, config[name]])) as Fields),
  rows,
});

/** Names of the fields and environment variables that differ between two configurations. */
function changesBetween(before: Config, after: Config): string[] {
  const entries = new Set([...Object.keys(before.custom_env), ...Object.keys(after.custom_env)]);
  return [
    ...fieldNames.filter((name) => before[name] !== after[name]).map((name) => configurationText.fields[name].label),
    ...[...entries].filter((name) => before.custom_env[name] !== after.custom_env[name]),
  ];
}
