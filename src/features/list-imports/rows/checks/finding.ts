import type { MappingTarget } from '../../mapping/field-mapping.ts';

/** Why a row is rejected: it is not imported but listed in errors.csv. */
export const errorCodes = {
  required: 'a first name or a last name is missing',
  name_too_long: 'a name is longer than 100 characters, so it is none',
  broken_quotes: 'a quotation mark that opens a cell is not closed: rows have run together',
  repeated_headers: 'the headers once more, as where lists were put together',
  shifted_cells: 'more cells than headers, and values that do not fit their columns',
} as const;

/** The warnings about an imported row. */
export const warningCodes = {
  invalid_email: 'no e-mail address; kept aside',
  invalid_phone: 'no phone number that can be dialled; kept aside',
  invalid_zip: 'no ZIP code; kept aside',
  invalid_state: 'no state known; kept aside',
  invalid_district: 'no district of the form XX-NN can be made of it; kept aside',
  invalid_date: 'no date; left as it is',
  rounded_by_spreadsheet: 'a number that a spreadsheet has shortened (3.12E+09); kept aside',
  zip_zero_restored: 'a leading zero that a spreadsheet removed was restored',
  foreign_zip: 'no ZIP code of the United States; imported as it is',
  foreign_state: 'a province of Canada; imported',
  text_beside_phone: 'text next to a phone number; the number is imported, the whole text is kept aside',
  several_emails: 'more than one address: the first is taken, the others are kept aside',
  several_phones: 'more than one number: the second goes to the other phone when that is empty, else it is kept aside',
  two_people: 'two people in one row',
  unsure_split: 'a name or a place that could not be taken apart for sure',
  extra_cells: 'more cells than headers; the surplus is kept aside',
  shortened: 'longer than its field; cut, the whole is in the file alone',
  duplicate_in_file: 'a duplicate of an earlier row: the import adds no person for it',
} as const;

export type FindingCode = keyof typeof errorCodes | keyof typeof warningCodes;

/** An error or a warning about a row. */
export interface RowFinding {
  /** The data row: 1 is the first. */
  row: number;
  /** The row as a spreadsheet counts it, those above the data included. */
  file_row: number;
  /** Header of the column it came from; several are joined by " + "; null where it is about the whole row. */
  column: string | null;
  field: MappingTarget | null;
  code: FindingCode;
  /** A whole sentence for the user. */
  message: string;
  /** The value in the file, at most 200 characters. */
  value: string;
}

/** Why a row is rejected ("Last Name: The last name is missing"); of one with shifted cells, also the values that do not fit. */
export function reasonsOf(findings: readonly RowFinding[]): string[] {
  const errors = findings.filter(({ code }) => code in errorCodes);
  const slipped = errors.some(({ code }) => code === 'shifted_cells');
  const others = slipped ? findings.filter(({ code }) => code.startsWith('invalid_')) : [];
  return [...errors, ...others].map(({ column, message }) => (column === null ? message : `${column}: ${message}`));
}
