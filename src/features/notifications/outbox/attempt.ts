import { DeliveryError } from '../../../adapters/notifications/channel.ts';
import { delayAfter } from '../../../lib/concurrency/retry.ts';
import { messageOf } from '../../../lib/errors.ts';
import type { DeliveryRow } from './store.ts';

/** The first pause after a failure, and the longest. */
const firstPauseMs = 10_000;
const maxPauseMs = 3_600_000;
/** How long a delivery is repeated. */
export const deliveryLifeMs = 24 * 3_600_000;
const maxOutcomeCharacters = 1_000;

type Attempted = Pick<DeliveryRow, 'attempts' | 'expiresAt' | 'maybeTwice'>;
type Changes = Pick<DeliveryRow, 'state' | 'outcome' | 'maybeTwice'> & Partial<Pick<DeliveryRow, 'notBefore'>>;

interface Circumstances {
  now: Date;
  /** The manager ended the attempt: that is no failure of the channel. */
  stopping: boolean;
  recognizesRepetition: boolean;
}

/** What becomes of a delivery whose attempt (the last of `attempts`) failed. Any error but a `DeliveryError` came before the request. */
export function afterFailure(
  delivery: Attempted,
  error: unknown,
  { now, stopping, recognizesRepetition }: Circumstances,
): Changes {
  const { retry = true, retryAfterMs, maybeSent = false } = error instanceof DeliveryError ? error : {};
  const outcome = messageOf(error).slice(0, maxOutcomeCharacters);
  const maybeTwice = delivery.maybeTwice || (maybeSent && !recognizesRepetition);
  if (stopping) return { state: 'waiting', notBefore: now, outcome, maybeTwice };
  // Nothing is repeated, so nothing arrives twice.
  const failed = (reason: string): Changes => ({ state: 'failed', outcome: reason, maybeTwice: delivery.maybeTwice });
  if (!retry) return failed(outcome);
  const pauseMs = Math.max(delayAfter(delivery.attempts, firstPauseMs, maxPauseMs), retryAfterMs ?? 0);
  const notBefore = new Date(now.getTime() + pauseMs);
  if (notBefore > delivery.expiresAt) return failed(`${outcome} (gave up after ${delivery.attempts} attempts)`);
  return { state: 'waiting', notBefore, outcome, maybeTwice };
}
