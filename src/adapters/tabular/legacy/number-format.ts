import { serialDate } from './serial-date.ts';

/** Formats a number by a format code that is none of the simple ones (`(###) ###-####`). */
export type ElaborateFormat = (code: string, value: number, date1904: boolean) => string;

/** Shows a cell's number as its format does. */
export type NumberFormat = (value: number) => string;

/** Numbers without a format of their own, and those in scientific form, which would spoil long numbers. */
export const general: NumberFormat = (value) => {
  if (Number.isInteger(value) && Math.abs(value) < 1e15) return String(value);
  // Spreadsheets hold 15 digits; what a double has beyond them is noise (0.1 + 0.2).
  const text = String(Number(value.toPrecision(15)));
  if (!text.includes('e')) return text;
  return Math.abs(value) >= 1
    ? BigInt(Math.round(value)).toString()
    : value
        .toFixed(20)
        .replace(/(?<!0)0+$/, '')
        .replace(/\.$/, '');
};

/** Whether a format needs the elaborate formatter. */
export function isElaborate(code: string): boolean {
  return formatKind(code) === 'elaborate';
}

/** Whether a format shows a date or a time. */
export function isDateFormat(code: string): boolean {
  return typeof formatKind(code) === 'object';
}

/**
 * The format of a code. Dates are shown as ISO dates whatever their format, since 03/04 may be March or April; everything else as a person
 * sees it.
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
  // What remains of the first section without quoted text, escapes, fillers, colours and conditions.
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
