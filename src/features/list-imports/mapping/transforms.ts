interface TransformEntry {
  /** What users call it. */
  label: string;
  /** A split fills these fields; the column goes to the first of them. */
  fills?: readonly string[];
  /** Offered for custom fields. */
  forCustomFields?: true;
}

/**
 * What is done to a column's values, in the order in which it is done to a row: ZIP codes and districts need the state. The API
 * serves the registry to the dashboard.
 *
 * To add a transform: name it here, and write its step in `rows/steps.ts` (a file of its own in `rows/values` if it is long).
 * Steps are apart from this registry because they load the library for phone numbers, which only worker threads need.
 */
const registry = {
  /** Only surrounding blanks are removed. */
  none: { label: 'No change' },
  name_case: { label: 'Fix capitalisation' },
  full_name: { label: 'Split full names', fills: ['first_name', 'last_name'] },
  state: { label: 'Two-letter code' },
  /** "Springfield, IL 62701" */
  city_state_zip: { label: 'Split city, state, ZIP', fills: ['city', 'state', 'zip'] },
  /** The same if ZIP codes have a column of their own. */
  city_state: { label: 'Split city and state', fills: ['city', 'state'] },
  zip: { label: 'Fix digits' },
  district: { label: 'Format as IL-07' },
  phone: { label: 'Normalise format' },
  email: { label: 'Clean up' },
  date: { label: 'Format as YYYY-MM-DD', forCustomFields: true },
  /** Several columns for one field, joined by a space in the order of the file. */
  join: { label: 'Join these columns' },
} as const satisfies Record<string, TransformEntry>;

export type Transform = keyof typeof registry;
/** A transform that fills several fields. */
type Split = { [Name in Transform]: (typeof registry)[Name] extends { fills: unknown } ? Name : never }[Transform];

export const transformEntries: Readonly<Record<Transform, TransformEntry>> = registry;
export const transforms = Object.keys(registry) as [Transform, ...Transform[]];

const isSplit = (transform: Transform | undefined): transform is Split =>
  transform !== undefined && 'fills' in registry[transform];

/** The fields that a split fills; undefined for other transforms. */
export const splitFields = (transform: Transform | undefined) =>
  isSplit(transform) ? registry[transform].fills : undefined;
