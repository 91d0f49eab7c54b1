import { type FieldName, groupNames, groups } from './fields.ts';
import { configurationText } from './messages.ts';
import type { Config } from './queries.ts';

/** Names of the fields and environment variables that differ between two configurations. */
export function changesBetween(before: Config, after: Config): string[] {
  const names: FieldName[] = groupNames.flatMap((group) => groups[group].map(({ name }) => name));
  const entries = new Set([...Object.keys(before.custom_env), ...Object.keys(after.custom_env)]);
  return [
    ...names.filter((name) => before[name] !== after[name]).map((name) => configurationText.fields[name].label),
    ...[...entries].filter((name) => before.custom_env[name] !== after.custom_env[name]),
  ];
}
