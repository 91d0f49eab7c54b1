import { useQuery } from '@tanstack/react-query';
import { Waiting } from '../../../components/feedback/waiting.tsx';
import styles from '../lists.module.css';
import { statusQuery } from '../queries.ts';
import { type StepProps, stateOf } from '../steps/state.ts';
import { EarlierImport } from './earlier-import.tsx';
import { ImportForm } from './import-form.tsx';
import { ImportProgress } from './import-progress.tsx';
import { ImportResult } from './import-result.tsx';

/** The import: how it is to be done, how far it has got, and what it came to. */
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
