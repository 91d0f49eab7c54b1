import type { Sequelize, Transaction } from 'sequelize';

/** Statements that change rows; the schema is changed by migrations alone, under the lease. */
const writes = /^\s*(?:INSERT|UPDATE|DELETE|REPLACE)\b/i;

/**
 * Makes every write of a store depend on a proof, in the same transaction; a write outside one gets its own. So a manager that
 * lost its lease changes nothing, at whatever statement it lost it.
 * @param prove fails unless the lease is held, and keeps it so until the transaction ends
 */
export function fenceWrites(sequelize: Sequelize, prove: (transaction: Transaction) => Promise<void>): void {
  const unfenced = sequelize.query.bind(sequelize) as (sql: Sql, options?: Options) => Promise<unknown>;
  const proven = new WeakSet<Transaction>();

  async function fenced(sql: Sql, options: Options = {}): Promise<unknown> {
    if (!writes.test(typeof sql === 'string' ? sql : sql.query)) return unfenced(sql, options);
    const { transaction } = options;
    if (!transaction) return sequelize.transaction((own) => fenced(sql, { ...options, transaction: own }));
    if (!proven.has(transaction)) {
      await prove(transaction);
      proven.add(transaction);
    }
    return unfenced(sql, options);
  }
  sequelize.query = fenced as Sequelize['query'];
}

type Sql = string | { query: string; values: unknown[] };

interface Options {
  transaction?: Transaction | null;
}
