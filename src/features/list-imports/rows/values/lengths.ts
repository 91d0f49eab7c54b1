import type { MappingTarget } from '../../mapping/field-mapping.ts';

/**
 * Greatest lengths in characters. The contract names none: these are what the sample application's columns hold, and what any
 * reasonable one does. Of e-mail addresses: RFC 5321.
 */
const lengths: Partial<Record<MappingTarget, number>> = {
  first_name: 100,
  last_name: 100,
  address1: 200,
  address2: 200,
  city: 100,
  state: 50,
  zip: 20,
  county: 100,
  congressional_district: 20,
  home_phone: 40,
  cell_phone: 40,
  email: 254,
  precinct: 100,
  precinct_number: 40,
  precinct_status: 50,
  precinct_role: 50,
  whip_status: 50,
  notes: 10_000,
};

const ofCustomFields = 5_000;
/** A hundred tags of a hundred characters, with commas. */
const ofTags = 10_100;

/** How many characters a target holds. */
export function longestOf(target: MappingTarget): number {
  return lengths[target] ?? (target === 'tags' ? ofTags : ofCustomFields);
}
