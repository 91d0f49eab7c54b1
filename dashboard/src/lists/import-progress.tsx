import { useState } from 'react';
import { api, dataOf } from '../api/client.ts';
import { Button } from '../parts/button.tsx';
import { Confirm } from '../parts/confirm.tsx';
import parts from '../parts/parts.module.css';
import { Progress } from '../parts/progress.tsx';
import { useMay } from '../session/session.tsx';
import { listsText } from '../text/lists.ts';
import { Figures } from './figures.tsx';
import { type ImportStatus, pathOf } from './list-queries.ts';
import styles from './lists.module.css';
import { RowsProgress } from './rows-progress.tsx';
import type { StepProps } from './state.ts';

interface ImportProgressProps extends Omit<StepProps, 'job'> {
  progress: ImportStatus['progress'];
}

/** How far an import has got; one of rows that were not checked begins with that. */
export function ImportProgress({ listKey, progress, check }: ImportProgressProps) {
  const operator = useMay('operator');
  const [cancelling, setCancelling] = useState(false);
  const [cancelled, setCancelled] = useState(false);
  const { processed, total, success, updated, duplicates, failed, retry } = progress;
  const words = listsText.run;
  const cancel = () => dataOf(api.POST('/api/tenants/{id}/list-loader/{job_id}/cancel', { params: pathOf(listKey) }));
  return (
    <section className={`${parts.card} ${styles.card}`}>
      <div className={styles.cardHead}>
        <h2>{words.underWay}</h2>
        {operator && !cancelled && <Button onClick={() => setCancelling(true)}>{words.cancel}</Button>}
      </div>
      {check && processed === 0 ? (
        <RowsProgress label={words.progress} check={check} />
      ) : (
        <Progress label={words.progress} {...(processed > 0 ? { percent: (100 * processed) / total } : {})} />
      )}
      <p className={styles.fine} role="status">
        {check && processed === 0 ? words.checkedFirst : words.processed(processed, total)}{' '}
        {cancelled && words.cancelled}
      </p>
      {retry && !cancelled && (
        <p className={styles.fine} role="status">
          {words.retry(retry.reason, retry.attempt, new Date(retry.next_attempt_at).toLocaleTimeString('en-GB'))}
        </p>
      )}
      <div className={styles.later}>
        <Figures
          figures={[
            { name: words.figures.imported, count: success - updated, tone: 'good' },
            { name: words.figures.updated, count: updated, tone: 'plain' },
            { name: words.figures.anyDuplicates, count: duplicates, tone: 'plain' },
            { name: words.figures.failed, count: failed, tone: 'bad' },
          ]}
        />
      </div>
      <p className={`${styles.fine} ${styles.later}`}>{words.underWayHint}</p>
      {cancelling && (
        <Confirm
          bad
          title={words.cancelTitle}
          hint={words.cancelHint}
          submit={words.cancelSubmit}
          act={cancel}
          onDone={() => setCancelled(true)}
          onClose={() => setCancelling(false)}
        />
      )}
    </section>
  );
}
