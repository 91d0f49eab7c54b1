import { Op } from 'sequelize';
import type { Store, Transaction } from '../../../adapters/store/store.ts';
import {
  defineTable,
  id,
  instant,
  integer,
  key,
  orNull,
  ownedBy,
  parseRow,
  type RowOf,
  tableIn,
  text,
  unique,
} from '../../../adapters/store/table.ts';
import type { Page, Paging } from '../../../lib/http/routing/paging.ts';
import { type User, userColumns } from '../store.ts';

/** `browser`: a secret in a cookie; `token`: an access token for scripts. */
export const sessionKinds = ['browser', 'token'] as const;
export type SessionKind = (typeof sessionKinds)[number];

const columns = {
  id: key(id),
  userId: ownedBy('users'),
  kind: text<SessionKind>(20),
  /** Set for `browser` sessions. */
  secretHash: unique(orNull(text(64))),
  tokenVersion: integer,
  createdAt: instant,
  lastUsedAt: instant,
  expiresAt: instant,
  address: text(255),
  userAgent: text(255),
};
export const sessionsTable = defineTable('sessions', columns, { indexes: [['userId', 'createdAt'], ['expiresAt']] });
/** One sign-in of a user. */
export type Session = RowOf<typeof columns>;

/** A session with the fields of its user that authentication needs. */
export type SessionCaller = Pick<Session, 'id' | 'userId' | 'kind' | 'lastUsedAt' | 'expiresAt'> &
  Pick<User, 'username' | 'role' | 'mustChangePassword'>;

/** Run with every request: plain SQL takes half the time of Sequelize's. */
const callerBy = (condition: string) =>
  `SELECT s.id, s.user_id AS userId, s.kind, s.last_used_at AS lastUsedAt, s.expires_at AS expiresAt,
    u.username, u.role, u.must_change_password AS mustChangePassword
  FROM sessions s JOIN users u ON u.id = s.user_id
  WHERE ${condition} AND s.token_version = u.token_version AND u.disabled = 0`;
const callerById = callerBy('s.id = :id');
const callerBySecret = callerBy('s.secret_hash = :secretHash');

/** Valid sessions have the user's current token version, have not expired, and were used after `usedAfter`. */
export interface ValidSessionFilter {
  userId: string;
  tokenVersion: number;
  now: Date;
  usedAfter: Date;
}

export type SessionStore = ReturnType<typeof createSessionStore>;

export function createSessionStore(store: Store) {
  const sessions = tableIn(store, sessionsTable);

  return {
    insert: (session: Session): Promise<void> => sessions.insert(session),

    /** The session and its user, if the user is enabled. The caller checks expiry and idle time. */
    async find(
      by: { id: string } | { secretHash: string },
      transaction?: Transaction,
    ): Promise<SessionCaller | undefined> {
      const [row] = await store.select('id' in by ? callerById : callerBySecret, { ...by }, transaction);
      return row && (parseRow({ ...userColumns, ...columns }, row) as SessionCaller);
    },

    async markUsed(id: string, lastUsedAt: Date): Promise<void> {
      await sessions.update({ lastUsedAt }, { id });
    },

    list: ({ userId, tokenVersion, now, usedAfter }: ValidSessionFilter, paging: Paging): Promise<Page<Session>> =>
      sessions.page({ userId, tokenVersion, expiresAt: { [Op.gt]: now }, lastUsedAt: { [Op.gt]: usedAfter } }, paging, [
        ['lastUsedAt', 'DESC'],
        ['id', 'DESC'],
      ]),

    /** @returns whether the user has this session */
    async remove(userId: string, id: string): Promise<boolean> {
      return (await sessions.remove({ userId, id })) > 0;
    },

    async removeAll(userId: string, transaction: Transaction): Promise<void> {
      await sessions.remove({ userId }, { transaction });
    },

    async removeOthers(userId: string, keptId: string | undefined): Promise<void> {
      const others = keptId === undefined ? { userId } : { userId, id: { [Op.ne]: keptId } };
      await sessions.remove(others);
    },

    /** Removes sessions that have expired or were last used before `usedBefore`. */
    async removeEnded(now: Date, usedBefore: Date): Promise<void> {
      const ended = { [Op.or]: [{ expiresAt: { [Op.lte]: now } }, { lastUsedAt: { [Op.lte]: usedBefore } }] };
      await sessions.remove(ended);
    },
  };
}
