import { useEffect, useRef } from 'react';
import { Link } from 'react-router';
import { lineTime } from '../../../components/log/log-time.ts';
import { Marked } from '../../../components/log/log-view.tsx';
import { plainText } from '../../../components/log/plain-text.ts';
import { fullTime } from '../../../lib/figures.ts';
import styles from './kept-logs.module.css';
import { keptText } from './messages.ts';
import type { KeptLine } from './queries.ts';

interface KeptLineViewProps {
  line: KeptLine;
  today: Date;
  /** Shown before the line. */
  service?: string | undefined;
  level?: string | null;
  /** Marked in the line. */
  words?: string;
  /** A line around a hit. */
  minor?: boolean;
  /** The line that the page's address names. */
  linked?: boolean;
}

/** A kept line; its time links to it and the lines around it. */
export function KeptLineView({ line, today, service, level, words = '', minor, linked }: KeptLineViewProps) {
  const own = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (linked) own.current?.scrollIntoView({ block: 'center' });
  }, [linked]);
  const { id, timestamp, node, message } = line;
  return (
    <div
      ref={own}
      className={styles.line}
      data-level={level ?? undefined}
      data-minor={minor || undefined}
      aria-current={linked || undefined}
    >
      <Link to={hrefOf(id)} title={keptText.around}>
        {timestamp ? (
          <time dateTime={timestamp} title={fullTime(timestamp)}>
            {lineTime(timestamp, today)}
          </time>
        ) : (
          '–'
        )}
      </Link>
      {service && <span className={styles.service}>{service}</span>}
      {node && <span className={styles.service}>{node}</span>}
      <span className={styles.text} translate="no">
        <Marked line={plainText(message)} words={words} />
      </span>
    </div>
  );
}

function hrefOf(line: string): string {
  const query = new URLSearchParams(location.search);
  query.set('kept', line);
  return `?${query}`;
}
