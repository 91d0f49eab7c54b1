import { QueryTypes, type Sequelize, type Transaction } from 'sequelize';

/** The lease that a store's writes depend on. */
export interface WriteLease {
  token: number;
  /** Called when another manager has taken over. */
  onLost(): never;
}

/** Statements that change rows; the schema is changed by migrations alone, under the lease. */
const writes = /^\s*(?:INSERT|UPDATE|DELETE|REPLACE)\b/i;

/** Locks the token's row until the transaction ends: a takeover waits for that. */
const proof = "SELECT token FROM manager_token WHERE name = 'manager' AND token = ? LOCK IN SHARE MODE";

/**
 * Makes every write of a store prove its lease in the same transaction; a write outside one gets its own. So a manager that lost its
 * lease changes nothing, at whatever statement it lost it.
 */
export function fenceWrites(sequelize: Sequelize, { token, onLost }: WriteLease): void {
  const query = sequelize.query.bind(sequelize) as (sql: Sql, options?: Options) => Promise<unknown>;
  const proven = new WeakSet<Transaction>();

  async function prove(transaction: Transaction): Promise<void> {
    if (proven.has(transaction)) return;
    const rows = await query(proof, { replacements: [token], transaction, type: QueryTypes.SELECT });
    if ((rows as unknown[]).length === 0) onLost();
    proven.add(transaction);
  }
  async function fenced(sql: Sql, options: Options = {}): Promise<unknown> {
    if (!writes.test(typeof sql === 'string' ? sql : sql.query)) return query(sql, options);
    const { transaction } = options;
    if (!transaction) return sequelize.transaction((own) => fenced(sql, { ...options, transaction: own }));
    await prove(transaction);
    return query(sql, options);
  }
  sequelize.query = fenced as Sequelize['query'];
}

type Sql = string | { query: string; values: unknown[] };

interface Options {
  transaction?: Transaction | null;
  replacements?: unknown[];
  type?: QueryTypes.SELECT;
}
