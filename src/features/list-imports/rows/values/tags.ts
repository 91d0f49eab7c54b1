import { memoize } from './memoize.ts';
import { cut, plainText } from './text.ts';

const longestTag = 100;
const mostTags = 100;
const separator = /[,;|\n]/;

/** Several tags in one cell, each once, with commas between them. */
export const tags = memoize(1_000, (text) => {
  const plain = plainText(text);
  if (!separator.test(plain)) return cut(plain, longestTag);
  const names = new Map<string, string>();
  for (const piece of plain.split(separator)) {
    const name = cut(piece.trim().replace(/\s+/g, ' '), longestTag);
    if (name !== '' && names.size < mostTags && !names.has(name.toLowerCase())) names.set(name.toLowerCase(), name);
  }
  return [...names.values()].join(',');
});
