import type { Meaning, PersonField } from '../person-fields.ts';
import type { Profile, ValueKind } from './profile.ts';

const expected: Partial<Record<Meaning, { kinds: ValueKind[]; otherwise: number }>> = {
  email: { kinds: ['email'], otherwise: 0.2 },
  phone: { kinds: ['phone', 'local_phone'], otherwise: 0.3 },
  cell_phone: { kinds: ['phone', 'local_phone'], otherwise: 0.3 },
  home_phone: { kinds: ['phone', 'local_phone'], otherwise: 0.3 },
  zip: { kinds: ['zip', 'number'], otherwise: 0.5 },
  state: { kinds: ['state'], otherwise: 0.6 },
  city_state_zip: { kinds: ['city_state_zip', 'whole_address'], otherwise: 0.7 },
  precinct_role: { kinds: ['precinct_role'], otherwise: 0.6 },
  whip_status: { kinds: ['support', 'number', 'letter'], otherwise: 0.85 },
};
const contradicting: Partial<Record<Meaning, ValueKind[]>> = {
  first_name: ['number', 'email', 'date', 'written_phone'],
  last_name: ['number', 'email', 'date', 'written_phone'],
  full_name: ['number', 'email', 'date', 'written_phone'],
  city: ['number', 'email', 'date', 'written_phone', 'street', 'yes_no'],
  county: ['email', 'date', 'written_phone'],
  address_line: ['number', 'email', 'date', 'written_phone', 'state_code', 'yes_no'],
  street_name: ['number', 'email', 'date'],
  notes: ['number', 'email', 'date', 'phone'],
  tags: ['number', 'email', 'date', 'phone', 'yes_no'],
  precinct_status: ['number', 'email', 'date'],
  congressional_district: ['full_name', 'email', 'date', 'written_phone'],
};

const neverYesOrNo: ReadonlySet<Meaning> = new Set([
  'congressional_district',
  'precinct',
  'precinct_name',
  'precinct_number',
  'voting_district',
  'state',
  'notes',
]);

/** How far the values bear the header out: above 1 they do, below they don't; 1 where they say nothing. */
export function agreementOf(meaning: Meaning, profile: Profile): number {
  if (profile.filled === 0) return 1;
  const against = contradicting[meaning]?.some((kind) => profile.share(kind) > 0.6) ?? false;
  if (against) return 0.35;
  if (meaning === 'whip_status' && profile.share('number') > 0.8 && profile.share('support') < 0.5) return 0.3;
  // "CD" with Y and N in it; the number 1 is a district.
  if (neverYesOrNo.has(meaning) && profile.share('yes_no') - profile.share('number') > 0.6) return 0.35;
  // Delaware's counties are letters, N among them.
  if (meaning === 'county' && profile.share('yes_no') > 0.9 && profile.distinct > 1) return 0.35;
  // A number is no county that a person would recognise.
  if (meaning === 'county' && profile.share('number') > 0.6) return 0.85;
  if (meaning === 'street_name' && profile.share('street') > 0.5) return 0.5;
  if (meaning === 'full_name' && profile.share('several_words') < 0.3) return 0.7;
  const wanted = expected[meaning];
  if (!wanted) return 1;
  const share = Math.max(...wanted.kinds.map((kind) => profile.share(kind)));
  if (share < 0.3) return wanted.otherwise;
  return share > 0.6 ? 1.1 : 1;
}

/** Whether a column's values do not speak against a field. */
export const fits = (field: PersonField, profile: Profile): boolean =>
  agreementOf(field === 'address1' ? 'address_line' : field === 'address2' ? 'address_unit' : field, profile) >= 1;
