import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { format } from 'fast-csv';
import type { Transform } from '../../src/features/list-imports/mapping/transforms.ts';

/** Header, target, transform: the twenty columns of a typical voter file. */
const columns: [string, string, Transform?][] = [
  ['Voter ID', 'custom_fields.voter_id'],
  ['First Name', 'first_name'],
  ['Middle', 'custom_fields.middle_name'],
  ['Last Name', 'last_name'],
  ['Suffix', 'custom_fields.name_suffix'],
  ['Address', 'address1'],
  ['Unit', 'address2'],
  ['City', 'city'],
  ['State', 'state'],
  ['Zip', 'zip'],
  ['County', 'county'],
  ['CD', 'congressional_district'],
  ['Home Phone', 'home_phone'],
  ['Mobile', 'cell_phone'],
  ['E-Mail', 'email'],
  ['Precinct', 'precinct'],
  ['Party', 'custom_fields.party'],
  ['Birth Date', 'custom_fields.birth_date', 'date'],
  ['Tags', 'tags'],
  ['Remarks', 'notes'],
];

export const headers = columns.map(([header]) => header);
export const mappings = columns.map(([source, target, transform]) => ({
  source,
  target,
  ...(transform && { transform }),
}));

const firstNames = ['Kofi', 'Nora', 'SAM', 'Rosa', 'MARIA', 'John', 'José', 'Zoë'];
const lastNames = ['Everly', 'NORTHCOTE', 'Silverton', 'Vanterpool', 'MCDONALD', "O'Brien", 'de la Cruz'];
const pick = (from: readonly string[], number: number): string => from[number % from.length] ?? '';
const two = (number: number): string => String(number).padStart(2, '0');

/**
 * One row of a realistic list: most rows are valid; about 1 in 100 each has no name, an invalid e-mail address, an invalid phone,
 * or repeats an earlier person.
 */
export function cellsOf(row: number): string[] {
  const person = row % 97 === 96 ? row - 50 : row;
  const line = `${200 + (person % 700)}-${1000 + ((person * 7919) % 9000)}`;
  return [
    `IL${10_000_000 + row}`,
    row % 101 === 100 ? '' : pick(firstNames, person),
    'M',
    `${pick(lastNames, person)} ${String.fromCharCode(65 + (person % 26))}${String.fromCharCode(97 + (person % 23))}`,
    '',
    `${person % 9999} Maple Street, North`,
    person % 3 === 0 ? `Apt ${person % 90}` : '',
    'SPRINGFIELD',
    pick(['IL', 'Illinois', 'Ill.'], person),
    `627${two(person % 100)}`,
    'Sangamon',
    pick(['IL-13', '13', 'CD 13'], person),
    person % 2 === 0 ? `(217) ${line}` : '',
    row % 89 === 88 ? 'ask her' : `312-${line}`,
    row % 83 === 82 ? `person${person}@` : `Person.${person}@example.org`,
    `Springfield ${person % 40}`,
    pick(['D', 'R', 'I', ''], person),
    `${1 + (person % 12)}/${1 + (person % 28)}/${1940 + (person % 65)}`,
    person % 4 === 0 ? 'volunteer; donor' : '',
    person % 5 === 0 ? `Met at the fair, said "call in the fall", likes yard signs (${person})` : '',
  ];
}

/** Writes a list with this number of rows as CSV. */
export async function writeCsvList(path: string, rows: number): Promise<void> {
  const list = (function* () {
    yield headers;
    for (let row = 0; row < rows; row += 1) yield cellsOf(row);
  })();
  await pipeline(list, format({ includeEndRowDelimiter: true }), createWriteStream(path));
}
