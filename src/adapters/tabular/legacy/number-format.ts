const dayMs = 86_400_000;
const secondsOfDay = 86_400;
/** Day 0 of the two date systems; 1900's counts a nonexistent 29 February (day 60), so it starts a day early from March on. */
const dayZero1900 = Date.UTC(1899, 11, 30);
const dayZero1904 = Date.UTC(1904, 0, 1);
/** 31 December 9999, the last day that spreadsheets know. */
const lastDay = 2_958_465;

/**
 * A spreadsheet's date number as text: `2024-05-31`, `2024-05-31 14:05`, `14:05` for a time alone. Undefined for a number that
 * is no date.
 * @param parts what the cell's number format shows
 */
function serialDate(serial: number, parts: { date: boolean; time: boolean }, date1904: boolean): string | undefined {
  if (!(serial >= 0 && serial < lastDay + 1)) return undefined;
  let day = Math.floor(serial);
  let seconds = Math.round((serial - day) * secondsOfDay);
  if (seconds === secondsOfDay) {
    day += 1;
    seconds = 0;
  }
  const time = timeText(seconds);
  if (!parts.date || (day === 0 && parts.time)) return parts.time ? time : undefined;
  const date = date1904 ? dateText(dayZero1904 + day * dayMs) : date1900(day);
  return parts.time && seconds > 0 ? `${date} ${time}` : date;
}

function date1900(day: number): string {
  if (day === 60) return '1900-02-29';
  return dateText(dayZero1900 + (day < 60 ? day + 1 : day) * dayMs);
}

function dateText(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

function timeText(seconds: number): string {
  const two = (value: number): string => String(value).padStart(2, '0');
  const text = `${two(Math.floor(seconds / 3600))}:${two(Math.floor(seconds / 60) % 60)}`;
  return seconds % 60 === 0 ? text : `${text}:${two(seconds % 60)}`;
}

/** Formats a number by a complex format code (`(###) ###-####`). */
export type ElaborateFormat = (code: string, value: number, date1904: boolean) => string;

/** Shows a cell's number as its format does. */
export type NumberFormat = (value: number) => string;

/** Numbers without a format, and those in scientific form, which would spoil long numbers. */
export const general: NumberFormat = (value) => {
  if (Number.isInteger(value) && Math.abs(value) < 1e15) return String(value);
  // Spreadsheets store 15 digits; further digits of a double are noise (0.1 + 0.2).
  const text = String(Number(value.toPrecision(15)));
  if (!text.includes('e')) return text;
  return Math.abs(value) >= 1
    ? BigInt(Math.round(value)).toString()
    : value
        .toFixed(20)
        .replace(/(?<!0)0+$/, '')
        .replace(/\.$/, '');
};

/** Whether a format needs the complex formatter. */
export function isElaborate(code: string): boolean {
  return formatKind(code) === 'elaborate';
}

/** Whether a format shows a date or a time. */
export function isDateFormat(code: string): boolean {
  return typeof formatKind(code) === 'object';
}

/**
 * The format of a code. Dates are shown as ISO dates whatever their format, since 03/04 may be March or April; everything else
 * as users see it.
 */
export function numberFormat(code: string, date1904: boolean, elaborate: ElaborateFormat | undefined): NumberFormat {
  const kind = formatKind(code);
  if (typeof kind === 'object') return (value) => serialDate(value, kind, date1904) ?? general(value);
  switch (kind) {
    case 'general':
      return general;
    case 'digits': {
      const digits = code.length;
      return (value) => sign(value) + Math.round(Math.abs(value)).toLocaleString('en', plain).padStart(digits, '0');
    }
    case 'decimals': {
      const decimals = code.length - code.indexOf('.') - 1;
      return (value) => (Math.abs(value) < 1e15 ? value.toFixed(decimals) : general(value));
    }
    case 'percent': {
      const decimals = Math.max(0, code.length - code.indexOf('.') - 2) * (code.includes('.') ? 1 : 0);
      return (value) => (Math.abs(value) < 1e13 ? `${(value * 100).toFixed(decimals)}%` : general(value));
    }
    case 'elaborate':
      return (value) => {
        try {
          return elaborate?.(code, value, date1904).trim() ?? general(value);
        } catch {
          return general(value);
        }
      };
  }
}

const plain: Intl.NumberFormatOptions = { useGrouping: false, maximumFractionDigits: 0 };
const sign = (value: number): string => (value < 0 ? '-' : '');

type FormatKind = 'general' | 'digits' | 'decimals' | 'percent' | 'elaborate' | { date: boolean; time: boolean };

function formatKind(code: string): FormatKind {
  if (/^(general|@|)$/i.test(code)) return 'general';
  if (/^0+$/.test(code)) return 'digits';
  if (/^0\.0+$/.test(code)) return 'decimals';
  if (/^0(\.0+)?%$/.test(code)) return 'percent';
  // The rest of the first section without quoted text, escapes, fillers, colours and conditions.
  const bare = (code.split(';')[0] ?? '')
    .replace(/"[^"]*"?/g, '')
    .replace(/[\\_*]./g, '')
    .replace(/\[(?!(h+|m+|s+)\])[^\]]{0,255}\]/gi, '');
  if (/\[[hms]+\]/i.test(bare)) return 'elaborate';
  if (/general/i.test(bare))
    return bare.trim().toLowerCase() === 'general' && !code.includes('"') ? 'general' : 'elaborate';
  if (/[0#?]/.test(bare)) return /E[+-]/i.test(bare) ? 'general' : isDateWithDigits(bare);
  const time = /[hs]|am\/pm|a\/p/i.test(bare);
  const date =
    /[yde]|b{2,4}/i.test(bare.replace(/am\/pm|a\/p/gi, '')) || /m{3,5}/i.test(bare) || (!time && /m/i.test(bare));
  return date || time ? { date, time } : 'elaborate';
}

/** `mm:ss.0` has digits and is a time. */
function isDateWithDigits(bare: string): FormatKind {
  return /s\.0/i.test(bare) ? { date: /[yd]/i.test(bare), time: true } : 'elaborate';
}
