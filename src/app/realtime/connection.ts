import { type AppError, statusOfCode } from '../../lib/errors.ts';
import type { WatchEnd } from '../../lib/streams/watch.ts';

/** Close codes: the standard's, and 4401 of our own. */
export const closeCodes = {
  normal: 1000,
  goingAway: 1001,
  policy: 1008,
  failed: 1011,
  tooSlow: 1013,
  unauthorized: 4401,
} as const;

/** How a client is notified of the end of a watch. */
export const endOf: Record<WatchEnd, { code: number; reason: string }> = {
  ended: { code: closeCodes.normal, reason: 'the stream has ended' },
  lagged: { code: closeCodes.tooSlow, reason: 'too slow; come back with since' },
  unreadable: { code: closeCodes.failed, reason: 'the stream can not be read' },
};

/** One open connection, of whichever kind, as the watch over all of them sees it. */
export interface Connection {
  /** The caller is refused, or could not be checked. */
  revoke(error: AppError): void;
  /** Drops the connection if it is stalled longer than allowed; called about once a second. */
  dropIfStalled(limit: number): void;
  /** Once a heartbeat: asks the peer for a sign of life, and drops one that has given none since the last time. */
  heartbeat(): void;
  /** The manager stops. */
  goAway(): void;
}

/** Whether the caller is refused (401, 403), not only unchecked. */
export const isRefusal = ({ code }: AppError): boolean => statusOfCode[code] < 500;
