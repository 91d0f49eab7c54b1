import { useMutation, useQuery } from '@tanstack/react-query';
import { memo, useState } from 'react';
import { Link } from 'react-router';
import { useStream } from '../../../api/live.ts';
import { queryClient } from '../../../api/queries.ts';
import parts from '../../../components/components.module.css';
import { Progress } from '../../../components/data/progress.tsx';
import { StateIcon } from '../../../components/data/state-icon.tsx';
import { RelativeTime } from '../../../components/data/time.tsx';
import { notifyError } from '../../../components/feedback/toasts.tsx';
import { Button } from '../../../components/form/button.tsx';
import { useHasRole } from '../../accounts/session/session.tsx';
import { causeText } from '../../tenant/diagnosis/messages.ts';
import styles from './bulk.module.css';
import { bulkText } from './messages.ts';
import {
  type BulkOperation,
  type BulkResult,
  type BulkSummary,
  bulkQuery,
  bulksQuery,
  cancelBulk,
  closed,
  isInProgress,
  retryBulk,
  takeBulkMessage,
} from './operations.ts';

type ResultStatus = BulkResult['status'];

const order = ['failed', 'skipped', 'running', 'pending', 'success'] as const satisfies readonly ResultStatus[];

/** An ended operation is shown for an hour, or until it is closed. */
const shownForMs = 3_600_000;

/** The operations shown: running ones, and the last that ended. */
export function shownOperations(operations: readonly BulkSummary[], closedId: string, now: number): BulkSummary[] {
  const last = operations.find((one) => !isInProgress(one));
  const isShown = last && last.id !== closedId && now - Date.parse(last.finished_at ?? last.created_at) < shownForMs;
  return operations.filter((one) => isInProgress(one) || (isShown && one === last));
}

/** Progress and results of bulk actions; the same in every tab and for every user. */
export function RunCards() {
  const { data } = useQuery(bulksQuery);
  const closedId = closed.use();
  return shownOperations(data?.bulk_operations ?? [], closedId, Date.now()).map(({ id }) => (
    <RunCard key={id} id={id} />
  ));
}

function RunCard({ id }: { id: string }) {
  const { data: operation } = useQuery(bulkQuery(id));
  useStream(
    operation && isInProgress(operation) ? { stream: 'bulk', id } : undefined,
    (message) => takeBulkMessage(id, message),
    () => void queryClient.invalidateQueries({ queryKey: bulkQuery(id).queryKey }),
  );
  return operation ? <Run operation={operation} /> : null;
}

function Run({ operation }: { operation: BulkOperation }) {
  const { action, status, counts, total, results } = operation;
  const [open, setOpen] = useState(false);
  const inProgress = isInProgress(operation);
  const title = inProgress ? bulkText.doing[action](total) : bulkText.ended[action](counts);
  const done = counts.success + counts.failed + counts.skipped;
  const named = results.filter((one) => one.status === 'failed' || (one.status === 'skipped' && one.error));
  return (
    <section className={`${parts.card} ${styles.run}`} aria-label={title}>
      <div className={styles.runHead}>
        <div>
          <h2>{title}</h2>
          <p className={styles.fine}>
            {bulkText.by(operation.created_by)} <RelativeTime at={operation.created_at} />
          </p>
        </div>
        <RunActions operation={operation} />
      </div>
      {inProgress && <Progress label={bulkText.progress} percent={(100 * done) / total} />}
      <p className={styles.counts} role="status">
        {order.map((one) => counts[one] > 0 && <span key={one}>{bulkText.counts[one](counts[one])}</span>)}
        {status === 'queued' && <span>{bulkText.queued}</span>}
        {inProgress && operation.cancel_requested_at && <span>{bulkText.cancelling}</span>}
        {status === 'cancelled' && <span>{bulkText.cancelled}</span>}
      </p>
      <Results results={named} />
      <details className={styles.each} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>{bulkText.all}</summary>
        {open && <Results results={order.flatMap((one) => results.filter((result) => result.status === one))} />}
      </details>
    </section>
  );
}

function RunActions({ operation }: { operation: BulkOperation }) {
  const { id, counts, results } = operation;
  const operator = useHasRole('operator');
  const cancel = useMutation({ mutationFn: () => cancelBulk(id), onError: notifyError });
  const retry = useMutation({ mutationFn: () => retryBulk(id), onError: notifyError });
  const inProgress = isInProgress(operation);
  const again = counts.failed + results.filter(({ status, error }) => status === 'skipped' && !error).length;
  return (
    <div className={styles.actions}>
      {inProgress && operator && counts.pending > 0 && !operation.cancel_requested_at && (
        <Button disabled={cancel.isPending} onClick={() => cancel.mutate()}>
          {bulkText.cancel(counts.pending)}
        </Button>
      )}
      {!inProgress && operator && again > 0 && (
        <Button variant="primary" disabled={retry.isPending} onClick={() => retry.mutate()}>
          {bulkText.retry(again)}
        </Button>
      )}
      {!inProgress && (
        <Button variant={again > 0 ? 'quiet' : 'plain'} onClick={() => closed.set(id)}>
          {bulkText.dismiss}
        </Button>
      )}
    </div>
  );
}

const Results = ({ results }: { results: readonly BulkResult[] }) =>
  results.length > 0 && (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
    <section className={styles.items} tabIndex={0} aria-label={bulkText.all}>
      <ul>
        {results.map((result) => (
          <Result key={result.tenant_id} result={result} />
        ))}
      </ul>
    </section>
  );

const Result = memo(({ result: { tenant_id, name, status, error } }: { result: BulkResult }) => (
  <li data-state={status}>
    <span className={styles.sign}>
      <StateIcon state={status} />
    </span>
    <Link to={`/tenants/${tenant_id}`}>{name}</Link>
    <span className={styles.state}>{bulkText.states[status]}</span>
    {error && <span className={styles.reason}>{causeText(error.detail, bulkText.reasons)}</span>}
  </li>
));

/** On other pages: says that a bulk action is in progress, with a link. */
export function RunNote() {
  const { data } = useQuery(bulksQuery);
  const operation = data?.bulk_operations.find(isInProgress);
  if (!operation) return null;
  const { action, total, counts } = operation;
  return (
    <aside className={styles.note} aria-label={bulkText.actions}>
      <span>
        {bulkText.doing[action](total)} · {bulkText.counts.success(counts.success)}
      </span>
      <Link to="/tenants">{bulkText.show}</Link>
    </aside>
  );
}
