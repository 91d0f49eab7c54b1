import type { Delimiter } from '../table.ts';

/** The line `sep=;` that Excel writes and reads above the rows. */
const separatorLine = /^"?sep=([,;\t|^])"?(\r\n|\n|\r)/i;

/** A text without such a line, and the delimiter that it names. Excel does not count it as a row either. */
export function withoutSeparatorLine(text: string): { text: string; delimiter: Delimiter | undefined } {
  const found = separatorLine.exec(text);
  if (!found) return { text, delimiter: undefined };
  return { text: text.slice(found[0].length), delimiter: found[1] as Delimiter };
}

/** No longer than this. */
export const separatorLineLength = '"sep=;"\r\n'.length;
