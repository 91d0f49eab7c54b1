import { useDeferredValue, useEffect, useMemo, useState } from 'react';
import { useNow } from '../../hooks/use-now.ts';
import { keepInAddress, useQueryValue } from '../../hooks/use-query-value.ts';
import { logText } from './messages.ts';
import type { LogLine } from './replay-dedup.ts';
import { useMatches } from './use-matches.ts';

/** Typing must not change the page's address with each character. Milliseconds. */
const keepSearchAfter = 300;

/** The lines of a log that the page's address asks for: by words, level and age. */
export function useLogFilter(lines: readonly LogLine[]) {
  const [kept] = useQueryValue('search');
  const [search, setSearch] = useState(kept);
  const [level, setLevel] = useQueryValue('level');
  const [age, setMinutes] = useQueryValue('minutes');
  // The address may have another, such as one of kept logs.
  const minutes = Object.hasOwn(logText.ages, age) ? age : '';
  useEffect(() => {
    const timer = setTimeout(() => keepInAddress('search', search), keepSearchAfter);
    return () => clearTimeout(timer);
  }, [search]);
  // Searching a long log must not block typing.
  const words = useDeferredValue(search).toLowerCase();
  const now = useNow(minutes !== '');
  const since = minutes === '' ? undefined : new Date(now - Number(minutes) * 60_000).toISOString();
  const isFiltered = level !== '' || since !== undefined;
  const fitting = useMemo(
    () => (isFiltered ? lines.filter((line) => fits(line, level, since)) : lines),
    [lines, isFiltered, level, since],
  );
  const shown = useMatches(fitting, words);
  return { shown, words, isFiltered, search, setSearch, level, setLevel, minutes, setMinutes };
}

/** A line without a time is shown: its age is not known. */
const fits = ({ level, time }: LogLine, wanted: string, since: string | undefined): boolean =>
  (wanted === '' || level === 'error' || level === wanted) &&
  (since === undefined || time === undefined || time >= since);
