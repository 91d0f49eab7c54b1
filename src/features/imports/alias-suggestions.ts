import type { ColumnsSeen, Suggested } from './dependencies.ts';
import type { FieldMapping, PersonField } from './field-mapping.ts';
import { personFields } from './field-mapping.ts';

/** The specification's aliases. */
const aliases: Partial<Record<PersonField, string>> = {
  first_name: 'First, First Name, FName, Given Name',
  last_name: 'Last, Last Name, LName, Surname, Family Name',
  address1: 'Address, Street, Street Address, Addr, Address 1, Mailing Address',
  city: 'City, Town, Municipality',
  state: 'State, ST, Province',
  zip: 'Zip, Zip Code, Postal Code',
  cell_phone: 'Cell, Mobile, Cell Phone, Mobile Phone, Phone',
  home_phone: 'Home, Home Phone, Landline, Phone 2',
  email: 'Email, E-mail, Email Address',
  county: 'County, Cty',
};

const plain = (header: string): string => header.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');
const targets = new Map(
  personFields.flatMap((field) =>
    [field, ...(aliases[field]?.split(',') ?? [])].map((name): [string, PersonField] => [plain(name), field]),
  ),
);

/** Mappings by the headers' names alone. */
export async function suggestByAliases({ headers }: ColumnsSeen): Promise<Suggested> {
  const used = new Set<PersonField>();
  const mappings = headers.map((source): FieldMapping => {
    const target = targets.get(plain(source));
    if (!target || used.has(target)) return { source, target: 'skip', confidence: 0.5 };
    used.add(target);
    return { source, target, confidence: 0.95 };
  });
  return {
    mappings,
    unmapped: mappings.filter(({ target }) => target === 'skip').map(({ source }) => source),
    warnings: [],
  };
}
