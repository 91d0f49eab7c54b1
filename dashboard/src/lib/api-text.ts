import { dateFormat } from './figures.ts';

/** English texts of the API and their translations. {1}, {2} … in both are parts that vary. */
export type ApiTexts = Readonly<Record<string, string>>;

/**
 * A text of the API in the user's language and time zone, by its own entry or else the first one that fits; its parts are
 * translated likewise. Unknown ones stay, but for their times.
 */
export function apiText(texts: ApiTexts, text: string): string {
  if (Object.hasOwn(texts, text)) return texts[text] ?? text;
  for (const [english, own] of Object.entries(texts)) {
    const parts = partsOf(english, text);
    if (parts) return own.replaceAll(/\{(\d)\}/g, (_, place) => apiText(texts, parts[Number(place) - 1] ?? ''));
  }
  return withLocalTimes(text);
}

const isoTime = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;
const shown = dateFormat({ dateStyle: 'medium', timeStyle: 'short' });

/** An English text of the API with its ISO times in the user's language and time zone. */
export const withLocalTimes = (text: string): string =>
  text.replaceAll(isoTime, (time) => {
    const at = new Date(time);
    return Number.isNaN(at.getTime()) ? time : shown.format(at);
  });

/** The same for a text of several sentences, each of which has its own entry. */
export const apiSentences = (texts: ApiTexts, text: string): string =>
  text
    .split(/(?<=\.) /)
    .map((sentence) => apiText(texts, sentence))
    .join(' ');

/** What is in the gaps of a pattern; undefined if the text has another. */
function partsOf(pattern: string, text: string): string[] | undefined {
  const [start = '', ...rest] = pattern.split(/\{\d\}/);
  const end = rest.pop();
  if (end === undefined) return pattern === text ? [] : undefined;
  if (!text.startsWith(start) || !text.endsWith(end)) return undefined;
  const parts: string[] = [];
  let at = start.length;
  for (const fixed of rest) {
    const next = text.indexOf(fixed, at);
    if (next < 0) return undefined;
    parts.push(text.slice(at, next));
    at = next + fixed.length;
  }
  const last = text.length - end.length;
  return last < at ? undefined : [...parts, text.slice(at, last)];
}
