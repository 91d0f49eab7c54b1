import { memo, useState } from 'react';
import { Link } from 'react-router';
import { Button } from '../parts/button.tsx';
import parts from '../parts/parts.module.css';
import { Progress } from '../parts/progress.tsx';
import { useMay } from '../session/session.tsx';
import { bulkText } from '../text/bulk.ts';
import { text } from '../text/en.ts';
import styles from './bulk.module.css';
import { type BulkRun, dismissRun, holdRun, type RunItem, resumeRun, retryRun, useRun } from './run.ts';

const order = ['failed', 'unknown', 'underWay', 'waiting', 'done'] as const satisfies readonly RunItem['state'][];
const signs = { waiting: '○', underWay: '◐', done: '✓', failed: '✕', unknown: '?' } as const;

const countOf = ({ items }: BulkRun, state: RunItem['state']): number =>
  items.filter((item) => item.state === state).length;

/** How an action on many tenants goes, and how it ended for each. */
export function RunCard() {
  const run = useRun();
  const [open, setOpen] = useState(false);
  if (!useMay('operator') || !run) return null;
  const { action, state, items } = run;
  const [done, failed, unknown] = [countOf(run, 'done'), countOf(run, 'failed'), countOf(run, 'unknown')];
  const again = failed + unknown;
  const ended = state === 'ended';
  const title = ended ? bulkText.ended[action](done, items.length) : bulkText.doing[action](items.length);
  return (
    <section className={`${parts.card} ${styles.run}`} aria-label={title}>
      <div className={styles.runHead}>
        <h2>{title}</h2>
        <div className={styles.deeds}>
          {state === 'running' && <Button onClick={holdRun}>{bulkText.hold}</Button>}
          {state === 'held' && (
            <Button look="primary" onClick={resumeRun}>
              {bulkText.resume}
            </Button>
          )}
          {ended && again > 0 && (
            <Button look="primary" onClick={retryRun}>
              {bulkText.retry(again)}
            </Button>
          )}
          {state !== 'running' && (
            <Button look={ended && again === 0 ? 'plain' : 'quiet'} onClick={dismissRun}>
              {bulkText.dismiss}
            </Button>
          )}
        </div>
      </div>
      {!ended && <Progress label={bulkText.progress} percent={(100 * (done + failed)) / items.length} />}
      <p className={styles.counts}>
        {order.map((one) => {
          const count = countOf(run, one);
          return count > 0 && <span key={one}>{bulkText.counts[one](count)}</span>;
        })}
      </p>
      {state === 'running' && <p className={styles.fine}>{bulkText.keepOpen}</p>}
      <p role="status" className={run.held ? styles.held : undefined}>
        {run.held && bulkText.held[run.held]}
      </p>
      <Items items={items.filter(({ state: one }) => one === 'failed' || one === 'unknown')} />
      <details className={styles.each} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>{bulkText.all}</summary>
        {open && <Items items={order.flatMap((one) => items.filter((item) => item.state === one))} />}
      </details>
    </section>
  );
}

const Items = ({ items }: { items: readonly RunItem[] }) =>
  items.length > 0 && (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
    <section className={styles.items} tabIndex={0} aria-label={bulkText.all}>
      <ul>
        {items.map((item) => (
          <Item key={item.id} item={item} />
        ))}
      </ul>
    </section>
  );

const Item = memo(({ item: { id, name, state, reason, requestId } }: { item: RunItem }) => (
  <li data-state={state}>
    <span className={styles.sign} aria-hidden="true">
      {signs[state]}
    </span>
    <Link to={`/tenants/${id}`}>{name}</Link>
    <span className={styles.state}>{bulkText.states[state]}</span>
    {reason && <span className={styles.reason}>{reason}</span>}
    {requestId && <span className={styles.reason}>{text.requestId(requestId)}</span>}
  </li>
));

/** On other pages: that work on many tenants is under way, and where it can be seen. */
export function RunNote() {
  const run = useRun();
  if (!useMay('operator') || run?.state !== 'running') return null;
  const over = run.items.filter(({ state }) => state !== 'waiting' && state !== 'underWay').length;
  return (
    <div className={styles.note}>
      <span>
        {bulkText.doing[run.action](run.items.length)} · {bulkText.counts.done(over)}
      </span>
      <Link to="/">{bulkText.show}</Link>
    </div>
  );
}
