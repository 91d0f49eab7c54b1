import type { Transform } from './transforms.ts';

/** Groups of person fields, in the order in which the dashboard offers them. */
export const fieldGroups = { name: 'Name', contact: 'Contact', address: 'Address', campaign: 'Campaign' } as const;

export interface PersonFieldEntry {
  /** What users call it; in a sentence its first letter is small. */
  label: string;
  group: keyof typeof fieldGroups;
  /** In characters. The specification sets no limits: these are the sample application's columns; e-mail: RFC 5321. */
  maxLength: number;
  /** The transform of a mapping that names none; `none` if left out. */
  transform?: Transform;
  /** An import needs a column for it. */
  required?: true;
}

/**
 * The catalogue of person fields, in the order of the specification ("Person") and of the columns sent to tenants. The API serves
 * it to the dashboard with a list's mappings.
 *
 * To add a field:
 * 1. add it here;
 * 2. in `rules/fields.json`, add its table: the aliases that headers use for it and, optionally, which values it can't have;
 * 3. in `rules/choose-person.ts`, add it to `chooseRest`, so that the rules suggest it.
 */
const catalogue = {
  first_name: { label: 'First name', group: 'name', maxLength: 100, transform: 'name_case', required: true },
  last_name: { label: 'Last name', group: 'name', maxLength: 100, transform: 'name_case', required: true },
  address1: { label: 'Street address', group: 'address', maxLength: 200 },
  address2: { label: 'Address line 2', group: 'address', maxLength: 200 },
  city: { label: 'City', group: 'address', maxLength: 100, transform: 'name_case' },
  state: { label: 'State', group: 'address', maxLength: 50, transform: 'state' },
  zip: { label: 'ZIP code', group: 'address', maxLength: 20, transform: 'zip' },
  county: { label: 'County', group: 'address', maxLength: 100 },
  congressional_district: {
    label: 'Congressional district',
    group: 'campaign',
    maxLength: 20,
    transform: 'district',
  },
  home_phone: { label: 'Home phone', group: 'contact', maxLength: 40, transform: 'phone' },
  cell_phone: { label: 'Cell phone', group: 'contact', maxLength: 40, transform: 'phone' },
  email: { label: 'E-mail address', group: 'contact', maxLength: 254, transform: 'email' },
  precinct: { label: 'Precinct', group: 'campaign', maxLength: 100 },
  precinct_number: { label: 'Precinct number', group: 'campaign', maxLength: 40 },
  precinct_status: { label: 'Precinct status', group: 'campaign', maxLength: 50 },
  precinct_role: { label: 'Precinct role', group: 'campaign', maxLength: 50 },
  notes: { label: 'Notes', group: 'campaign', maxLength: 10_000 },
  whip_status: { label: 'Support level', group: 'campaign', maxLength: 50 },
  // A hundred tags of a hundred characters, with commas.
  tags: { label: 'Tags', group: 'campaign', maxLength: 10_100 },
} as const satisfies Record<string, PersonFieldEntry>;

export type PersonField = keyof typeof catalogue;

export const personFieldEntries: Readonly<Record<PersonField, PersonFieldEntry>> = catalogue;
export const personFields = Object.keys(catalogue) as PersonField[];
export const requiredFields = personFields.filter((field) => personFieldEntries[field].required);

export const isPersonField = (target: string): target is PersonField => Object.hasOwn(catalogue, target);
