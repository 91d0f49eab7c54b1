import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useDeferredValue, useEffect, useRef, useState } from 'react';
import { saveBlob } from '../../lib/save-file.ts';
import { Button } from '../form/button.tsx';
import { CheckField } from '../form/check-field.tsx';
import { Icon } from '../layout/icon.tsx';
import styles from './log.module.css';
import { downloadedLine, fullTime, lineTime } from './log-time.ts';
import { logText } from './messages.ts';
import type { LogLine } from './replay-dedup.ts';
import { useMatches } from './use-matches.ts';

interface LogViewProps {
  label: string;
  lines: readonly LogLine[];
  /** The names of the services to show before each line, by `from`; missing: the log has one writer. */
  services?: Readonly<Record<string, string>>;
  /** Of the downloaded file. */
  fileName: string;
  children?: ReactNode;
}

const lineHeight = 21;
const narrow = matchMedia('(max-width: 640px)');

/** A log that follows its end until the user scrolls up, with search and download. */
export function LogView({ label, lines, services, fileName, children }: LogViewProps) {
  const [search, setSearch] = useState('');
  const [following, setFollowing] = useState(true);
  const [wrap, setWrap] = useState(() => narrow.matches);
  const box = useRef<HTMLElement>(null);
  const lastTop = useRef(0);
  // Searching a long log must not block typing.
  const words = useDeferredValue(search).toLowerCase();
  const shown = useMatches(lines, words);
  const rows = useVirtualizer({
    count: shown.length,
    getScrollElement: () => box.current,
    estimateSize: () => lineHeight,
    overscan: 20,
  });
  const height = rows.getTotalSize();
  // biome-ignore lint/correctness/useExhaustiveDependencies: heights change when lines are wrapped or not
  useEffect(() => rows.measure(), [rows, wrap]);
  useEffect(() => {
    if (following && height > 0 && box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [following, height]);
  const scrolled = (): void => {
    const { scrollTop = 0, scrollHeight = 0, clientHeight = 0 } = box.current ?? {};
    // New lines also move the end, so only scrolling up stops following.
    if (scrollHeight - scrollTop - clientHeight < lineHeight * 2) setFollowing(true);
    else if (scrollTop < lastTop.current) setFollowing(false);
    lastTop.current = scrollTop;
  };
  const download = (): void => {
    const content = lines.map((line) => `${downloadedLine(line, services)}\n`);
    saveBlob(new Blob(content, { type: 'text/plain' }), fileName);
  };
  const today = new Date();
  return (
    <div className={styles.log}>
      <div className={styles.tools}>
        <input
          type="search"
          aria-label={logText.search}
          placeholder={logText.search}
          value={search}
          onChange={(event) => setSearch(event.target.value)}
        />
        {children}
        <CheckField label={logText.wrap} checked={wrap} onChange={setWrap} />
        <span className={styles.count} aria-live={words ? 'polite' : 'off'}>
          {words ? logText.matches(shown.length) : logText.lines(lines.length)}
        </span>
        {!following && <Button onClick={() => setFollowing(true)}>{logText.follow}</Button>}
        <Button variant="quiet" onClick={download}>
          <Icon name="down" />
          {logText.download}
        </Button>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard */}
      <section ref={box} className={styles.lines} onScroll={scrolled} tabIndex={0} aria-label={label}>
        {shown.length === 0 && <p className={styles.nothing}>{words ? logText.nothing : logText.empty}</p>}
        <div className={styles.all} style={{ height }} data-wrap={wrap || undefined}>
          {rows.getVirtualItems().map(({ index, start }) => {
            const line = shown[index];
            if (!line) return null;
            const { from, time } = line;
            return (
              <div
                key={index}
                ref={wrap ? rows.measureElement : undefined}
                data-index={index}
                className={styles.line}
                style={{ transform: `translateY(${start}px)` }}
              >
                {time && (
                  <time dateTime={time} title={fullTime(time)}>
                    {lineTime(time, today)}
                  </time>
                )}
                {services?.[from] && (
                  <span className={styles.service} data-service={from}>
                    {services[from]}
                  </span>
                )}
                <span className={styles.text}>
                  <Marked line={line.text} words={words} />
                </span>
              </div>
            );
          })}
        </div>
      </section>
    </div>
  );
}

/** A line with what is searched for marked. */
function Marked({ line, words }: { line: string; words: string }) {
  const at = words ? line.toLowerCase().indexOf(words) : -1;
  if (at === -1) return line;
  return (
    <>
      {line.slice(0, at)}
      <mark>{line.slice(at, at + words.length)}</mark>
      {line.slice(at + words.length)}
    </>
  );
}
