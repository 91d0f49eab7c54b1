import { locale, translated } from './language.ts';

const text = translated({
  en: { justNow: 'just now', soon: 'in less than a minute' },
  es: { justNow: 'ahora mismo', soon: 'en menos de un minuto' },
});
let relative: Intl.RelativeTimeFormat | undefined;
const units = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

/** Relative time from `now` (ms): "3 minutes ago", "in 2 hours"; "just now" below a minute. */
export function relativeText(at: string, now: number): string {
  relative ??= new Intl.RelativeTimeFormat(locale);
  const seconds = Math.round((Date.parse(at) - now) / 1_000);
  for (const [unit, length] of units) {
    if (Math.abs(seconds) >= length) return relative.format(Math.trunc(seconds / length), unit);
  }
  return seconds > 0 ? text.soon : text.justNow;
}
