import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { text } from '../text/en.ts';
import { Button } from './button.tsx';
import { Icon } from './icon.tsx';
import styles from './log.module.css';
import { saveBlob } from './save-file.ts';

interface LogViewProps {
  label: string;
  lines: readonly string[];
  /** Of the downloaded file. */
  fileName: string;
  children?: ReactNode;
}

const lineHeight = 21;

/** A log that follows its end until one scrolls up, and can be searched and downloaded. */
export function LogView({ label, lines, fileName, children }: LogViewProps) {
  const [search, setSearch] = useState('');
  const [following, setFollowing] = useState(true);
  const box = useRef<HTMLElement>(null);
  const words = search.toLowerCase();
  const shown = useMemo(
    () => (words ? lines.filter((line) => line.toLowerCase().includes(words)) : lines),
    [lines, words],
  );
  const rows = useVirtualizer({
    count: shown.length,
    getScrollElement: () => box.current,
    estimateSize: () => lineHeight,
    overscan: 20,
  });
  const last = shown.length;
  useEffect(() => {
    if (following && last > 0 && box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [following, last]);
  const scrolled = (): void => {
    const { scrollTop = 0, scrollHeight = 0, clientHeight = 0 } = box.current ?? {};
    setFollowing(scrollHeight - scrollTop - clientHeight < lineHeight * 2);
  };
  return (
    <section className={styles.log} aria-label={label}>
      <div className={styles.tools}>
        <input
          type="search"
          aria-label={text.log.search}
          placeholder={text.log.search}
          value={search}
          onChange={(event) => setSearch(event.target.value)}
        />
        {children}
        <span className={styles.count} aria-live={words ? 'polite' : 'off'}>
          {words ? text.log.matches(shown.length) : text.log.lines(lines.length)}
        </span>
        {!following && <Button onClick={() => setFollowing(true)}>{text.log.follow}</Button>}
        <Button
          look="quiet"
          onClick={() => saveBlob(new Blob([`${lines.join('\n')}\n`], { type: 'text/plain' }), fileName)}
        >
          <Icon name="down" />
          {text.log.download}
        </Button>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard */}
      <section ref={box} className={styles.lines} onScroll={scrolled} tabIndex={0} aria-label={label}>
        {shown.length === 0 && <p className={styles.nothing}>{words ? text.log.nothing : text.log.empty}</p>}
        <div className={styles.all} style={{ height: rows.getTotalSize() }}>
          {rows.getVirtualItems().map(({ index, start }) => (
            <div key={index} className={styles.line} style={{ transform: `translateY(${start}px)` }}>
              <Marked line={shown[index] ?? ''} words={words} />
            </div>
          ))}
        </div>
      </section>
    </section>
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
