import type { ListJob, ListKey } from '../queries.ts';

export const stepNames = ['preview', 'columns', 'check', 'import'] as const;
export type Step = (typeof stepNames)[number];

/** Rows that a check has read. If all: it is looking for people who are already in the tenant. */
export interface RowsRead {
  total: number;
  processed: number;
}

/** A step's props. */
export interface StepProps {
  job: ListJob;
  listKey: ListKey;
  /** Progress of a running check of the rows. */
  check?: RowsRead | undefined;
}

/** A list's state. */
type State = 'pending' | 'analyzing' | 'ready' | 'importing' | 'completed' | 'failed' | 'cancelled' | 'undone';

/** @returns the key of `listsText.states` */
export function stateOf({ status, import_result: result }: Pick<ListJob, 'status' | 'import_result'>): State {
  if (status === 'failed' && result?.error === 'Cancelled') return 'cancelled';
  if (status === 'ready' && result?.undone_at) return 'undone';
  return status;
}

/** Whether an import is running or has ended and is not invalidated by another mapping or reading. */
const wasRun = ({ status, import_result: result }: ListJob): boolean =>
  status === 'importing' || status === 'completed' || (status === 'failed' && result !== null);

/** The reachable steps. */
export function openSteps(job: ListJob, complete: boolean): ReadonlySet<Step> {
  const steps = new Set<Step>();
  if (!job.file_removed_at) {
    if (job.status !== 'importing') steps.add('preview').add('columns');
    if (complete && !['pending', 'analyzing', 'importing'].includes(job.status)) steps.add('check').add('import');
  }
  if (wasRun(job) || job.import_result) steps.add('import');
  return steps;
}

/** The steps done. */
export function doneSteps(job: ListJob): ReadonlySet<Step> {
  if (job.status === 'completed') return new Set(stepNames);
  if (wasRun(job) || job.validation_result) return new Set<Step>(['preview', 'columns', 'check']);
  return new Set();
}

/** The URL of a list's next step. */
export function stepNow(job: ListJob): Step {
  if (wasRun(job) || job.file_removed_at || stateOf(job) === 'undone') return 'import';
  if (job.status === 'ready') return job.validation_result ? 'check' : 'columns';
  return 'preview';
}
