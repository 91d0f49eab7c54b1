import type { Clock } from '../../../lib/clock.ts';
import { AppError } from '../../../lib/errors.ts';
import type { Credential } from '../../../lib/http/requests/credential.ts';
import { newSecret } from '../../../lib/ids.ts';

interface Issued {
  userId: string;
  credential: Credential;
  path: string;
  expiresAt: Date;
}

export type Tickets = ReturnType<typeof createTickets>;

const lifeMs = 30_000;
const maxUnusedPerUser = 100;

/**
 * One-time tickets for addresses that a browser opens without headers. A ticket stands for the credential it was made with, so it
 * ends with that session. Tickets are kept in memory: they live for 30 seconds.
 */
export function createTickets(clock: Clock) {
  /** The oldest first. */
  const tickets = new Map<string, Issued>();

  function removeExpired(): void {
    const now = clock.now();
    for (const [ticket, { expiresAt }] of tickets) {
      if (expiresAt > now) return;
      tickets.delete(ticket);
    }
  }

  /** The credential behind a ticket, which is used up by this, also where the path is another. */
  function redeem(ticket: string, path: string): Credential {
    const issued = tickets.get(ticket);
    tickets.delete(ticket);
    if (issued?.path !== path || issued.expiresAt <= clock.now()) {
      throw new AppError('unauthorized', 'The ticket is unknown, expired, used, or for another path');
    }
    return issued.credential;
  }

  return {
    /** @throws AppError rate_limited */
    issue(userId: string, credential: Credential, path: string): { ticket: string; expiresAt: Date } {
      removeExpired();
      const unused = [...tickets.values()].filter((issued) => issued.userId === userId);
      if (unused.length >= maxUnusedPerUser) {
        throw new AppError('rate_limited', `At most ${maxUnusedPerUser} unused tickets for one user`, {
          headers: { 'Retry-After': String(lifeMs / 1_000) },
        });
      }
      const ticket = newSecret();
      const expiresAt = new Date(clock.now().getTime() + lifeMs);
      tickets.set(ticket, { userId, credential, path, expiresAt });
      return { ticket, expiresAt };
    },

    /** The credential behind a ticket in a query, which is used up; undefined where there is none. @throws AppError unauthorized */
    redeemFromQuery: (ticket: unknown, path: string): Credential | undefined =>
      typeof ticket === 'string' && ticket !== '' ? redeem(ticket, path) : undefined,
  };
}
