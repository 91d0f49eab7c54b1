import { useMemo, useState } from 'react';
import { ApiError } from '../../api/api-error.ts';
import { countChanges, type EnvRow, entriesOf, problemsOf, rowsOf } from './environment/env-rows.ts';
import type { FieldName } from './fields.ts';
import { groupNames, groups } from './fields.ts';
import { configurationText } from './messages.ts';
import type { Config } from './queries.ts';

type Fields = Partial<Record<FieldName, string>>;
/** The part that `PUT config` accepts. */
export type ConfigBody = Fields & { custom_env?: Record<string, string>; revision?: number };

/** Field errors from the manager, each until its field is edited. */
interface Refusals {
  fields: Readonly<Record<string, string>>;
  rows: Readonly<Record<number, string>>;
}
const noRefusals: Refusals = { fields: {}, rows: {} };

/** The configuration being edited; untouched fields follow the saved values. */
export function useDraft(config: Config) {
  /** The base of the changes; undefined without changes. */
  const [base, setBase] = useState<Config>();
  const [fields, setFields] = useState<Fields>({});
  const [edited, setEdited] = useState<EnvRow[]>();
  const [refusals, setRefusals] = useState(noRefusals);
  const saved = useMemo(() => rowsOf(config.custom_env), [config.custom_env]);
  const rows = edited ?? saved;
  const own = problemsOf(rows);
  const changed = Object.entries(fields).filter(([name, value]) => value !== config[name as FieldName]);
  const changedEntries = countChanges(rows, config.custom_env);
  const body: ConfigBody = {
    ...Object.fromEntries(changed),
    ...(changedEntries > 0 ? { custom_env: entriesOf(rows) } : {}),
  };
  const started = (): void => setBase((before) => before ?? config);
  return {
    rows,
    body: { ...body, revision: (base ?? config).revision },
    /** Changes by other users since then; undefined: none. */
    overtaken: base && base.revision !== config.revision ? changesBetween(base, config) : undefined,
    /** Rebases the changes on the saved values. */
    rebase: () => setBase(config),
    changes: changed.length + changedEntries,
    /** Invalid input that the page detects itself. */
    isFlawed: Object.keys(own).length > 0,
    problems: { ...refusals.rows, ...own },
    refusedRows: Object.keys(refusals.rows).map(Number),
    refusedFields: refusals.fields,
    valueOf: (name: FieldName): string => fields[name] ?? config[name],
    setField(name: FieldName, value: string): void {
      started();
      setFields((before) => ({ ...before, [name]: value }));
      setRefusals(({ fields: { [name]: _gone, ...others }, rows: ofRows }) => ({ fields: others, rows: ofRows }));
    },
    setRows(next: EnvRow[]): void {
      started();
      setEdited(next);
      const untouched = new Set(rows);
      setRefusals(({ fields: ofFields, rows: ofRows }) => ({
        fields: ofFields,
        rows: Object.fromEntries(
          next.filter((row) => untouched.has(row) && row.id in ofRows).map(({ id }) => [id, ofRows[id] ?? '']),
        ),
      }));
    },
    /** Attaches the manager's error messages to their fields. */
    refuse(error: unknown): void {
      if (!(error instanceof ApiError)) return;
      const idOf = new Map(rows.map(({ id, name }) => [`custom_env.${name}`, id]));
      const ofRows = Object.entries(error.fields).flatMap(([path, message]) => {
        const id = idOf.get(path);
        return id === undefined ? [] : [[id, message] as const];
      });
      const ofFields = Object.entries(error.fields).filter(([path]) => !idOf.has(path));
      setRefusals({ fields: Object.fromEntries(ofFields), rows: Object.fromEntries(ofRows) });
    },
    reset(): void {
      setBase(undefined);
      setFields({});
      setEdited(undefined);
      setRefusals(noRefusals);
    },
  };
}

/** Names of the fields and environment variables that differ between two configurations. */
function changesBetween(before: Config, after: Config): string[] {
  const names: FieldName[] = groupNames.flatMap((group) => groups[group].map(({ name }) => name));
  const entries = new Set([...Object.keys(before.custom_env), ...Object.keys(after.custom_env)]);
  return [
    ...names.filter((name) => before[name] !== after[name]).map((name) => configurationText.fields[name].label),
    ...[...entries].filter((name) => before.custom_env[name] !== after.custom_env[name]),
  ];
}
