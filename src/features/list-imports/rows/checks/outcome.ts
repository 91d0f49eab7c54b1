import type { FindingCode } from './finding.ts';

/** The result of a cell: its normalised text ('' if unknown), with findings if there are any. */
export type Outcome = string | OutcomeWithFinding;

export interface OutcomeWithFinding {
  value: string;
  code: FindingCode;
  /** A whole sentence for the user. */
  message: string;
  /** The part of the value that its field can't hold. */
  unclear?: string;
  /** A second value, for another field of the same kind (a second phone number). */
  second?: string;
}

/** A value that its field can't hold; it is stored separately. */
export function unclearOutcome(code: FindingCode, text: string, message: string): OutcomeWithFinding {
  return { value: '', code, message, unclear: text };
}

const placeholders = new Set(
  [
    'n/a na n.a. none null nil nan unknown unk undefined - -- --- . ? x xx xxx tbd',
    'declined refused no 0 #n/a #ref! #value! #name?',
  ].flatMap((line) => line.split(' ')),
);
const longPlaceholders = /^(no (e-?mail|phone)|not (available|provided|applicable)|do not (call|e-?mail))$/;

/** Whether a cell says in words that nothing is known: `N/A`, `none`, `#REF!`. For fields whose values have a form. */
export function isPlaceholder(text: string): boolean {
  if (text.length > 20) return false;
  const folded = text.toLowerCase();
  return placeholders.has(folded) || longPlaceholders.test(folded);
}

const spreadsheetErrors = new Set('#N/A #REF! #VALUE! #NAME? #NULL! #DIV/0! #NUM! #ERROR! #SPILL! #CALC!'.split(' '));

/** Whether a cell shows that a formula failed (`#N/A`), which is never a value. */
export function isSpreadsheetError(cell: string): boolean {
  return cell.charCodeAt(0) === 35 && cell.length <= 8 && spreadsheetErrors.has(cell.trimEnd().toUpperCase());
}

/** A number in the short form of a spreadsheet; null for anything else. `digits` only where none were lost. */
export function spreadsheetNumber(text: string): { digits: string | undefined } | null {
  const match = /^(\d)(?:[.,](\d{1,15}))?E\+?(\d{1,2})$/i.exec(text);
  if (!match) return null;
  const [, whole = '', fraction = '', exponent = ''] = match;
  // Digits that were rounded away show as an exponent greater than the digits that are left.
  return { digits: Number(exponent) === fraction.length ? whole + fraction : undefined };
}
