/** A value before and after. */
export interface Change {
  /** Empty where the entry is about one thing only. */
  name: string;
  before: unknown;
  after: unknown;
}

type Details = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Details =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isChange = (value: unknown): value is { before: unknown; after: unknown } =>
  isObject(value) && 'before' in value && 'after' in value;

/** `changes` of an entry: names with before and after, or groups of them. */
function listed(changes: unknown, prefix = ''): Change[] {
  if (!isObject(changes)) return [];
  return Object.entries(changes).flatMap(([name, value]) =>
    isChange(value)
      ? [{ name: prefix + name, before: value.before, after: value.after }]
      : listed(value, `${prefix}${name}.`),
  );
}

/** `before` and `after` of an entry: values, or records of which only the differences matter. */
function compared({ before, after, setting }: Details): Change[] {
  if (before === undefined && after === undefined) return [];
  if (!isObject(before) && !isObject(after))
    return [{ name: typeof setting === 'string' ? setting : '', before, after }];
  const [old, young] = [isObject(before) ? before : {}, isObject(after) ? after : {}];
  return [...new Set([...Object.keys(old), ...Object.keys(young)])]
    .filter((name) => JSON.stringify(old[name]) !== JSON.stringify(young[name]))
    .map((name) => ({ name, before: old[name], after: young[name] }));
}

/** The changes in an entry's details. */
export const changesOf = (details: Details): Change[] => [...compared(details), ...listed(details.changes)];

const shownElsewhere = ['before', 'after', 'changes', 'setting', 'user_id', 'username', 'deployment_id'];

/** Other details. */
export const restOf = (details: Details): [string, unknown][] =>
  Object.entries(details).filter(
    ([name, value]) => !shownElsewhere.includes(name) && value !== null && value !== undefined,
  );
