import { col, DataTypes, fn, type Model, Op, UniqueConstraintError, where } from 'sequelize';
import {
  fromRawInstant,
  fromRawInstantOrNull,
  idType,
  instant,
  type RawInstant,
} from '../../adapters/store/columns.ts';
import type { Store, Transaction } from '../../adapters/store/store.ts';
import { AppError } from '../../lib/errors.ts';
import type { Page, Paging } from '../../lib/http/routing/paging.ts';
import type { Role } from '../../lib/http/routing/roles.ts';

export interface User {
  id: string;
  username: string;
  email: string;
  passwordHash: string;
  role: Role;
  disabled: boolean;
  mustChangePassword: boolean;
  /** Access tokens of any other version are invalid. */
  tokenVersion: number;
  createdAt: Date;
  /** null: last changed before the manager recorded this. */
  passwordChangedAt: Date | null;
}

export interface ApiToken {
  id: string;
  userId: string;
  name: string;
  tokenHash: string;
  /** The role at creation. The token never has a higher role than its user has now. */
  role: Role;
  createdAt: Date;
  expiresAt: Date;
  lastUsedAt: Date | null;
}

type TokenRow = Model<ApiToken> & { user?: Model<User> };

/** A user's row in the database. */
type RawUser = Omit<User, 'disabled' | 'mustChangePassword' | 'createdAt' | 'passwordChangedAt'> & {
  disabled: boolean | number;
  mustChangePassword: boolean | number;
  createdAt: RawInstant;
  passwordChangedAt: RawInstant | null;
};

const fromRaw = (row: RawUser): User => ({
  ...row,
  disabled: Boolean(row.disabled),
  mustChangePassword: Boolean(row.mustChangePassword),
  createdAt: fromRawInstant(row.createdAt),
  passwordChangedAt: fromRawInstantOrNull(row.passwordChangedAt),
});

export type AccountStore = ReturnType<typeof createAccountStore>;

/** Users and their API tokens. */
export function createAccountStore(store: Store) {
  // Sequelize changes a column's options, so each column needs its own object.
  const text = () => ({ type: DataTypes.STRING(255), allowNull: false });
  const flag = () => ({ type: DataTypes.BOOLEAN, allowNull: false });
  const listUsers = store.sequelize.define<Model<User>>(
    'User',
    {
      id: { type: idType, primaryKey: true },
      username: text(),
      email: text(),
      passwordHash: text(),
      role: { type: DataTypes.STRING(20), allowNull: false },
      disabled: flag(),
      mustChangePassword: flag(),
      tokenVersion: { type: DataTypes.INTEGER, allowNull: false },
      createdAt: { type: instant, allowNull: false },
      passwordChangedAt: instant,
    },
    { tableName: 'users' },
  );
  const tokens = store.sequelize.define<TokenRow>(
    'ApiToken',
    {
      id: { type: idType, primaryKey: true },
      userId: { type: idType, allowNull: false },
      name: text(),
      tokenHash: text(),
      role: { type: DataTypes.STRING(20), allowNull: false },
      createdAt: { type: instant, allowNull: false },
      expiresAt: { type: instant, allowNull: false },
      lastUsedAt: instant,
    },
    { tableName: 'api_tokens' },
  );
  const userColumns = Object.entries(listUsers.getAttributes())
    .map(([name, { field }]) => `${field} AS ${name}`)
    .join(', ');
  tokens.belongsTo(listUsers, { as: 'user', foreignKey: 'userId' });

  return {
    /** Serializes changes of users, so that rules about all users hold until the end of the transaction. */
    exclusively<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
      return store.transaction(async (transaction) => {
        await store.lock('users', transaction);
        return work(transaction);
      });
    },

    async findUser(id: string, transaction?: Transaction): Promise<User | undefined> {
      // Runs with every request: plain SQL takes a third of the time of a model query.
      const [row] = await store.select<RawUser>(`SELECT ${userColumns} FROM users WHERE id = :id`, { id }, transaction);
      return row && fromRaw(row);
    },

    async findUserByName(username: string): Promise<User | undefined> {
      const found = (await listUsers.findOne({ where: { username } }))?.get();
      // MariaDB ignores trailing blanks in comparisons.
      return found?.username === username ? found : undefined;
    },

    async users({ limit, offset }: Paging): Promise<Page<User>> {
      const { rows, count } = await listUsers.findAndCountAll({ order: [['username', 'ASC']], limit, offset });
      return { items: rows.map((row) => row.get()), total: count };
    },

    /** Whether another user has this name, ignoring case: `Admin` must not be mistaken for `admin`. */
    async isNameTaken(username: string, exceptId: string, transaction: Transaction): Promise<boolean> {
      const same = where(fn('lower', col('username')), username.toLowerCase());
      const others = { [Op.and]: [same, { id: { [Op.ne]: exceptId } }] };
      return (await listUsers.count({ where: others, transaction })) > 0;
    },

    async hasUsers(transaction: Transaction): Promise<boolean> {
      return (await listUsers.count({ transaction })) > 0;
    },

    async hasOtherEnabledAdmin(id: string, transaction: Transaction): Promise<boolean> {
      const others = { role: 'admin' as const, disabled: false, id: { [Op.ne]: id } };
      return (await listUsers.count({ where: others, transaction })) > 0;
    },

    /** @throws AppError username_taken */
    async insertUser(user: User, transaction: Transaction): Promise<void> {
      await listUsers.create(user, { transaction }).catch(asNameTaken);
    },

    /** @throws AppError username_taken */
    async updateUser(id: string, changes: Partial<User>, transaction: Transaction): Promise<void> {
      await listUsers.update(changes, { where: { id }, transaction }).catch(asNameTaken);
    },

    /** Ends all access tokens of a user. */
    async incrementTokenVersion(id: string, transaction: Transaction): Promise<void> {
      await listUsers.increment('tokenVersion', { where: { id }, transaction });
    },

    /** Removes a user and, by cascade, its API tokens. */
    async removeUser(id: string, transaction: Transaction): Promise<void> {
      await listUsers.destroy({ where: { id }, transaction });
    },

    async insertToken(token: ApiToken, transaction: Transaction): Promise<void> {
      await tokens.create(token, { transaction });
    },

    /** A token by its hash, with its user, in one query. */
    async findTokenWithUser(tokenHash: string): Promise<{ token: ApiToken; user: User } | undefined> {
      const row = await tokens.findOne({
        where: { tokenHash },
        include: [{ model: listUsers, as: 'user', required: true }],
      });
      const owner = row?.user;
      return row && owner ? { token: row.get(), user: owner.get() } : undefined;
    },

    async listTokens(userId: string, { limit, offset }: Paging): Promise<Page<ApiToken>> {
      const { rows, count } = await tokens.findAndCountAll({
        where: { userId },
        order: [
          ['createdAt', 'DESC'],
          ['id', 'DESC'],
        ],
        limit,
        offset,
      });
      return { items: rows.map((row) => row.get()), total: count };
    },

    countTokens: (userId: string, transaction: Transaction): Promise<number> =>
      tokens.count({ where: { userId }, transaction }),

    async findToken(userId: string, id: string): Promise<ApiToken | undefined> {
      return (await tokens.findOne({ where: { id, userId } }))?.get();
    },

    async markUsed(id: string, lastUsedAt: Date): Promise<void> {
      await tokens.update({ lastUsedAt }, { where: { id } });
    },

    async removeToken(id: string): Promise<void> {
      await tokens.destroy({ where: { id } });
    },

    /** @returns the number of removed tokens */
    removeTokens: (userId: string, transaction: Transaction): Promise<number> =>
      tokens.destroy({ where: { userId }, transaction }),
  };
}

function asNameTaken(error: unknown): never {
  if (error instanceof UniqueConstraintError)
    throw new AppError('username_taken', 'This username is already in use. Choose another one.');
  throw error;
}
