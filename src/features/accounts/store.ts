import { col, fn, Op, UniqueConstraintError, where } from 'sequelize';
import type { Store, Transaction } from '../../adapters/store/store.ts';
import {
  defineTable,
  flag,
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
} from '../../adapters/store/table.ts';
import { AppError } from '../../lib/errors.ts';
import type { Page, Paging } from '../../lib/http/routing/paging.ts';
import type { Role } from '../../lib/http/routing/roles.ts';

export const userColumns = {
  id: key(id),
  username: unique(text(255)),
  email: text(255),
  passwordHash: text(255),
  role: text<Role>(20),
  disabled: flag,
  mustChangePassword: flag,
  /** Access tokens of any other version are invalid. */
  tokenVersion: integer,
  createdAt: instant,
  /** null: last changed before the manager recorded this. */
  passwordChangedAt: orNull(instant),
};
export const usersTable = defineTable('users', userColumns);
export type User = RowOf<typeof userColumns>;

const tokenColumns = {
  id: key(id),
  userId: ownedBy('users'),
  name: text(255),
  tokenHash: unique(text(255)),
  /** The role at creation. The token never has a higher role than its user has now. */
  role: text<Role>(20),
  createdAt: instant,
  expiresAt: instant,
  lastUsedAt: orNull(instant),
};
export const apiTokensTable = defineTable('api_tokens', tokenColumns, { indexes: [['userId', 'createdAt']] });
export type ApiToken = RowOf<typeof tokenColumns>;

export type AccountStore = ReturnType<typeof createAccountStore>;

/** Users and their API tokens. */
export function createAccountStore(store: Store) {
  const users = tableIn(store, usersTable);
  const tokens = tableIn(store, apiTokensTable);
  // Runs with every request: plain SQL takes half the time of Sequelize's.
  const userById = `SELECT ${users.selected} FROM users WHERE id = :id`;

  async function findUser(id: string, transaction?: Transaction): Promise<User | undefined> {
    const [row] = await store.select(userById, { id }, transaction);
    return row && parseRow(userColumns, row);
  }

  return {
    /** Serializes changes of users, so that rules about all users hold until the end of the transaction. */
    exclusively<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
      return store.transaction(async (transaction) => {
        await store.lock('users', transaction);
        return work(transaction);
      });
    },

    findUser,

    async findUserByName(username: string): Promise<User | undefined> {
      const found = await users.find({ username });
      // MariaDB ignores trailing blanks in comparisons.
      return found?.username === username ? found : undefined;
    },

    users: (paging: Paging): Promise<Page<User>> => users.page({}, paging, [['username', 'ASC']]),

    enabledUsers: (): Promise<Pick<User, 'id' | 'username' | 'email' | 'role'>[]> =>
      users.all({ where: { disabled: false }, only: ['id', 'username', 'email', 'role'], order: [['id', 'ASC']] }),

    /** Whether another user has this name, ignoring case: `Admin` must not be mistaken for `admin`. */
    async isNameTaken(username: string, exceptId: string, transaction: Transaction): Promise<boolean> {
      const same = where(fn('lower', col('username')), username.toLowerCase());
      return (await users.count({ [Op.and]: [same, { id: { [Op.ne]: exceptId } }] }, transaction)) > 0;
    },

    async hasUsers(transaction: Transaction): Promise<boolean> {
      return (await users.count({}, transaction)) > 0;
    },

    async hasOtherEnabledAdmin(id: string, transaction: Transaction): Promise<boolean> {
      const others = { role: 'admin' as const, disabled: false, id: { [Op.ne]: id } };
      return (await users.count(others, transaction)) > 0;
    },

    countEnabledAdmins: (): Promise<number> => users.count({ role: 'admin', disabled: false }),

    /** @throws AppError username_taken */
    async insertUser(user: User, transaction: Transaction): Promise<void> {
      await users.insert(user, transaction).catch(asNameTaken);
    },

    /** @throws AppError username_taken */
    async updateUser(id: string, changes: Partial<User>, transaction: Transaction): Promise<void> {
      await users.update(changes, { id }, transaction).catch(asNameTaken);
    },

    /** Ends all access tokens of a user. */
    async incrementTokenVersion(id: string, transaction: Transaction): Promise<void> {
      await users.model.increment('tokenVersion', { where: { id }, transaction });
    },

    /** Removes a user and, by cascade, its API tokens. */
    async removeUser(id: string, transaction: Transaction): Promise<void> {
      await users.remove({ id }, { transaction });
    },

    async insertToken(token: ApiToken, transaction: Transaction): Promise<void> {
      await tokens.insert(token, transaction);
    },

    /** A token by its hash, with its user. */
    async findTokenWithUser(tokenHash: string): Promise<{ token: ApiToken; user: User } | undefined> {
      const token = await tokens.find({ tokenHash });
      const user = token && (await findUser(token.userId));
      return user && { token, user };
    },

    listTokens: (userId: string, paging: Paging): Promise<Page<ApiToken>> => tokens.page({ userId }, paging),

    countTokens: (userId: string, transaction: Transaction): Promise<number> => tokens.count({ userId }, transaction),

    findToken: (userId: string, id: string): Promise<ApiToken | undefined> => tokens.find({ id, userId }),

    async markUsed(id: string, lastUsedAt: Date): Promise<void> {
      await tokens.update({ lastUsedAt }, { id });
    },

    async removeToken(id: string): Promise<void> {
      await tokens.remove({ id });
    },

    /** @returns the number of removed tokens */
    removeTokens: (userId: string, transaction: Transaction): Promise<number> =>
      tokens.remove({ userId }, { transaction }),
  };
}

function asNameTaken(error: unknown): never {
  if (error instanceof UniqueConstraintError)
    throw new AppError('username_taken', 'This username is already in use. Choose another one.');
  throw error;
}
