import type { OperationRecord, OperationStatus } from '../../../lib/operations/operation.ts';
import { outcomeOf } from '../single/outcome.ts';
import { type Failed, type Succeeded, upgradeInput } from '../single/upgrade.ts';
import { rehearsalInput } from './rehearsal.ts';
import { type Rehearsal, rehearsalFailure, rehearsalOf } from './rehearsal-service.ts';

/** The result of an upgrade or a rehearsal, for clients that did not wait for the response. */
export interface UpgradeReport {
  id: string;
  kind: 'upgrade' | 'rehearsal';
  status: OperationStatus;
  previousVersion: string | null;
  newVersion: string | null;
  /** What went wrong, and the tenant's state; null while it runs and after a success. */
  failure: { reason: string; rollback: Failed['rollback'] } | null;
  upgraded: Succeeded | null;
  rehearsed: Rehearsal | null;
}

const hasEnded = (status: OperationStatus): boolean => status !== 'queued' && status !== 'running';

/** @param slug the tenant's @returns undefined if the record is of neither kind */
export function reportOf(record: OperationRecord, slug: string): UpgradeReport | undefined {
  const { id, status } = record;
  const open = { id, status, failure: null, upgraded: null, rehearsed: null };
  if (record.kind === 'rehearsal') {
    const { previous, version } = rehearsalInput.parse(record.input);
    const about = { ...open, kind: record.kind, previousVersion: previous, newVersion: version } as const;
    if (!hasEnded(status)) return about;
    const rehearsed = rehearsalOf(record);
    if (rehearsed) return { ...about, rehearsed };
    return { ...about, failure: { reason: rehearsalFailure(record), rollback: 'not_needed' } };
  }
  if (record.kind !== 'upgrade') return undefined;
  const { previous, target } = upgradeInput.parse(record.input);
  const about = {
    ...open,
    kind: record.kind,
    previousVersion: previous.version,
    newVersion: target.version,
  } as const;
  if (!hasEnded(status)) return about;
  const outcome = outcomeOf(record, slug);
  if (outcome.status === 'success') return { ...about, upgraded: outcome };
  return { ...about, failure: { reason: outcome.reason, rollback: outcome.rollback } };
}
