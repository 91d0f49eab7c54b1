import { useState } from 'react';
import { api, dataOf } from '../../../api/client.ts';
import parts from '../../../components/components.module.css';
import { Progress } from '../../../components/data/progress.tsx';
import { clockText } from '../../../components/data/time.tsx';
import { Confirm } from '../../../components/feedback/confirm.tsx';
import { Button } from '../../../components/form/button.tsx';
import { useHasRole } from '../../accounts/session/session.tsx';
import { RowsProgress } from '../check/rows-progress.tsx';
import styles from '../lists.module.css';
import { listsText } from '../messages.ts';
import { type ImportStatus, pathOf } from '../queries.ts';
import { Figures } from '../steps/figures.tsx';
import type { StepProps } from '../steps/state.ts';

interface ImportProgressProps extends Omit<StepProps, 'job'> {
  progress: ImportStatus['progress'];
}

/** Progress of an import; unchecked rows are checked first. */
export function ImportProgress({ listKey, progress, check }: ImportProgressProps) {
  const operator = useHasRole('operator');
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
          {words.retry(retry.reason, retry.attempt, clockText(retry.next_attempt_at))}
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
