import { z } from 'zod';
import type { DomainEvent } from '../../adapters/events/messages.ts';
import type { CommitRange } from '../../adapters/git/commits.ts';
import { toTimestamp, toTimestampOrNull } from '../../lib/http/routing/formats.ts';
import {
  currentStep,
  type OperationMessages,
  type OperationRecord,
  progressPercent,
} from '../../lib/operations/operation.ts';
import { type ReplayStream, ViewerLagged } from '../../lib/streams/replay-stream.ts';
import { deploymentState } from './operation.ts';
import type { deploymentStream, stepError } from './schema.ts';

/** A failure as the API returns it. */
function shownError({ error }: OperationRecord): z.output<typeof stepError> | null {
  if (!error) return null;
  const { step, message, cause, detail = null } = error;
  return { step, message, cause: cause ? { diagnosis: null, params: null, ...cause } : null, detail };
}

/** Whether a failed operation was rolled back completely; null: it did not fail. */
const isRolledBack = ({ error }: OperationRecord): boolean | null => error && (error.notPutBack ?? []).length === 0;

/** A deployment's record as the API returns it in lists. */
export function summaryOf(record: OperationRecord) {
  const release = deploymentState.safeParse(record.state).data?.release;
  return {
    id: record.id,
    tenant_id: record.subject,
    kind: record.kind,
    status: record.status,
    version: release?.version ?? null,
    ref: release?.ref ?? null,
    commit: release?.commit ?? null,
    current_step: currentStep(record),
    progress_percent: progressPercent(record),
    error: shownError(record),
    put_back: isRolledBack(record),
    created_at: toTimestamp(record.createdAt),
    started_at: toTimestampOrNull(record.startedAt),
    finished_at: toTimestampOrNull(record.finishedAt),
  };
}

/** The event that reports a change of a deployment to the rest of the manager. */
export function deploymentMessage(record: OperationRecord): Extract<DomainEvent, { type: 'deployment' }> {
  return {
    type: 'deployment',
    tenant_id: record.subject,
    deployment_id: record.id,
    kind: record.kind,
    status: record.status,
    current_step: currentStep(record),
  };
}

/** The messages of a deployment's stream. */
type Message<Type extends keyof typeof deploymentStream> = z.input<(typeof deploymentStream)[Type]>;

export const deploymentMessages = {
  progress: (record): Message<'progress'> => ({
    type: 'progress',
    deployment_id: record.id,
    status: record.status,
    current_step: currentStep(record),
    progress_percent: progressPercent(record),
  }),
  log: (message): Message<'log'> => ({ type: 'log', message, timestamp: new Date().toISOString() }),
  complete: (record): Message<'complete'> => ({
    type: 'complete',
    deployment_id: record.id,
    status: record.status,
    duration_seconds: durationSeconds(record),
    ...(record.error ? { error: shownError(record) } : {}),
  }),
} satisfies OperationMessages;

function durationSeconds(record: OperationRecord): number {
  if (!record.startedAt || !record.finishedAt) return 0;
  return Math.round((record.finishedAt.getTime() - record.startedAt.getTime()) / 1000);
}

const message = z.object({ type: z.string(), message: z.string().optional() });

/** The log lines of a stream so far, as one text; it ends at lines that were lost because the disk was full. */
export async function logText(tail: ReplayStream): Promise<string> {
  const lines: string[] = [];
  const { lastSeq } = tail;
  const done = new AbortController();
  if (lastSeq === 0) return '';
  try {
    for await (const batch of tail.follow(0, done.signal)) {
      for (const { json } of batch) {
        const { type, message: line } = message.parse(JSON.parse(json));
        if (type === 'log' && line !== undefined) lines.push(line);
      }
      if ((batch.at(-1)?.seq ?? 0) >= lastSeq) break;
    }
  } catch (error) {
    if (!(error instanceof ViewerLagged)) throw error;
    lines.push('(The following lines could not be saved)');
  }
  return lines.length === 0 ? '' : `${lines.join('\n')}\n`;
}

/** Ranges of commits as the API returns them. */
export function shownCommits(ranges: { added: CommitRange; removed: CommitRange } | null) {
  const shown = ({ total, commits }: CommitRange) => ({
    total,
    commits: commits.map(({ id, author, date, subject }) => ({ commit: id, author, date: toTimestamp(date), subject })),
  });
  return ranges && { added: shown(ranges.added), removed: shown(ranges.removed) };
}
