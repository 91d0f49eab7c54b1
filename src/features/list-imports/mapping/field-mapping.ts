/** The fields of a person in the tenant application, in the order they are offered. Source: the specification, "Person". */
export const personFields = [
  'first_name',
  'last_name',
  'address1',
  'address2',
  'city',
  'state',
  'zip',
  'county',
  'congressional_district',
  'home_phone',
  'cell_phone',
  'email',
  'precinct',
  'precinct_number',
  'precinct_status',
  'precinct_role',
  'notes',
  'whip_status',
  'tags',
] as const;

export type PersonField = (typeof personFields)[number];

/** Where a column goes: a field of the person, a field of the tenant's own, or nowhere. */
export type MappingTarget = PersonField | `custom_fields.${string}` | 'skip';

/**
 * What is done to a column's values on their way. Omitted, a target's usual normalisation is meant (phones: `phone`).
 * - `none`: values stay as they are, apart from surrounding blanks
 * - `full_name`, on first_name: one name filling first_name and last_name
 * - `city_state_zip`, on city: "Springfield, IL 62701" filling city, state and zip
 * - `city_state`, on city: the same beside a column of ZIP codes, filling city and state
 * - `join`: several columns for one field, joined by a space in the order of the file
 * - the others: the normalisation of that name
 */
export const transforms = [
  'none',
  'full_name',
  'city_state_zip',
  'city_state',
  'join',
  'phone',
  'state',
  'zip',
  'email',
  'name_case',
  'date',
  'district',
] as const;

export type Transform = (typeof transforms)[number];

/** One column of a list and what becomes of it. */
export interface FieldMapping {
  /** The column's header, distinct within the file. */
  source: string;
  target: MappingTarget;
  /** 0.0 to 1.0; calibrated: of the suggestions at or above 0.9, at least 97 % are right (`npm run bench -- mapping`). */
  confidence: number;
  transform?: Transform;
  /** Why it was suggested, in words for the user. */
  reason?: string;
  /** Other targets worth offering, the likeliest first. */
  alternatives?: { target: MappingTarget; confidence: number }[];
}

/** The normalisation that a target gets where its mapping names none. */
const usualTransforms: Partial<Record<PersonField, Transform>> = {
  first_name: 'name_case',
  last_name: 'name_case',
  city: 'name_case',
  state: 'state',
  zip: 'zip',
  congressional_district: 'district',
  home_phone: 'phone',
  cell_phone: 'phone',
  email: 'email',
};

const customFieldName = /^[a-z][a-z0-9_]{0,63}$/;

export const isPersonField = (target: string): target is PersonField =>
  (personFields as readonly string[]).includes(target);

/** True for a person field, `skip`, or `custom_fields.` and a snake_case name of at most 64 characters. */
export function isMappingTarget(target: string): target is MappingTarget {
  if (target === 'skip' || isPersonField(target)) return true;
  const [prefix, name, ...rest] = target.split('.');
  return prefix === 'custom_fields' && rest.length === 0 && customFieldName.test(name ?? '');
}

/** The transform that counts for a mapping: the one it names, else the usual one of its target. */
export function transformOf({ target, transform }: Pick<FieldMapping, 'target' | 'transform'>): Transform {
  return transform ?? (isPersonField(target) ? (usualTransforms[target] ?? 'none') : 'none');
}

/** Every person field that a mapping fills: one, or those of a split; none for custom fields and `skip`. */
export function fieldsFilledBy({ target, transform }: Pick<FieldMapping, 'target' | 'transform'>): PersonField[] {
  if (transform === 'full_name') return ['first_name', 'last_name'];
  if (transform === 'city_state_zip') return ['city', 'state', 'zip'];
  if (transform === 'city_state') return ['city', 'state'];
  return isPersonField(target) ? [target] : [];
}
