import type { Actor, AuditLogEntry } from '../../adapters/events/audit-log-entry.ts';
import type { Tenant } from '../tenants/tenant.ts';
import type { DuplicateChoice, ValidateResult } from './rows/tasks.ts';

export const jobStatuses = ['pending', 'analyzing', 'ready', 'importing', 'completed', 'failed'] as const;
export type JobStatus = (typeof jobStatuses)[number];

/** How far an import has got, in rows of the list. `success` = imported + updated; `failed` counts rejected rows too. */
export interface Progress {
  total: number;
  processed: number;
  success: number;
  failed: number;
  duplicates: number;
  updated: number;
  /** Only while the manager waits to send a part again. */
  retry?: Retry;
}

/** A part that the tenant did not take, and when it is sent again. Field names are the wire's. */
export interface Retry {
  /** The number of the next attempt, from 2. */
  attempt: number;
  next_attempt_at: string;
  reason: string;
}

/** Options of an import. */
export interface ExecuteOptions {
  skipDuplicates: boolean;
  updateExisting: boolean;
  /** Left out: the tenant gets all rows, and `skipDuplicates` and `updateExisting` apply to each. */
  duplicatesInFile?: DuplicateChoice;
  tags: string[];
  listName: string;
}

/** How an import ended. Field names are the wire's. */
export interface ImportResult extends Omit<Progress, 'retry'> {
  batch_id: string;
  imported: number;
  /** Why it failed; absent where it did not. */
  error?: string;
  /** Rows counted as duplicates (with `update_existing`: as updated) for an earlier row of the file; of a whole import alone. */
  duplicates_in_file?: number;
  started_at: string;
  finished_at: string;
  /** When its persons were taken out of the tenant again, and how many. */
  undone_at?: string;
  removed?: number;
}

/** What a validation found, without the rows' own values. */
export interface ValidationSummary
  extends Pick<ValidateResult, 'total' | 'valid_count' | 'error_count' | 'warning_count' | 'summary'> {
  /** Rows that the tenant's application knows already; null if it could not check. */
  tenant_duplicates: { checked: number; found: number } | null;
  validated_at: string;
}

/** How many of the valid rows repeat a person of an earlier row. */
export const duplicateCount = ({ summary }: Pick<ValidationSummary, 'summary'>): number =>
  summary.find(({ code }) => code === 'duplicate_in_file')?.count ?? 0;

/** A list's status as a sentence: `The list “people.csv” is being imported`. */
export const statusSentence = (job: { filename: string; status: JobStatus }): string =>
  `The list “${job.filename}” ${statusPhrases[job.status]}`;

const statusPhrases: Record<JobStatus, string> = {
  pending: 'has no mappings yet',
  analyzing: 'is being analysed',
  ready: 'is ready',
  importing: 'is being imported',
  completed: 'is imported',
  failed: 'was only partly imported',
};

/** The batch that the tenant's application knows a run of an import by. */
export const batchOf = ({ id, run }: { id: string; run: number }): string => (run === 1 ? id : `${id}.${run}`);

export const noProgress = (total: number): Progress => ({
  total,
  processed: 0,
  success: 0,
  failed: 0,
  duplicates: 0,
  updated: 0,
});

/** The audit entry of an action on a list; never contains the list's contents. */
export const audit = (
  tenant: Tenant,
  { id, filename }: { id: string; filename: string },
  actor: Actor,
  what: string,
  details: Record<string, unknown> = {},
): AuditLogEntry => ({
  level: 'info',
  category: 'audit',
  message: `${actor.username} ${what}`,
  tenant,
  details: { user_id: actor.userId, username: actor.username, job_id: id, filename, ...details },
});
