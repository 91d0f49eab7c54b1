import { useVirtualizer } from '@tanstack/react-virtual';
import { type MouseEvent, type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { useQueryValue } from '../../hooks/use-query-value.ts';
import { fullTime } from '../../lib/figures.ts';
import { saveBlob } from '../../lib/save-file.ts';
import { notify } from '../feedback/toasts.tsx';
import { Button } from '../form/button.tsx';
import { CheckField } from '../form/check-field.tsx';
import { Select } from '../form/select.tsx';
import { optionsOf } from '../form/select-field.tsx';
import { Icon } from '../layout/icon.tsx';
import styles from './log.module.css';
import { downloadedLine, isNamed, lineName, lineTime } from './log-time.ts';
import { logText } from './messages.ts';
import type { LogLine } from './replay-dedup.ts';
import { useLogFilter } from './use-log-filter.ts';
import { useWrap } from './use-wrap.ts';

interface LogViewProps {
  label: string;
  lines: readonly LogLine[];
  /** The names of the services to show before each line, by `from`; missing: the log has one writer. */
  services?: Readonly<Record<string, string>>;
  /** Of the downloaded file. */
  fileName: string;
  children?: ReactNode;
}

const lineHeight = 24;

/** A log that follows its end until the user scrolls up, with search and download. */
export function LogView({ label, lines, services, fileName, children }: LogViewProps) {
  const { shown, words, isFiltered, search, setSearch, level, setLevel, minutes, setMinutes } = useLogFilter(lines);
  const [linked, setLinked] = useQueryValue('line');
  const [following, setFollowing] = useState(linked === '');
  const [wrap, setWrap] = useWrap();
  const box = useRef<HTMLElement>(null);
  const lastTop = useRef(0);
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
  const linkedAt = useMemo(() => (linked ? shown.findIndex((line) => isNamed(line, linked)) : -1), [shown, linked]);
  const isFound = linkedAt !== -1;
  const opened = useRef(linked);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the line with which the page was opened has come
  useEffect(() => {
    if (!isFound || linked !== opened.current) return;
    setFollowing(false);
    rows.scrollToIndex(linkedAt, { align: 'center' });
  }, [isFound]);
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
  const link = (event: MouseEvent, name: string): void => {
    event.preventDefault();
    setFollowing(false);
    setLinked(name);
    // Without HTTPS, browsers have no clipboard.
    const copied = navigator.clipboard?.writeText(new URL(hrefOf(name), location.href).href) ?? Promise.reject();
    copied.then(
      () => notify(logText.linkCopied),
      () => notify(logText.linkInAddress),
    );
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
        <Choice label={logText.level} options={logText.levels} value={level} onChange={setLevel} />
        {lines.some(({ time }) => time) && (
          <Choice label={logText.age} options={logText.ages} value={minutes} onChange={setMinutes} />
        )}
        {children}
        <CheckField label={logText.wrap} checked={wrap} onChange={setWrap} />
        <span className={styles.count} aria-live={words ? 'polite' : 'off'}>
          {words ? logText.matches(shown.length) : logText.lines(shown.length)}
          {linked && !isFound && lines.length > 0 && ` · ${logText.lineMissing}`}
        </span>
        {!following && <Button onClick={() => setFollowing(true)}>{logText.follow}</Button>}
        <Button variant="quiet" onClick={download}>
          <Icon name="download" />
          {logText.download}
        </Button>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard */}
      <section ref={box} className={styles.lines} onScroll={scrolled} tabIndex={0} aria-label={label}>
        {shown.length === 0 && (
          <p className={styles.nothing}>{words || isFiltered ? logText.nothing : logText.empty}</p>
        )}
        <div className={styles.all} style={{ height }} data-wrap={wrap || undefined}>
          {rows.getVirtualItems().map(({ index, start }) => {
            const line = shown[index];
            if (!line) return null;
            const { from, node } = line;
            return (
              <div
                key={index}
                ref={wrap ? rows.measureElement : undefined}
                data-index={index}
                className={styles.line}
                data-level={line.level}
                aria-current={index === linkedAt || undefined}
                style={{ transform: `translateY(${start}px)` }}
              >
                <LineLink line={line} today={today} onFollow={link} />
                {services?.[from] && (
                  <span className={styles.service} data-service={from}>
                    {services[from]}
                  </span>
                )}
                {node && <span className={styles.node}>{node}</span>}
                <span className={styles.text} translate="no">
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

interface LineLinkProps {
  line: LogLine;
  today: Date;
  onFollow(event: MouseEvent, name: string): void;
}

/** The time of a line, which links to it. */
function LineLink({ line, today, onFollow }: LineLinkProps) {
  const { time } = line;
  const name = lineName(line);
  if (!time || !name) return null;
  return (
    <a href={hrefOf(name)} title={logText.copyLink} onClick={(event) => onFollow(event, name)}>
      <time dateTime={time} title={fullTime(time)}>
        {lineTime(time, today)}
      </time>
    </a>
  );
}

function hrefOf(line: string): string {
  const query = new URLSearchParams(location.search);
  query.set('line', line);
  return `?${query}`;
}

interface ChoiceProps {
  label: string;
  options: Readonly<Record<string, string>>;
  value: string;
  onChange(value: string): void;
}

export const Choice = ({ label, options, value, onChange }: ChoiceProps) => (
  <Select
    narrow
    groups={[{ options: optionsOf(options) }]}
    value={value}
    onChange={onChange}
    trigger={{ 'aria-label': label }}
  />
);

/** A line with what is searched for marked. */
export function Marked({ line, words }: { line: string; words: string }) {
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
