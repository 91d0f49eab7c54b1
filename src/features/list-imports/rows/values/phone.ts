import {
  type CountryCode,
  findPhoneNumbersInText,
  isSupportedCountry,
  type PhoneNumber,
  parsePhoneNumberFromString,
} from 'libphonenumber-js/min';
import { isPlaceholder, type Outcome, spreadsheetNumber, unclearOutcome } from '../checks/outcome.ts';
import { lineOfText } from './text.ts';

/** Longer text is no number with a remark, and not worth searching. */
const maxSearchedLength = 200;
/** Text next to a number that can be dropped. */
const labels =
  /\b(?:cell|cellular|mobile|mob|home|work|office|phone|ph|tel|telephone|landline|main|text|or|and|m|c|h|w|p|t)\b|[^\p{L}\p{N}]/giu;

/**
 * A phone number as E.164 (`+13125550107`), with its extension behind it (`+13125550107 ext. 12`). A second one in the cell
 * is handed out as `second`.
 * @param region country of numbers that name none
 */
export function phoneIn(region: string): (text: string) => Outcome {
  const country: CountryCode = isSupportedCountry(region) ? region : 'US';
  const american = country === 'US' || country === 'CA';
  return (text) => (american ? plainAmerican(text) : undefined) ?? withCare(lineOfText(text), country);
}

/** The usual ways of writing a North American number, as most cells are: (312) 555-0107, 312.555.0107, +1 312 555 0107. */
function plainAmerican(text: string): string | undefined {
  if (text.length > 20) return undefined;
  let digits = '';
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code >= 48 && code <= 57) digits += text[index];
    else if (code === 43 ? index > 0 : !isPunctuation(code)) return undefined;
  }
  if (digits.length === 11 && digits.charCodeAt(0) === 49) digits = digits.slice(1);
  else if (text.charCodeAt(0) === 43) return undefined;
  if (digits.length !== 10 || digits.charCodeAt(3) < 50) return undefined;
  return isAreaCode(digits.slice(0, 3)) ? `+1${digits}` : undefined;
}

/** Blank ( ) - . */
function isPunctuation(code: number): boolean {
  return code === 32 || code === 40 || code === 41 || code === 45 || code === 46;
}

const areaCodes = new Map<string, boolean>();

/** Whether the library knows an area code; memoized. */
function isAreaCode(code: string): boolean {
  let known = areaCodes.get(code);
  if (known === undefined) {
    known = parsePhoneNumberFromString(`+1${code}5550100`)?.isValid() ?? false;
    areaCodes.set(code, known);
  }
  return known;
}

function withCare(text: string, country: CountryCode): Outcome {
  if (text === '' || isPlaceholder(text) || isOneDigit(text)) return '';
  // The library says so, too, but by an exception: a hundred times as slow, where lists are full of remarks.
  if (!/\p{Nd}/u.test(text)) return noNumber(text);
  const short = spreadsheetNumber(text);
  if (short && !short.digits) {
    return unclearOutcome(
      'rounded_by_spreadsheet',
      text,
      'A spreadsheet has rounded this number; its last digits are lost',
    );
  }
  const written = (short?.digits ?? text)
    .replace(/^'/, '')
    .replace(/\.0+$/, '')
    .replace(/^00(?=[1-9])/, '+');
  const whole = parsePhoneNumberFromString(written, { defaultCountry: country, extract: false });
  if (whole?.isValid()) return shown(whole);
  // A semicolon or bar would be taken for the sign before an extension.
  return searched(text, text.replace(/[;|](?!ext=)/g, '/'), country);
}

/** Numbers within other text: remarks, labels, a second number. */
function searched(text: string, searchable: string, country: CountryCode): Outcome {
  const found = text.length > maxSearchedLength ? [] : findPhoneNumbersInText(searchable, country);
  const numbers = [...new Set(found.filter(({ number }) => number.isValid()).map(({ number }) => shown(number)))];
  const [first, second] = numbers;
  if (first === undefined) return noNumber(text);
  if (second !== undefined) {
    const message = `More than one phone number: ${first} is used`;
    return { value: first, second, code: 'several_phones', message, ...(numbers.length > 2 && { unclear: text }) };
  }
  let remark = text;
  for (const { startsAt, endsAt } of found.toReversed()) remark = remark.slice(0, startsAt) + remark.slice(endsAt);
  if (remark.replace(labels, '') === '') return first;
  return { value: first, code: 'text_beside_phone', message: 'There is text next to the number', unclear: text };
}

function noNumber(text: string): Outcome {
  return unclearOutcome('invalid_phone', text, 'This is not a valid phone number');
}

function shown({ number, ext }: PhoneNumber): string {
  return ext ? `${number} ext. ${ext}` : number;
}

/** 0000000000 and similar placeholders are no number. */
function isOneDigit(text: string): boolean {
  const digits = text.replace(/\D/g, '');
  return digits.length > 3 && /^(\d)\1*$/.test(digits) && !/\p{L}/u.test(text);
}
