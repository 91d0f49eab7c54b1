import { AppError, messageOf } from '../../../lib/errors.ts';
import type { UpgradeOutcome } from '../single/upgrade.ts';
import type { Member } from './store.ts';

/** The result of an attempt to upgrade a tenant. */
export type MemberEnd =
  | {
      kind: 'ended';
      changes: Pick<Member, 'status' | 'reason'> & Partial<Pick<Member, 'operationId'>>;
      /** Why no other tenant may be upgraded before a user has intervened. */
      halt?: string;
    }
  /** The tenant is busy or the store does not answer: it keeps waiting for another attempt; `again`: with another operation. */
  | { kind: 'later'; reason: string; again?: true }
  /** No tenant can be upgraded now: it keeps waiting, and the fleet upgrade is halted. */
  | { kind: 'halt'; reason: string }
  /** The manager is stopping: it finds the upgrade by its id after its restart. */
  | { kind: 'left' };

/** The result of a finished upgrade. */
export function resultOfUpgrade(outcome: UpgradeOutcome): MemberEnd {
  if (outcome.status === 'success') return { kind: 'ended', changes: { status: 'succeeded', reason: null } };
  // The manager's own fault says nothing about the version.
  if (outcome.code === 'internal_error' && outcome.rollback !== 'failed')
    return { kind: 'later', reason: outcome.summary, again: true };
  const reason = outcome.status === 'cancelled' ? `Its upgrade was cancelled: ${outcome.summary}` : outcome.summary;
  const end = { kind: 'ended', changes: { status: 'failed', reason } } as const;
  // A tenant that is down always halts the fleet upgrade, whatever `maxFailures` allows.
  return outcome.rollback === 'failed' ? { ...end, halt: reason } : end;
}

/** Errors of the store's driver may be transient; a programming error is not and must not be retried forever. */
const maxAttempts = 10;

/**
 * The result of an upgrade that could not start.
 * @param circumstances.isGone whether the tenant was deleted
 * @param circumstances.attempts attempts in a row, including this one
 */
export function resultOfRefusal(
  error: unknown,
  { isGone, attempts }: { isGone: boolean; attempts: number },
): MemberEnd {
  const reason = messageOf(error);
  const ended = (status: 'failed' | 'skipped', why: string): MemberEnd => ({
    kind: 'ended',
    changes: { status, reason: why, operationId: null },
  });
  if (isGone) return ended('skipped', deleted);
  // The upgrade may have been saved: another attempt with the same id finds it.
  if (!(error instanceof AppError)) return attempts < maxAttempts ? { kind: 'later', reason } : ended('failed', reason);
  switch (error.code) {
    case 'shutting_down':
      return { kind: 'left' };
    case 'operation_in_progress':
    case 'database_unavailable':
      return { kind: 'later', reason };
    case 'runtime_unavailable':
    case 'insufficient_storage':
      return { kind: 'halt', reason };
    case 'not_deployed':
    case 'already_latest':
    case 'downgrade_refused':
      return ended('skipped', reason);
    default:
      return ended('failed', reason);
  }
}

/** Why a deleted tenant was skipped. */
export const deleted = 'Deleted';
