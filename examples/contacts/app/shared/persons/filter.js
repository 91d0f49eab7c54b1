const SEARCHED = ['first_name', 'last_name', 'email', 'city', 'home_phone', 'cell_phone'];
const COMPARED = [
  'city',
  'state',
  'zip',
  'county',
  'congressional_district',
  'precinct',
  'precinct_number',
  'precinct_status',
  'precinct_role',
  'whip_status',
  'status',
];

/** The fields that a segment's rule can use. */
export const RULE_FIELDS = [...COMPARED, 'tag'];

/** @typedef {{where: string, parameters: unknown[]}} Filter */

/**
 * People who match every rule and, in some field, each word of the search.
 * @param {{search?: string, rules?: {field: string, value: string}[]}} wanted
 * @returns {Filter}
 */
export function personFilter({ search = '', rules = [] }) {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const conditions = [...words.map(found), ...rules.map(fits)];
  return {
    where: conditions.map((condition) => condition.where).join(' AND ') || '1 = 1',
    parameters: conditions.flatMap((condition) => condition.parameters),
  };
}

/** @returns {Filter} */
function found(word) {
  const pattern = `%${word.replace(/[%_!]/g, '!$&')}%`;
  return {
    where: `(${SEARCHED.map((column) => `LOWER(${column}) LIKE ? ESCAPE '!'`).join(' OR ')})`,
    parameters: SEARCHED.map(() => pattern),
  };
}

/** @returns {Filter} */
function fits({ field, value }) {
  if (field === 'tag') {
    const tagged = 'SELECT person_id FROM person_tags JOIN tags ON tags.id = tag_id WHERE tags.name = ?';
    return { where: `id IN (${tagged})`, parameters: [value] };
  }
  if (!COMPARED.includes(field)) throw new Error(`No rule can look at ${field}`);
  return { where: `${field} = ?`, parameters: [value] };
}
