import { isPlaceholder, type Outcome, spreadsheetNumber, unclearOutcome } from '../checks/outcome.ts';
import { isAmerican } from './state.ts';
import { lineOfText } from './text.ts';

const full = /^(\d{5})(?:[ -]{0,3}(\d{4}))?$/;
const shortened = /^(\d{3,4})(?:-(\d{4}))?$|^(\d{3,4})(\d{4})$/;
const canadian = /^([a-z]\d[a-z])[ -]?(\d[a-z]\d)$/i;
const elsewhere = /^(?=.*\d)[a-z0-9][a-z0-9 -]{1,8}[a-z0-9]$/i;

/** Where ZIP codes begin with 0, and with 00. Source: USPS Publication 65; Holtsville, New York, has 00501. */
const oneZero = new Set(['CT', 'MA', 'ME', 'NH', 'NJ', 'RI', 'VT', 'AE']);
const twoZeros = new Set(['PR', 'VI', 'NY']);

/**
 * A ZIP code (`62701`, `62701-1234`). A leading zero that a spreadsheet removed is restored if the row's state, or its
 * lack, allows it; codes of other countries pass with a warning.
 * @param stateOfRow its code, '' where it is not known
 */
export function zip(text: string, stateOfRow: string): Outcome {
  if (/^(?!0{5})\d{5}$/.test(text)) return text;
  const plain = lineOfText(text)
    .replace(/^'/, '')
    .replace(/\.0+$/, '')
    .replace(/-(?:0000)?$/, '');
  if (plain === '' || isPlaceholder(plain) || /^0+$/.test(plain)) return '';
  const whole = full.exec(plain);
  if (whole) return joined(whole[1], whole[2]);
  const short = spreadsheetNumber(plain);
  if (short) return unclearOutcome('rounded_by_spreadsheet', text, 'A spreadsheet has rounded this number');
  const restored = zeroRestored(plain, stateOfRow);
  if (restored !== undefined) {
    return { value: restored, code: 'zip_zero_restored', message: `The leading zero was restored: ${restored}` };
  }
  return foreign(plain, stateOfRow);
}

function joined(five = '', four: string | undefined): string {
  return four && four !== '0000' ? `${five}-${four}` : five;
}

function zeroRestored(text: string, stateOfRow: string): string | undefined {
  const match = shortened.exec(text);
  if (!match) return undefined;
  const digits = match[1] ?? match[3] ?? '';
  const allowed = digits.length === 4 ? oneZero.has(stateOfRow) || stateOfRow === '' : twoZeros.has(stateOfRow);
  return allowed ? joined(digits.padStart(5, '0'), match[2] ?? match[4]) : undefined;
}

function foreign(text: string, stateOfRow: string): Outcome {
  const canada = canadian.exec(text);
  if (canada) {
    const value = `${canada[1]} ${canada[2]}`.toUpperCase();
    if (stateOfRow !== '' && !isAmerican(stateOfRow)) return value;
    return { value, code: 'foreign_zip', message: 'This is a postal code of Canada' };
  }
  if (elsewhere.test(text) && /[a-z]/i.test(text) && !isAmerican(stateOfRow)) {
    return { value: text, code: 'foreign_zip', message: 'This is not a ZIP code of the United States' };
  }
  return unclearOutcome('invalid_zip', text, 'This is not a ZIP code (five digits, or five and four)');
}
