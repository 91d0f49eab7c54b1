import { locale, timeZone } from './language.ts';

/** 1,000 or 12.5: with at most `digits` decimals. */
export const number = (value: number, digits = 0): string =>
  value.toLocaleString(locale, { maximumFractionDigits: digits });

/** A number of a table's cell; `none` where there is none. */
export const figure = (value: number | null | undefined, none = ''): string =>
  value === null || value === undefined ? none : number(value);

let lists: Intl.ListFormat | undefined;
/** a, b and c */
export const listed = (parts: readonly string[]): string => {
  lists ??= new Intl.ListFormat(locale);
  return lists.format(parts);
};

/** The text with a capital first letter. */
export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

let collator: Intl.Collator | undefined;
/** Orders texts as people expect: without case and accents, v9 before v10. */
export const compareTexts = (one: string, other: string): number => {
  collator ??= new Intl.Collator(locale, { numeric: true, sensitivity: 'base' });
  return collator.compare(one, other);
};

/** Makes the browser load its data about languages, which takes a phone far longer than the later uses. */
export const loadLanguageData = (): void => void compareTexts('', '');

/** Dates in the user's language and time zone. It is made for the first date: most pages need few of them, and each takes a while. */
export function dateFormat(options: Intl.DateTimeFormatOptions): Pick<Intl.DateTimeFormat, 'format'> {
  let made: Intl.DateTimeFormat | undefined;
  return {
    format(date) {
      made ??= new Intl.DateTimeFormat(locale, { timeZone: timeZone(), ...options });
      return made.format(date);
    },
  };
}

/** What the clocks of a zone show at a moment, as a date whose UTC fields have it. */
export const clockIn = (zone: string, at: Date): Date =>
  // Swedish times are ISO 8601 but for the T.
  new Date(`${at.toLocaleString('sv', { timeZone: zone }).replace(' ', 'T')}Z`);

/** The moment of a wall-clock time in the user's zone, `2026-11-25T14:05[:12]`; undefined for anything else. */
export function momentOf(local: string, zone = timeZone()): Date | undefined {
  const asUtc = Date.parse(`${local}Z`);
  if (Number.isNaN(asUtc)) return undefined;
  const offsetAt = (ms: number): number => clockIn(zone, new Date(ms)).getTime() - ms;
  // The second step counts where the offset changes in between.
  return new Date(asUtc - offsetAt(asUtc - offsetAt(asUtc)));
}

const zoned = dateFormat({ dateStyle: 'medium', timeStyle: 'long' });
/** A time in the user's zone, which it names, and in UTC. */
export const fullTime = (at: string): string =>
  `${zoned.format(new Date(at))} · ${at.replace('T', ' ').replace('Z', '')} UTC`;
