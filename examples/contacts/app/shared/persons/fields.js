import { z } from 'zod';

/** The optional texts of a person, with their greatest lengths: those of the columns. */
const OPTIONAL_TEXTS = {
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

const name = z.string().trim().min(1, 'is required').max(100);

/** A text may be missing, null or blank; all three mean that nothing is known. */
const optionalText = (length) =>
  z
    .string()
    .trim()
    .max(length)
    .transform((text) => text || null)
    .nullable()
    .optional();

const optionalTexts = Object.fromEntries(
  Object.entries(OPTIONAL_TEXTS).map(([field, length]) => [field, optionalText(length)]),
);

/** What a caller may say of a person. */
export const personInput = z.strictObject({
  first_name: name,
  last_name: name,
  ...optionalTexts,
  email: optionalTexts.email.refine((text) => !text || z.regexes.email.test(text), 'is not an e-mail address'),
  status: z.enum(['active', 'inactive']).optional(),
  tags: z.array(name).max(100).optional(),
  custom_fields: z
    .record(z.string().min(1).max(100), z.union([z.string().max(5000), z.number(), z.boolean(), z.null()]))
    .optional(),
});

export const TEXT_FIELDS = ['first_name', 'last_name', ...Object.keys(OPTIONAL_TEXTS), 'status'];
export const IMPORT_FIELDS = ['import_source', 'import_date', 'import_batch_id', 'import_row', 'import_filename'];
export const JSON_FIELDS = ['custom_fields', 'original_data'];

/**
 * A person. As read from the database every field is there, unknown ones null.
 * @typedef {Record<string, any> & {id: string, first_name: string, last_name: string, tags: string[]}} Person
 */

/**
 * @param {z.output<typeof personInput>} input
 * @returns {Person}
 */
export function newPerson(input) {
  const now = new Date().toISOString();
  const person = { id: crypto.randomUUID(), status: 'active', tags: [], custom_fields: {}, ...input };
  return { ...person, tags: [...new Set(person.tags)], created_at: now, updated_at: now };
}
