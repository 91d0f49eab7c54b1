import { useQuery } from '@tanstack/react-query';
import { Waiting } from '../../../components/feedback/waiting.tsx';
import { useHasRole } from '../../accounts/session/session.tsx';
import styles from '../lists.module.css';
import { listsText } from '../messages.ts';
import { type ListKey, type ImportResult as Result, statusQuery } from '../queries.ts';
import { type StepProps, stateOf } from '../steps/state.ts';
import { ImportForm } from './import-form.tsx';
import { ImportProgress } from './import-progress.tsx';
import { ImportResult } from './import-result.tsx';
import { UndoImport } from './undo-import.tsx';

/** The import: options, progress and result. */
export function ImportStep({ job, listKey, check }: StepProps) {
  const { data, error } = useQuery(statusQuery(listKey));
  if (!data) return <Waiting error={error} />;
  const result = data.import_result ?? job.import_result;
  const state = stateOf({ status: data.status, import_result: result });
  if (data.status === 'importing') return <ImportProgress listKey={listKey} progress={data.progress} check={check} />;
  const ended = state === 'completed' || state === 'failed' || state === 'cancelled' || state === 'undone';
  const repeatable = state !== 'completed' && !job.file_removed_at;
  return (
    <div className={styles.page}>
      {ended && result && <ImportResult job={job} listKey={listKey} state={state} result={result} />}
      {!ended && result && !result.undone_at && <EarlierImport listKey={listKey} result={result} />}
      {repeatable && <ImportForm job={job} listKey={listKey} again={ended} />}
    </div>
  );
}

/** Warns that a list whose columns were changed has already been imported with the former columns. */
function EarlierImport({ listKey, result }: { listKey: ListKey; result: Result }) {
  const operator = useHasRole('operator');
  // Its updates of existing people can't be undone.
  if (result.imported === 0 && !result.error) return null;
  const { earlier, earlierBroken } = listsText.result;
  return (
    <div className={`${styles.notice} ${styles.cardHead}`}>
      <p>{result.imported === 0 ? earlierBroken : earlier(result.imported)}</p>
      {operator && <UndoImport listKey={listKey} />}
    </div>
  );
}
