import { invalid } from '../../lib/errors.ts';
import { looksSecret } from '../../lib/text/secret-mask.ts';

/**
 * Entries that Tenantry sets, and some that would accidentally break start commands and migrations (so would any `LD_…`). Not a
 * security boundary, so it need not be complete: entries reach only the tenant's own units and jobs, never an installation
 * (decision 0025).
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

const keyPattern = /^[A-Z_][A-Z0-9_]{0,63}$/;
const maxValueLength = 8_192;

/** The problem with an entry of `custom_env`; undefined if it is valid. */
export function customEntryProblem(key: string, value: string): string | undefined {
  if (!keyPattern.test(key))
    return 'a name may contain capital letters, digits and _, must not start with a digit, and may have at most 64 characters';
  if (reservedKeys.has(key) || key.startsWith('LD_'))
    return 'Tenantry sets this entry, or it changes how programs run; choose another name';
  if (value.length > maxValueLength) return 'a value may have at most 8,192 characters';
  if (value.includes('\0')) return 'a value must not contain a NUL character';
  return undefined;
}

const maxShownLength = 200;

/** Shown instead of a secret. A client that sends it back keeps the stored value. */
export const hiddenMarker = '***hidden***';

/** A value for display in a plan: secrets hidden, long values shortened. */
function displayed(key: string, value: string | undefined): string | null {
  if (value === undefined) return null;
  if (looksSecret(key, value)) return hiddenMarker;
  return value.length > maxShownLength ? `${value.slice(0, maxShownLength)}…` : value;
}

type Entries = Readonly<Record<string, string>>;

/** The entries with all values hidden, for viewers. */
export const hideValues = (entries: Entries): Record<string, string> =>
  Object.fromEntries(Object.keys(entries).map((key) => [key, hiddenMarker]));

/** The entries with the values of secrets hidden. */
export const hideSecrets = (entries: Entries): Record<string, string> =>
  Object.fromEntries(
    Object.entries(entries).map(([key, value]) => [key, looksSecret(key, value) ? hiddenMarker : value]),
  );

/**
 * Replaces each hidden marker by the stored value.
 * @throws AppError validation_error if there is no stored value
 */
export function restoreHiddenValues(given: Entries, stored: Entries): Record<string, string> {
  return Object.fromEntries(
    Object.entries(given).map(([key, value]) => {
      if (value !== hiddenMarker) return [key, value];
      const before = Object.hasOwn(stored, key) ? stored[key] : undefined;
      if (before === undefined) throw invalid(`custom_env.${key}`, 'there is no stored value to keep: enter a value');
      return [key, before];
    }),
  );
}

/** The entries that differ, each before and after; null: no value. */
export function customEnvChanges(
  before: Entries,
  after: Entries,
): Record<string, { before: string | null; after: string | null }> {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (key) => before[key] !== after[key],
  );
  return Object.fromEntries(
    keys.map((key) => [key, { before: displayed(key, before[key]), after: displayed(key, after[key]) }]),
  );
}
