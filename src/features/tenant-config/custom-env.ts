import { invalid } from '../../lib/errors.ts';

/**
 * Entries that Tenantry sets, and some that break start lines and migrations by mistake (`LD_…` is refused as a whole). No
 * boundary, so it needs no completeness: entries reach the tenant's own units and jobs alone, never an installation (decision 0025).
 */
export const reservedKeys: ReadonlySet<string> = new Set([
  'PORT',
  'HOST',
  'TENANT_SLUG',
  'DATABASE_URL',
  'API_KEYS',
  'SECRET_KEY',
  'IMPORT_DIR',
  'APP_VERSION',
  'APP_COMMIT',
  'PATH',
  'NODE_OPTIONS',
  'NODE_PATH',
  'NODE_EXTRA_CA_CERTS',
  'HOME',
  'ENV',
  'BASH_ENV',
  'LD_PRELOAD',
  'LD_LIBRARY_PATH',
  'LD_AUDIT',
]);

const keyForm = /^[A-Z_][A-Z0-9_]{0,63}$/;
const longestValue = 8_192;

/** What is wrong with one extra environment entry; undefined when nothing is. */
export function customEntryProblem(key: string, value: string): string | undefined {
  if (!keyForm.test(key)) return 'a name holds capital letters, digits and _, no digit first, at most 64 characters';
  if (reservedKeys.has(key) || key.startsWith('LD_'))
    return 'this entry is set by Tenantry or changes how programs are run; it cannot be given';
  if (value.length > longestValue) return 'a value has at most 8,192 characters';
  if (value.includes('\0')) return 'a value cannot hold a NUL character';
  return undefined;
}

const secretWord =
  /(^|_)(KEY|KEYS|TOKEN|SECRET|PASS|PASSWD|PASSWORD|PASSPHRASE|CREDENTIAL|CREDENTIALS|AUTH|PRIVATE|DSN)(_|$)/;
/** An address with a password in it. */
const passwordInAddress = /:\/\/[^\s/@:]*:[^\s/@]+@/;
const shownLength = 200;

/** What is shown in the place of a secret; sent back, it stands for the value that is kept. */
export const hiddenMarker = '***hidden***';

/** Whether an entry's name or form says that its value is a secret. */
const isSecret = (key: string, value: string): boolean => secretWord.test(key) || passwordInAddress.test(value);

/** A value as a plan shows it: secrets hidden, and not endlessly long. */
function planned(key: string, value: string | undefined): string | null {
  if (value === undefined) return null;
  if (isSecret(key, value)) return hiddenMarker;
  return value.length > shownLength ? `${value.slice(0, shownLength)}…` : value;
}

type Entries = Readonly<Record<string, string>>;

/** The names of the entries alone: what viewers see. */
export const hideValues = (entries: Entries): Record<string, string> =>
  Object.fromEntries(Object.keys(entries).map((key) => [key, hiddenMarker]));

/** The entries without secrets' values. */
export const hideSecrets = (entries: Entries): Record<string, string> =>
  Object.fromEntries(Object.entries(entries).map(([key, value]) => [key, isSecret(key, value) ? hiddenMarker : value]));

/**
 * Entries as they are to be kept: the marker of a hidden value stands for the value there is.
 * @throws AppError validation_error where there is none
 */
export function restoreHiddenValues(given: Entries, kept: Entries): Record<string, string> {
  return Object.fromEntries(
    Object.entries(given).map(([key, value]) => {
      if (value !== hiddenMarker) return [key, value];
      const before = Object.hasOwn(kept, key) ? kept[key] : undefined;
      if (before === undefined) throw invalid(`custom_env.${key}`, 'there is no hidden value to keep: give one');
      return [key, before];
    }),
  );
}

/** The entries that differ, each before and after; null where there was or is none. */
export function customEnvChanges(
  before: Entries,
  after: Entries,
): Record<string, { before: string | null; after: string | null }> {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (key) => before[key] !== after[key],
  );
  return Object.fromEntries(
    keys.map((key) => [key, { before: planned(key, before[key]), after: planned(key, after[key]) }]),
  );
}
