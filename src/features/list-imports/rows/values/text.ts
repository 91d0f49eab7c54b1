import { memoize } from './memoize.ts';

/** Control characters but tab and newlines, and marks that take no room: byte order marks, zero-width and direction marks. */
const invisible = /[^\P{Cc}\t\n\r]|[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060\ufeff]/gu;

/** A cell without surrounding blanks, control and invisible characters; the rest stays as it is. */
export function plainText(text: string): string {
  return needsCare(text, false) ? text.replace(invisible, '').trim().toWellFormed() : text;
}

/** A cell on one line: blanks of every kind, newlines too, become one space; letters with accents get one form (NFC). */
export function lineOfText(text: string): string {
  return needsCare(text, true) ? plainText(text).replace(/\s+/g, ' ').normalize('NFC') : text;
}

/** Most cells are plain ASCII without blanks at their ends, and are done with here. */
function needsCare(text: string, single: boolean): boolean {
  const { length } = text;
  if (length === 0) return false;
  let before = 32;
  for (let index = 0; index < length; index += 1) {
    const code = text.charCodeAt(index);
    if (code < 32 || code > 126) return true;
    if (code === 32 && before === 32 && (single || index === 0)) return true;
    before = code;
  }
  return before === 32;
}

/** The first `length` characters, without half of one at the end. */
export function cut(text: string, length: number): string {
  return text.length <= length ? text : text.slice(0, length).replace(/[\ud800-\udbff]$/, '');
}

/**
 * The number that a text's digits (0 to 9) from `start` to before `end` make; NaN if there is anything else or nothing.
 * For the usual ways of writing, which so take no regular expression.
 */
export function numberIn(text: string, start: number, end: number): number {
  if (start >= end) return Number.NaN;
  let number = 0;
  for (let index = start; index < end; index += 1) {
    const digit = text.charCodeAt(index) - 48;
    // NaN after the text's end.
    if (!(digit >= 0 && digit <= 9)) return Number.NaN;
    number = number * 10 + digit;
  }
  return number;
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
