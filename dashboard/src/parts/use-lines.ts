import { useEffect, useRef, useState } from 'react';
import { plainText } from './plain-text.ts';

/** As many lines as are kept; older ones go. */
const mostLines = 200_000;
/** How often what came is drawn. Milliseconds. */
const drawEvery = 100;

/** Lines that come one by one, gathered so that a fast log does not draw the page for each; `source` names the log. */
export function useLines(source: string): [readonly string[], (line: string) => void] {
  const [lines, setLines] = useState<readonly string[]>([]);
  const waiting = useRef<string[]>([]);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another log begins anew
  useEffect(() => {
    setLines([]);
    return () => {
      clearTimeout(timer.current);
      timer.current = undefined;
      waiting.current = [];
    };
  }, [source]);
  const add = (line: string): void => {
    waiting.current.push(...line.split('\n').map(plainText));
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      const more = waiting.current.splice(0);
      setLines((before) => [...before, ...more].slice(-mostLines));
    }, drawEvery);
  };
  return [lines, add];
}
