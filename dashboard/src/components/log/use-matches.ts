import { useMemo, useRef } from 'react';
import type { LogLine } from './replay-dedup.ts';

type Lines = readonly LogLine[];

const matching = (lines: Lines, words: string): Lines => lines.filter(({ text }) => text.toLowerCase().includes(words));

interface Search {
  lines: Lines;
  words: string;
  found: Lines;
}

/**
 * The lines that contain the words. If the words got longer or lines were added, the search continues from the last result.
 * @param words in lower case; empty: all lines
 */
export function search(lines: Lines, words: string, before: Search): Lines {
  if (words === '') return lines;
  const { length } = before.lines;
  // The same lines are the same objects: to compare a hundred thousand takes less than a millisecond.
  const isMore = length <= lines.length && before.lines.every((line, at) => line === lines[at]);
  if (before.words === '' || !isMore || !words.includes(before.words)) return matching(lines, words);
  const kept = words === before.words ? before.found : matching(before.found, words);
  return length === lines.length ? kept : [...kept, ...matching(lines.slice(length), words)];
}

export function useMatches(lines: Lines, words: string): Lines {
  const last = useRef<Search>({ lines: [], words: '', found: [] });
  return useMemo(() => {
    const found = search(lines, words, last.current);
    last.current = { lines, words, found };
    return found;
  }, [lines, words]);
}
