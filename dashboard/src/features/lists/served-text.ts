/**
 * A text that the API gives in English, in the language of the page; unknown ones stay.
 * @param texts by the English text; {1}, {2} … in both are parts that vary
 */
export function servedText(texts: Readonly<Record<string, string>>, text: string): string {
  for (const [english, own] of Object.entries(texts)) {
    const parts = partsOf(english, text);
    if (parts) return own.replaceAll(/\{(\d)\}/g, (_, place) => parts[Number(place) - 1] ?? '');
  }
  return text;
}

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
