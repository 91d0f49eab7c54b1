import { plainText } from './text.ts';

const longestTag = 100;
const mostTags = 100;

/** Several tags in one cell, each once, with commas between them. */
export function tags(text: string): string {
  const plain = plainText(text);
  if (plain === '') return '';
  const names = new Map<string, string>();
  for (const piece of plain.split(/[,;|\n]/)) {
    const name = piece.trim().replace(/\s+/g, ' ').slice(0, longestTag);
    if (name !== '' && names.size < mostTags && !names.has(name.toLowerCase())) names.set(name.toLowerCase(), name);
  }
  return [...names.values()].join(',');
}
