import { isPlaceholder, type Outcome } from '../checks/outcome.ts';
import { lineOfText } from './text.ts';

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const time =
  /(?<![T ])[T ]+(\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)?(?:\s*([ap]\.?m\.?))?\s*(?:Z|UTC|[+-]\d{2}:?\d{2})?$/i;
/** Days that a spreadsheet counts from the end of 1899, for dates from 1910 to 2100. */
const firstSerial = 3_654;
const lastSerial = 73_415;

/**
 * A date as `YYYY-MM-DD`, with its time of day where there is one but midnight (`YYYY-MM-DDTHH:MM:SS`). 3/4/2026 is the fourth
 * of March, as in the United States; with dots the day comes first. Years of two digits lie in the past. What is no date stays
 * as it is, with a warning: dates go to custom fields, which hold any text.
 */
export function date(text: string): Outcome {
  const plain = lineOfText(text);
  if (plain === '' || isPlaceholder(plain)) return '';
  const clock = plain.length > 40 ? null : time.exec(plain);
  const day = dayOf(clock ? plain.slice(0, clock.index) : plain);
  const moment = clock ? timeOf(clock) : '';
  if (day === undefined || moment === undefined) {
    return { value: plain, code: 'invalid_date', message: 'This is not a date; it is imported unchanged' };
  }
  return day + moment;
}

function dayOf(text: string): string | undefined {
  const [, year, month, day] =
    /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})$/.exec(text) ?? /^(\d{4})(\d\d)(\d\d)$/.exec(text) ?? [];
  if (year) return iso(Number(year), Number(month), Number(day));
  const numbers = /^(\d{1,2})([-/.])(\d{1,2})\2(\d{4}|\d{2})$/.exec(text);
  if (numbers) {
    const [, first = '', sign, second = '', years = ''] = numbers;
    const dayFirst = sign === '.' || Number(first) > 12;
    const [dayOfMonth, monthOfYear] = dayFirst ? [first, second] : [second, first];
    return iso(wholeYear(years), Number(monthOfYear), Number(dayOfMonth));
  }
  if (/^\d{4,5}$/.test(text)) return ofSerial(Number(text));
  return ofWords(text);
}

/** `Jan 5, 2026`, `Monday, 5 January 2026`, `05-Jan-26`. */
function ofWords(text: string): string | undefined {
  const parts =
    text.length > 40
      ? []
      : text
          .toLowerCase()
          .split(/[\s,./-]+/)
          .filter(Boolean);
  const name = parts.find((part) => months.includes(part.slice(0, 3)));
  const [day, year, ...others] = parts
    .map((part) => /^(\d{1,4})(?:st|nd|rd|th)?$/.exec(part)?.[1])
    .filter((part) => part !== undefined);
  if (!name || !day || !year || others.length > 0) return undefined;
  return iso(wholeYear(year), months.indexOf(name.slice(0, 3)) + 1, Number(day));
}

function ofSerial(days: number): string | undefined {
  if (days < firstSerial || days > lastSerial) return undefined;
  return new Date(Date.UTC(1899, 11, 30 + days)).toISOString().slice(0, 10);
}

function wholeYear(text: string): number {
  const year = Number(text);
  if (text.length > 2) return year;
  const century = Math.floor(thisYear / 100) * 100;
  return century + year > thisYear ? century - 100 + year : century + year;
}

const thisYear = new Date().getFullYear();

const daysOfMonth = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** undefined where there is no such day, or one of the numbers is NaN. Reckoned by hand: a Date for each cell would be a quarter of all the work. */
function iso(year: number, month: number, day: number): string | undefined {
  const leap = month === 2 && year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const days = (daysOfMonth[month - 1] ?? 0) + (leap ? 1 : 0);
  if (!(year >= 1000 && year <= 9999 && day >= 1 && day <= days)) return undefined;
  return `${year}-${month < 10 ? '0' : ''}${month}-${day < 10 ? '0' : ''}${day}`;
}

/** `T17:30:00`, '' at midnight, undefined where there is no such time. */
function timeOf([, hours = '', minutes = '', seconds = '00', half]: RegExpExecArray): string | undefined {
  const twelve = Number(hours) % 12;
  const hour = half ? twelve + (/^p/i.test(half) ? 12 : 0) : Number(hours);
  if (hour > 23 || Number(minutes) > 59 || Number(seconds) > 59) return undefined;
  const shown = `${String(hour).padStart(2, '0')}:${minutes}:${seconds}`;
  return shown === '00:00:00' ? '' : `T${shown}`;
}
