import { memoize } from './memoize.ts';
import { cut, plainText } from './text.ts';

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
