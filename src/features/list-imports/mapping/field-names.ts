import { isPersonField, type MappingTarget, type PersonField } from './field-mapping.ts';

/** What the fields of a person are called in sentences for people. */
const names: Record<PersonField, string> = {
  first_name: 'first name',
  last_name: 'last name',
  address1: 'street address',
  address2: 'second line of the address',
  city: 'city',
  state: 'state',
  zip: 'ZIP code',
  county: 'county',
  congressional_district: 'congressional district',
  home_phone: 'home phone',
  cell_phone: 'cell phone',
  email: 'e-mail address',
  precinct: 'precinct',
  precinct_number: 'precinct number',
  precinct_status: 'precinct status',
  precinct_role: 'precinct role',
  notes: 'notes',
  whip_status: 'support level',
  tags: 'tags',
};

/** What a column goes to, in words: `first name`, `own field “shirt_size”`. */
export const nameOfTarget = (target: MappingTarget): string =>
  isPersonField(target) ? names[target] : `own field “${target.replace(/^custom_fields\./, '')}”`;

/** Several of them: `city, state and ZIP code`. */
export const namesOfTargets = (targets: readonly MappingTarget[]): string =>
  targets
    .map(nameOfTarget)
    .join(', ')
    .replace(/, (?=[^,]+$)/, ' and ');
