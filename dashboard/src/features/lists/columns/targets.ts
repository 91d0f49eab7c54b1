import { plainText } from '../../../components/log/plain-text.ts';
import { listsText } from '../messages.ts';
import { customPrefix } from './mapping-rules.ts';

/** Fields of a person in groups, as they are offered. */
export const fieldGroups: Record<'name' | 'contact' | 'address' | 'campaign', readonly string[]> = {
  name: ['first_name', 'last_name'],
  contact: ['cell_phone', 'home_phone', 'email'],
  address: ['address1', 'address2', 'city', 'state', 'zip', 'county'],
  campaign: [
    'congressional_district',
    'precinct',
    'precinct_number',
    'precinct_status',
    'precinct_role',
    'whip_status',
    'tags',
    'notes',
  ],
};

/** Where a column goes, in words. */
export function targetName(target: string): string {
  const { fields, ownNamed, skip } = listsText.targets;
  if (target === 'skip') return skip;
  if (target.startsWith(customPrefix)) return ownNamed(plainText(target.slice(customPrefix.length)));
  return fields[target] ?? target;
}
