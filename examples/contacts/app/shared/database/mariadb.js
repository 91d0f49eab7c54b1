import { createPool } from 'mysql2/promise';

/** @type {import('./database.js').Words} */
const words = {
  insertIgnore: 'INSERT IGNORE',
  overwrite: (columns) => ` ON DUPLICATE KEY UPDATE ${columns.map((name) => `${name} = VALUES(${name})`).join(', ')}`,
  // Compares by code point, as SQLite does, so that both engines sort and distinguish texts in the same way.
  tableOptions: ' ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin',
  longText: 'MEDIUMTEXT',
};

/** @param {{query: Function}} client a pool or one of its connections */
const connection = (client) => ({
  words,
  // `query`, not `execute`: a prepared statement takes at most 65,535 values, and a batch may hold more.
  query: async (sql, parameters = []) => (await client.query(sql, parameters))[0],
  run: async (sql, parameters = []) => (await client.query(sql, parameters))[0].affectedRows,
});

/**
 * @param {URL} address
 * @returns {import('./database.js').Database}
 */
export function openMariadb(address) {
  const pool = createPool({
    host: address.hostname,
    port: Number(address.port || 3306),
    user: decodeURIComponent(address.username),
    password: decodeURIComponent(address.password),
    database: decodeURIComponent(address.pathname.slice(1)),
    charset: 'utf8mb4_bin',
    connectTimeout: 5000,
    connectionLimit: 5,
  });
  const { query, run } = connection(pool);
  const schemaNames = async (what, table) => {
    const rows = await query(
      `SELECT DISTINCT ${what}_name AS name FROM information_schema.${what === 'index' ? 'statistics' : 'columns'}
       WHERE table_schema = DATABASE() AND table_name = ?`,
      [table],
    );
    return rows.map((row) => row.name);
  };

  return {
    engine: 'mariadb',
    words,
    query,
    run,
    async transaction(work) {
      const client = await pool.getConnection();
      try {
        // Makes a tag visible that another transaction has just created.
        await client.query('SET TRANSACTION ISOLATION LEVEL READ COMMITTED');
        await client.beginTransaction();
        const result = await work(connection(client));
        await client.commit();
        return result;
      } catch (error) {
        await client.rollback().catch(() => client.destroy());
        throw error;
      } finally {
        client.release();
      }
    },
    columns: (table) => schemaNames('column', table),
    indexes: (table) => schemaNames('index', table),
    async sizeInBytes() {
      const [row] = await query(
        'SELECT SUM(data_length + index_length) AS bytes FROM information_schema.tables WHERE table_schema = DATABASE()',
      );
      return Number(row.bytes);
    },
    isDuplicate: (error) => error?.code === 'ER_DUP_ENTRY',
    // Ending a pool fails if a connection failed before; nothing is open afterwards in either case.
    close: () => pool.end().catch(() => {}),
  };
}
