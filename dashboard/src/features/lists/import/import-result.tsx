import type { ReactNode } from 'react';
import parts from '../../../components/components.module.css';
import { Time } from '../../../components/data/time.tsx';
import { ButtonLink, OutLink } from '../../../components/form/button.tsx';
import { plainText } from '../../../components/log/plain-text.ts';
import { useHasRole } from '../../accounts/session/session.tsx';
import { siteOf } from '../../tenant/next-action.tsx';
import { useTenant } from '../../tenant/tenant-page.tsx';
import { RejectedRows } from '../check/rejected-rows.tsx';
import styles from '../lists.module.css';
import { listsText } from '../messages.ts';
import type { ImportResult as Result } from '../queries.ts';
import { Figures } from '../steps/figures.tsx';
import type { StepProps } from '../steps/state.ts';
import { UndoImport } from './undo-import.tsx';

interface ImportResultProps extends StepProps {
  state: 'completed' | 'failed' | 'cancelled' | 'undone';
  result: Result;
}

/** An import's result and its actions. */
export function ImportResult({ job, listKey, state, result }: ImportResultProps) {
  const tenant = useTenant();
  const operator = useHasRole('operator');
  const { imported, failed, started_at, finished_at, duplicates_in_file: inFile = 0 } = result;
  const merged = result.updated > 0 ? inFile : 0;
  const words = listsText.result;
  const { figures } = listsText.run;
  const [title, hint] = wordsOf(state, result, plainText(job.filename));
  const taken = state === 'undone';
  return (
    <section className={`${parts.card} ${styles.result}`} data-state={state} aria-live="polite">
      <div>
        <h2>{title}</h2>
        <p className={styles.fine}>{hint}</p>
      </div>
      {!taken && (
        <Figures
          figures={[
            { name: figures.imported, count: imported, tone: 'good' },
            { name: figures.updated, count: result.updated - merged, tone: 'plain' },
            {
              name: result.duplicates_in_file === undefined ? figures.anyDuplicates : figures.duplicates,
              count: result.duplicates - (inFile - merged),
              tone: 'plain',
            },
            { name: figures.inFile, count: inFile, tone: 'plain' },
            { name: figures.failed, count: failed, tone: 'bad' },
          ]}
        />
      )}
      <p className={styles.fine}>
        {words.began} <Time at={started_at} />, {words.finished.toLowerCase()} <Time at={finished_at} />
      </p>
      <div className={styles.actions}>
        {state === 'completed' && (
          <OutLink variant="primary" href={siteOf(tenant)}>
            {words.open}
          </OutLink>
        )}
        {operator && failed > 0 && !job.file_removed_at && !taken && <RejectedRows listKey={listKey} />}
        {operator && state === 'completed' && (
          <ButtonLink to={`/tenants/${listKey.tenantId}/lists`}>{words.another}</ButtonLink>
        )}
        {operator && !taken && (imported > 0 || state !== 'completed') && <UndoImport listKey={listKey} />}
      </div>
    </section>
  );
}

function wordsOf(state: ImportResultProps['state'], result: Result, name: string): [title: string, hint: ReactNode] {
  const { done, noneNew, doneHint, failed, cancelled, stopped, undone, undoneHint } = listsText.result;
  switch (state) {
    case 'completed':
      return [result.imported > 0 ? done(result.imported) : noneNew, doneHint(name)];
    case 'undone':
      return [undone, undoneHint(result.removed ?? 0)];
    case 'cancelled':
      return [cancelled, stopped(result.imported)];
    case 'failed':
      return [
        failed,
        <>
          <strong className={styles.why}>{plainText(result.error ?? '')}</strong> {stopped(result.imported)}
        </>,
      ];
    default:
      return state satisfies never;
  }
}
