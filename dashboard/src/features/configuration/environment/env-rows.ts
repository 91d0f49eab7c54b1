import { configurationText } from '../messages.ts';

/** The marker that the manager returns for a secret; sent back, the value is kept. */
const hiddenMarker = '***hidden***';
export const isHidden = (value: string | null): boolean => value === hiddenMarker;

/** An entry being edited. */
export interface EnvRow {
  /** Stays while it is edited; no meaning beyond this page. */
  id: number;
  name: string;
  value: string;
  /** The saved value; undefined if it is new. */
  saved: string | undefined;
  /** Why the manager rejected it, until it is edited. */
  refused: string | undefined;
}

type Entries = Readonly<Record<string, string>>;

let lastId = 0;
export const newRow = (name = '', value = '', saved?: string): EnvRow => {
  lastId += 1;
  return { id: lastId, name, value, saved, refused: undefined };
};

export const rowsOf = (entries: Entries): EnvRow[] =>
  Object.entries(entries).map(([name, value]) => newRow(name, value, value));

/** Whether its value is a secret that is kept as it is. */
export const isKeptSecret = (row: EnvRow): boolean => row.value === hiddenMarker && row.saved === hiddenMarker;
/** Whether a saved secret gets another value. */
export const isReplaced = (row: EnvRow): boolean => row.saved === hiddenMarker && row.value !== hiddenMarker;
/** The row with its saved value restored. */
export const keeping = (row: EnvRow): EnvRow => ({ ...row, value: row.saved ?? '' });

const secretWord = /(^|_)(KEYS?|TOKEN|SECRET|PASS|PASSWD|PASSWORD|PASSPHRASE|CREDENTIALS?|AUTH|PRIVATE|DSN)(_|$)/;
/** Whether a value is masked unless focused. The manager decides what is hidden once saved. */
export const looksSecret = ({ name, saved }: EnvRow): boolean => saved === hiddenMarker || secretWord.test(name);

const isEmpty = ({ name, value }: EnvRow): boolean => name === '' && value === '';

/** The rows as `custom_env`; empty rows are ignored. */
export const entriesOf = (rows: readonly EnvRow[]): Record<string, string> =>
  Object.fromEntries(rows.filter((row) => !isEmpty(row)).map(({ name, value }) => [name, value]));

/** Errors of rows by id, as far as the page can check them; the manager has further rules. */
export function problemsOf(rows: readonly EnvRow[]): Record<number, string> {
  const seen = new Set<string>();
  const problems: Record<number, string> = {};
  for (const row of rows) {
    if (isEmpty(row)) continue;
    if (row.name === '') problems[row.id] = configurationText.env.noName;
    else if (seen.has(row.name)) problems[row.id] = configurationText.env.twice;
    seen.add(row.name);
  }
  return problems;
}

/** How many entries differ from those saved. */
export function countChanges(rows: readonly EnvRow[], saved: Entries): number {
  const entries = entriesOf(rows);
  const names = new Set([...Object.keys(entries), ...Object.keys(saved)]);
  return [...names].filter((name) => entries[name] !== saved[name]).length;
}

interface Merged {
  rows: EnvRow[];
  added: number;
  changed: number;
  same: number;
}

/** The rows merged with a file's entries; `replace` removes rows that are not in the file. */
export function merged(rows: readonly EnvRow[], entries: ReadonlyMap<string, string>, replace: boolean): Merged {
  const left = new Map(entries);
  const counts = { added: 0, changed: 0, same: 0 };
  const kept = rows.flatMap((row) => {
    const value = left.get(row.name);
    if (value === undefined) return replace || isEmpty(row) ? [] : [row];
    left.delete(row.name);
    if (value === row.value) counts.same += 1;
    else counts.changed += 1;
    return [{ ...row, value, refused: undefined }];
  });
  counts.added = left.size;
  return { rows: [...kept, ...[...left].map(([name, value]) => newRow(name, value))], ...counts };
}
