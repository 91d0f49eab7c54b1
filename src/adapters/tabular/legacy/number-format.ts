type Library = typeof import('xlsx');

/** Shows a cell's number as its format does. */
export type NumberFormat = (value: number) => string;

/** What spreadsheet programs allow; a longer code is hostile. */
const maxCodeCharacters = 255;

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

/**
 * The formats of a workbook by their codes. Dates are shown as ISO dates whatever their format, since 03/04 may be March or April;
 * everything else as users see it.
 */
export function numberFormats({ SSF }: Library, date1904: boolean): (code: string) => NumberFormat {
  const known = new Map<string, NumberFormat>();
  return (code) => {
    const format = known.get(code) ?? formatOf(code);
    known.set(code, format);
    return format;
  };

  function formatOf(code: string): NumberFormat {
    if (code.length > maxCodeCharacters) return general;
    const signs = signsOf(code);
    if (/^(general|@|)$/i.test(code.includes('"') ? code : signs.trim() || code)) return general;
    if (/[0#?]/.test(signs) && /E[+-]/i.test(signs)) return general;
    const parts = datePartsOf(signs);
    if (parts) return (value) => dateText(value, parts) ?? general(value);
    return (value) => {
      // SheetJS shows larger numbers in scientific form.
      if (Math.abs(value) >= 1e15) return general(value);
      try {
        return String(SSF.format(code, value, { date1904 })).trim();
      } catch {
        return general(value);
      }
    };
  }

  /** `2024-05-31`, `2024-05-31 14:05`, `14:05` for a time alone; undefined for a number that is no date. */
  function dateText(serial: number, { date, time }: DateParts): string | undefined {
    const found = SSF.parse_date_code(Math.round(serial * 86_400) / 86_400, { date1904 });
    if (!found) return undefined;
    const two = (value: number): string => String(value).padStart(2, '0');
    const clock = [found.H, found.M, ...(found.S > 0 ? [found.S] : [])].map(two).join(':');
    if (!date || (time && Math.floor(serial) === 0)) return time ? clock : undefined;
    // SheetJS's day 0 is the zeroth of January.
    const day = found.d === 0 ? '1899-12-31' : [found.y, found.m, found.d].map(two).join('-');
    return time && found.T > 0 ? `${day} ${clock}` : day;
  }
}

interface DateParts {
  date: boolean;
  time: boolean;
}

/** Whether a format shows a date or a time. */
export const isDateFormat = (code: string): boolean => datePartsOf(signsOf(code)) !== undefined;

/** A code's first section without quoted text, escapes, fillers, colours and conditions. */
const signsOf = (code: string): string =>
  (code.split(';')[0] ?? '')
    .replace(/"[^"]*"?/g, '')
    .replace(/[\\_*]./g, '')
    .replace(/\[(?!(h+|m+|s+)\])[^\]]{0,255}\]/gi, '');

/** Undefined for a format without a date, and for hours that count on (`[h]:mm`). `mm:ss.0` has digits and is a time. */
function datePartsOf(signs: string): DateParts | undefined {
  if (/\[[hms]+\]|general/i.test(signs) || (/[0#?]/.test(signs) && !/s\.0/i.test(signs))) return undefined;
  const time = /[hs]|am\/pm|a\/p/i.test(signs);
  const days = signs.replace(/am\/pm|a\/p/gi, '');
  const date = /[yde]|b{2,4}|m{3,5}/i.test(days) || (!time && /m/i.test(days));
  return date || time ? { date, time } : undefined;
}
