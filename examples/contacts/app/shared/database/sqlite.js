import { DatabaseSync } from 'node:sqlite';

/** @type {import('./database.js').Words} */
const words = {
  insertIgnore: 'INSERT OR IGNORE',
  overwrite: (columns) =>
    ` ON CONFLICT (id) DO UPDATE SET ${columns.map((name) => `${name} = excluded.${name}`).join(', ')}`,
  tableOptions: '',
  longText: 'TEXT',
};

const UNIQUE_VIOLATIONS = [1555, 2067];

/** @param {string} path */
function connect(path) {
  // The timeout waits for the other unit's transaction: both units write to one file.
  const client = new DatabaseSync(path, { timeout: 5000, enableForeignKeyConstraints: true });
  client.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
  return client;
}

/** @param {() => DatabaseSync} client */
const connection = (client) => ({
  words,
  query: async (sql, parameters = []) =>
    client()
      .prepare(sql)
      .all(...parameters),
  run: async (sql, parameters = []) =>
    Number(
      client()
        .prepare(sql)
        .run(...parameters).changes,
    ),
});

/**
 * Reads use one connection, writes a second one, in sequence. So a request that reads while a transaction waits neither
 * joins that transaction nor sees half of it.
 * @param {string} path
 * @returns {import('./database.js').Database}
 */
export function openSqlite(path) {
  /** @type {{reader?: DatabaseSync, writer?: DatabaseSync}} */
  const clients = {};
  const open = (role) => () => {
    clients[role] ??= connect(path);
    return clients[role];
  };
  const { query } = connection(open('reader'));
  const writer = connection(open('writer'));

  let last = Promise.resolve();
  const inTurn = (work) => {
    const result = last.then(work);
    last = result.catch(() => {});
    return result;
  };

  return {
    engine: 'sqlite',
    words,
    query,
    run: (sql, parameters) => inTurn(() => writer.run(sql, parameters)),
    transaction: (work) =>
      inTurn(async () => {
        await writer.run('BEGIN IMMEDIATE');
        try {
          const result = await work(writer);
          await writer.run('COMMIT');
          return result;
        } catch (error) {
          await writer.run('ROLLBACK');
          throw error;
        }
      }),
    columns: async (table) => (await query('SELECT name FROM pragma_table_info(?)', [table])).map((row) => row.name),
    indexes: async (table) => (await query('SELECT name FROM pragma_index_list(?)', [table])).map((row) => row.name),
    async sizeInBytes() {
      const [row] = await query('SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size');
      return row.bytes;
    },
    isDuplicate: (error) => UNIQUE_VIOLATIONS.includes(error?.errcode),
    async close() {
      await last;
      for (const client of Object.values(clients)) client.close();
    },
  };
}
