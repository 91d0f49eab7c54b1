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

const lifetimeMs = 30_000;
const maxUnusedPerUser = 100;

/**
 * One-time tickets for URLs that a browser opens without headers. A ticket represents the credential that created it, so it
 * ends with that session. Tickets live in memory for 30 seconds.
 */
export function createTickets(clock: Clock) {
  /** Oldest first. */
  const tickets = new Map<string, Issued>();

  function removeExpired(): void {
    const now = clock.now();
    for (const [ticket, { expiresAt }] of tickets) {
      if (expiresAt > now) return;
      tickets.delete(ticket);
    }
  }

  /** Returns the credential of a ticket and invalidates the ticket, even for a wrong path. */
  function redeem(ticket: string, path: string): Credential {
    const issued = tickets.get(ticket);
    tickets.delete(ticket);
    if (issued?.path !== path || issued.expiresAt <= clock.now()) {
      throw new AppError('unauthorized', 'The ticket is unknown, expired, already used, or for another path');
    }
    return issued.credential;
  }

  return {
    /** @throws AppError rate_limited */
    issue(userId: string, credential: Credential, path: string): { ticket: string; expiresAt: Date } {
      removeExpired();
      const unused = [...tickets.values()].filter((issued) => issued.userId === userId);
      if (unused.length >= maxUnusedPerUser) {
        throw new AppError(
          'rate_limited',
          `A user may have at most ${maxUnusedPerUser} unused tickets. Use them or wait until they expire.`,
          {
            headers: { 'Retry-After': String(lifetimeMs / 1_000) },
          },
        );
      }
      const ticket = newSecret();
      const expiresAt = new Date(clock.now().getTime() + lifetimeMs);
      tickets.set(ticket, { userId, credential, path, expiresAt });
      return { ticket, expiresAt };
    },

    /** Redeems the ticket of a query; undefined without a ticket. @throws AppError unauthorized */
    redeemFromQuery: (ticket: unknown, path: string): Credential | undefined =>
      typeof ticket === 'string' && ticket !== '' ? redeem(ticket, path) : undefined,
  };
}
