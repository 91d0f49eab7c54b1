import type { IncomingHttpHeaders } from 'node:http';
import type { Actor } from '../../../adapters/events/audit-log-entry.ts';
import { AppError, messageOf, notFound } from '../../../lib/errors.ts';
import type { Page, Paging } from '../../../lib/http/routing/paging.ts';
import { newId, newSecret } from '../../../lib/ids.ts';
import { type AccountContext, auditEntry } from '../context.ts';
import { signAccessToken } from '../sign-in/access-token.ts';
import type { User } from '../store.ts';
import { hashToken } from '../tokens/api-tokens.ts';
import type { Session, SessionCaller, SessionKind } from './store.ts';

/** The address and browser that a sign-in comes from. */
export interface Client {
  address: string;
  userAgent: string;
}

/** The client of a request, for the session list and login limits. */
export const clientOf = ({ ip, headers }: { ip?: string | undefined; headers: IncomingHttpHeaders }): Client => ({
  address: ip ?? 'unknown',
  userAgent: headers['user-agent'] ?? '',
});

type Owner = Actor & { userId: string };

export type Sessions = ReturnType<typeof createSessions>;

/** The last use is saved at most once a minute, so that a busy client does not write a row with every request. */
const lastUsedStepMs = 60_000;

/** One session for each sign-in; it lasts until it expires, is idle for too long, or is ended. */
export function createSessions(
  deps: AccountContext & {
    /** The key that signs access tokens. */
    key: Buffer;
    /** Maximum lifetime of a session, in seconds. */
    accessTokenTtl: number;
    /** Minutes of inactivity after which a session ends. */
    idleMinutes(): Promise<number>;
  },
) {
  const { accounts, rows, clock, writeAuditLog, accessChanged } = deps;
  const idleSince = async (): Promise<Date> => new Date(clock.now().getTime() - (await deps.idleMinutes()) * 60_000);

  return {
    /** Opens a session. @returns its access token, or the secret for the browser's cookie */
    async open(user: User, kind: SessionKind, client: Client): Promise<string> {
      const now = clock.now();
      const secret = kind === 'browser' ? newSecret() : undefined;
      const session: Session = {
        id: newId(),
        userId: user.id,
        kind,
        secretHash: secret === undefined ? null : hashToken(secret),
        tokenVersion: user.tokenVersion,
        createdAt: now,
        lastUsedAt: now,
        expiresAt: new Date(now.getTime() + deps.accessTokenTtl * 1_000),
        address: client.address.slice(0, 255),
        userAgent: client.userAgent.slice(0, 255),
      };
      await rows.insert(session);
      return secret ?? signAccessToken(user, session, deps.key);
    },

    /**
     * Returns the user of a valid session.
     * @param countsAsUse false for checks of open streams, which must not keep the session alive
     * @throws AppError unauthorized, token_expired
     */
    async use(
      by: { accessTokenOf: string } | { secret: string },
      { countsAsUse }: { countsAsUse: boolean },
    ): Promise<SessionCaller> {
      const key = 'secret' in by ? { secretHash: hashToken(by.secret) } : { id: by.accessTokenOf };
      const session = await rows.find(key);
      if (session?.kind !== ('secret' in by ? 'browser' : 'token')) {
        throw new AppError('unauthorized', 'The session has ended; log in again');
      }
      const now = clock.now();
      if (session.expiresAt <= now) throw new AppError('token_expired', 'The session has expired; log in again');
      if (session.lastUsedAt <= (await idleSince())) {
        throw new AppError('token_expired', 'The session was idle for too long; log in again');
      }
      if (countsAsUse && now.getTime() - session.lastUsedAt.getTime() >= lastUsedStepMs) {
        rows.markUsed(session.id, now).catch((error: unknown) => {
          deps.logger.warn({ message: messageOf(error) }, 'could not save the last use of a session');
        });
      }
      return session;
    },

    async list(userId: string, paging: Paging): Promise<Page<Session>> {
      const user = await accounts.findUser(userId);
      if (!user) throw notFound('user', userId);
      const valid = { userId, tokenVersion: user.tokenVersion, now: clock.now(), usedAfter: await idleSince() };
      return rows.list(valid, paging);
    },

    /** @throws AppError not_found, also for another user's session */
    async end(owner: Owner, id: string): Promise<void> {
      if (!(await rows.remove(owner.userId, id))) throw notFound('session', id);
      accessChanged();
      await writeAuditLog(auditEntry('Session ended', owner, { session_id: id }));
    },

    /** Ends all sessions of a user except the given one. */
    async endOthers(owner: Owner, keptId: string | undefined): Promise<void> {
      await rows.removeOthers(owner.userId, keptId);
      accessChanged();
      await writeAuditLog(auditEntry('All other sessions ended', owner));
    },

    /** Removes expired and idle sessions. */
    removeEnded: async (): Promise<void> => rows.removeEnded(clock.now(), await idleSince()),
  };
}
