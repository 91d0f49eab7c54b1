import { type ReactNode, useDeferredValue, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { text } from '../text/en.ts';
import { Button } from './button.tsx';
import { Icon } from './icon.tsx';
import styles from './log.module.css';
import { saveBlob } from './save-file.ts';
import { useMatches } from './use-matches.ts';

interface LogViewProps {
  label: string;
  lines: readonly string[];
  /** Of the downloaded file. */
  fileName: string;
  children?: ReactNode;
}

const lineHeight = 21;
/** Lines drawn above and below those in view, so that scrolling shows no empty ground. */
const spare = 20;

/** A log that follows its end until one scrolls up, and can be searched and downloaded. */
export function LogView({ label, lines, fileName, children }: LogViewProps) {
  const [search, setSearch] = useState('');
  const [following, setFollowing] = useState(true);
  const box = useRef<HTMLElement>(null);
  const lastTop = useRef(0);
  // One who types is not held up by what a long log takes to search.
  const words = useDeferredValue(search).toLowerCase();
  const shown = useMatches(lines, words);
  const [view, setView] = useState({ first: 0, count: 0 });
  const last = shown.length;
  const look = (): void => {
    const { scrollTop = 0, clientHeight = 0 } = box.current ?? {};
    const first = Math.max(0, Math.floor(scrollTop / lineHeight) - spare);
    const count = Math.ceil(clientHeight / lineHeight) + 2 * spare;
    setView((before) => (before.first === first && before.count === count ? before : { first, count }));
  };
  useLayoutEffect(look, []);
  useEffect(() => {
    if (following && last > 0 && box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [following, last]);
  const scrolled = (): void => {
    const { scrollTop = 0, scrollHeight = 0, clientHeight = 0 } = box.current ?? {};
    // Lines that came meanwhile take the end away as well: only who scrolls up wants to stay.
    if (scrollHeight - scrollTop - clientHeight < lineHeight * 2) setFollowing(true);
    else if (scrollTop < lastTop.current) setFollowing(false);
    lastTop.current = scrollTop;
    look();
  };
  // What was scrolled to may be gone: fewer lines match now.
  const first = Math.min(view.first, Math.max(0, last - view.count));
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
        <div className={styles.all} style={{ height: last * lineHeight }}>
          {shown.slice(first, first + view.count).map((line, at) => (
            <div
              // biome-ignore lint/suspicious/noArrayIndexKey: a line has no name but its place
              key={first + at}
              className={styles.line}
              style={{ transform: `translateY(${(first + at) * lineHeight}px)` }}
            >
              <Marked line={line} words={words} />
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
