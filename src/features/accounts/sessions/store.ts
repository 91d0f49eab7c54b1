import { DataTypes, type Model, Op } from 'sequelize';
import { fromRawInstant, idType, instant, type RawInstant } from '../../../adapters/store/columns.ts';
import type { Store, Transaction } from '../../../adapters/store/store.ts';
import type { Page, Paging } from '../../../lib/http/routing/paging.ts';
import type { Role } from '../../../lib/http/routing/roles.ts';

/** `browser`: a secret in a cookie; `token`: an access token for scripts. */
export const sessionKinds = ['browser', 'token'] as const;
export type SessionKind = (typeof sessionKinds)[number];

/** One sign-in of a user. */
export interface Session {
  id: string;
  userId: string;
  kind: SessionKind;
  /** Set for `browser` sessions. */
  secretHash: string | null;
  tokenVersion: number;
  createdAt: Date;
  lastUsedAt: Date;
  expiresAt: Date;
  address: string;
  userAgent: string;
}

/** A session with the fields of its user that authentication needs. */
export interface SessionCaller extends Pick<Session, 'id' | 'userId' | 'kind' | 'lastUsedAt' | 'expiresAt'> {
  username: string;
  role: Role;
  mustChangePassword: boolean;
}

type RawCaller = Omit<SessionCaller, 'lastUsedAt' | 'expiresAt' | 'mustChangePassword'> & {
  lastUsedAt: RawInstant;
  expiresAt: RawInstant;
  mustChangePassword: boolean | number;
};

/** Valid sessions have the user's current token version, have not expired, and were used after `usedAfter`. */
export interface ValidSessionFilter {
  userId: string;
  tokenVersion: number;
  now: Date;
  usedAfter: Date;
}

export type SessionStore = ReturnType<typeof createSessionStore>;

export function createSessionStore(store: Store) {
  const text = () => ({ type: DataTypes.STRING(255), allowNull: false });
  const time = () => ({ type: instant, allowNull: false });
  const sessions = store.sequelize.define<Model<Session>>(
    'Session',
    {
      id: { type: idType, primaryKey: true },
      userId: { type: idType, allowNull: false },
      kind: { type: DataTypes.STRING(20), allowNull: false },
      secretHash: DataTypes.STRING(64),
      tokenVersion: { type: DataTypes.INTEGER, allowNull: false },
      createdAt: time(),
      lastUsedAt: time(),
      expiresAt: time(),
      address: text(),
      userAgent: text(),
    },
    { tableName: 'sessions' },
  );

  return {
    async insert(session: Session): Promise<void> {
      await sessions.create(session);
    },

    /** The session and its user, if the user is enabled. The caller checks expiry and idle time. */
    async find(
      by: { id: string } | { secretHash: string },
      transaction?: Transaction,
    ): Promise<SessionCaller | undefined> {
      const where = 'id' in by ? 's.id = :id' : 's.secret_hash = :secretHash';
      // Runs with every request: plain SQL takes a third of the time of a model query.
      const [row] = await store.select<RawCaller>(
        `SELECT s.id, s.user_id AS userId, s.kind, s.last_used_at AS lastUsedAt, s.expires_at AS expiresAt,
          u.username, u.role, u.must_change_password AS mustChangePassword
        FROM sessions s JOIN users u ON u.id = s.user_id
        WHERE ${where} AND s.token_version = u.token_version AND u.disabled = 0`,
        { ...by },
        transaction,
      );
      if (!row) return undefined;
      return {
        ...row,
        lastUsedAt: fromRawInstant(row.lastUsedAt),
        expiresAt: fromRawInstant(row.expiresAt),
        mustChangePassword: Boolean(row.mustChangePassword),
      };
    },

    async markUsed(id: string, lastUsedAt: Date): Promise<void> {
      await sessions.update({ lastUsedAt }, { where: { id } });
    },

    async list(
      { userId, tokenVersion, now, usedAfter }: ValidSessionFilter,
      { limit, offset }: Paging,
    ): Promise<Page<Session>> {
      const { rows, count } = await sessions.findAndCountAll({
        where: { userId, tokenVersion, expiresAt: { [Op.gt]: now }, lastUsedAt: { [Op.gt]: usedAfter } },
        order: [
          ['lastUsedAt', 'DESC'],
          ['id', 'DESC'],
        ],
        limit,
        offset,
      });
      return { items: rows.map((row) => row.get()), total: count };
    },

    /** @returns whether the user has this session */
    async remove(userId: string, id: string): Promise<boolean> {
      return (await sessions.destroy({ where: { userId, id } })) > 0;
    },

    async removeAll(userId: string, transaction: Transaction): Promise<void> {
      await sessions.destroy({ where: { userId }, transaction });
    },

    async removeOthers(userId: string, keptId: string | undefined): Promise<void> {
      const others = keptId === undefined ? { userId } : { userId, id: { [Op.ne]: keptId } };
      await sessions.destroy({ where: others });
    },

    /** Removes sessions that have expired or were last used before `usedBefore`. */
    async removeEnded(now: Date, usedBefore: Date): Promise<void> {
      const ended = { [Op.or]: [{ expiresAt: { [Op.lte]: now } }, { lastUsedAt: { [Op.lte]: usedBefore } }] };
      await sessions.destroy({ where: ended });
    },
  };
}
