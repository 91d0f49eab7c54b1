import { memoize } from './memoize.ts';

/** Control characters but tab and newlines, and marks that take no room: byte order marks, zero-width and direction marks. */
const invisible = /[^\P{Cc}\t\n\r]|[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060\ufeff]/gu;

/** A cell without surrounding blanks, control and invisible characters; the rest stays as it is. */
export function plainText(text: string): string {
  return plainAscii.test(text) ? text : text.replace(invisible, '').trim().toWellFormed();
}

/** A cell on one line: blanks of every kind, newlines too, become one space; letters with accents get one form (NFC). */
export function lineOfText(text: string): string {
  return plainLine.test(text) ? text : plainText(text).replace(/\s+/g, ' ').normalize('NFC');
}

/** Plain ASCII without blanks at its ends, as most cells are; a line of it, without two blanks in a row. */
const plainAscii = /^(?:[!-~](?:[ -~]*[!-~])?)?$/;
const plainLine = /^(?:[!-~]+(?: [!-~]+)*)?$/;

/** The first `length` characters, without half of one at the end. */
export function cut(text: string, length: number): string {
  return text.length <= length ? text : text.slice(0, length).replace(/[\ud800-\udbff]$/, '');
}

const maxTagLength = 100;
const maxTags = 100;
const separator = /[,;|\n]/;

/** Several tags in one cell, each once, with commas between them. */
export const tags = memoize(1_000, (text) => {
  const plain = plainText(text);
  if (!separator.test(plain)) return cut(plain, maxTagLength);
  const names = new Map<string, string>();
  for (const piece of plain.split(separator)) {
    const name = cut(piece.trim().replace(/\s+/g, ' '), maxTagLength);
    if (name !== '' && names.size < maxTags && !names.has(name.toLowerCase())) names.set(name.toLowerCase(), name);
  }
  return [...names.values()].join(',');
});
