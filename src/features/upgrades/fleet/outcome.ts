import { AppError, messageOf } from '../../../lib/errors.ts';
import type { UpgradeOutcome } from '../single/upgrade.ts';
import type { Member } from './fleet.ts';

/** What came of the attempt to upgrade a tenant. */
export type MemberEnd =
  | {
      kind: 'ended';
      changes: Pick<Member, 'status' | 'reason'> & Partial<Pick<Member, 'operationId'>>;
      /** Why nobody else may be upgraded before a person has looked. */
      halt?: string;
    }
  /** Something else works on the tenant, or the store does not answer: it waits on, and is tried again. */
  | { kind: 'later'; reason: string }
  /** Nobody can be upgraded as things are: it waits on, and the fleet upgrade is halted. */
  | { kind: 'halt'; reason: string }
  /** The manager stops: the next one finds the upgrade by its id. */
  | { kind: 'left' };

/** How an upgrade that was begun ended. */
export function endOfUpgrade(outcome: UpgradeOutcome): MemberEnd {
  if (outcome.status === 'success') return { kind: 'ended', changes: { status: 'succeeded', reason: null } };
  const reason = outcome.status === 'cancelled' ? `Its upgrade was cancelled: ${outcome.summary}` : outcome.summary;
  const end = { kind: 'ended', changes: { status: 'failed', reason } } as const;
  // A tenant that is down is not one of the failures that may happen.
  return outcome.rollback === 'failed' ? { ...end, halt: reason } : end;
}

/** What the store's driver throws may pass; a mistake of ours does not, and must not be tried for ever. */
const mostAttempts = 10;

/**
 * What a refusal to begin means.
 * @param circumstances.isGone whether the tenant is no longer there
 * @param circumstances.attempts how often it was tried in a row, this time included
 */
export function refused(error: unknown, { isGone, attempts }: { isGone: boolean; attempts: number }): MemberEnd {
  const reason = messageOf(error);
  const ended = (status: 'failed' | 'skipped', why: string): MemberEnd => ({
    kind: 'ended',
    changes: { status, reason: why, operationId: null },
  });
  if (isGone) return ended('skipped', deleted);
  // Whether the upgrade was written down is not known: asking again with the same id tells.
  if (!(error instanceof AppError))
    return attempts < mostAttempts ? { kind: 'later', reason } : ended('failed', reason);
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

/** Why a tenant that is gone was skipped. */
export const deleted = 'Deleted';
