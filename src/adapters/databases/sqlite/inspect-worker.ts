import { parentPort, workerData } from 'node:worker_threads';
import BetterSqlite from 'better-sqlite3';
import type { DatabaseContents, TableSchema } from '../tenant-database.ts';

/** Inspects a database file without writers: reading it all would block the main thread. */
const { path, integrity } = workerData as { path: string; integrity: boolean };

interface Column {
  name: string;
  type: string;
  notnull: number;
  dflt_value: string | null;
  pk: number;
}

function schemaOf(table: string): TableSchema {
  const schema: TableSchema = { columns: {}, indexes: {} };
  const keys: string[] = [];
  for (const { name, type, notnull, dflt_value, pk } of pragma<Column>('table_xinfo', table)) {
    const words = [type, notnull ? 'NOT NULL' : '', dflt_value === null ? '' : `DEFAULT ${dflt_value}`];
    schema.columns[name] = words.filter((word) => word !== '').join(' ');
    if (pk > 0) keys[pk - 1] = name;
  }
  if (keys.length > 0) schema.indexes['PRIMARY KEY'] = `PRIMARY KEY (${keys.join(', ')})`;
  for (const { name, unique, origin } of pragma<{ name: string; unique: number; origin: string }>(
    'index_list',
    table,
  )) {
    if (origin === 'pk') continue;
    const parts = pragma<{ name: string | null }>('index_info', name).map((part) => part.name ?? 'an expression');
    schema.indexes[name] = `${unique ? 'UNIQUE ' : ''}(${parts.join(', ')})`;
  }
  for (const key of pragma<{ id: number; table: string; from: string; to: string | null }>('foreign_key_list', table))
    schema.indexes[`FOREIGN KEY ${key.from}`] = `REFERENCES ${key.table} (${key.to ?? 'its key'})`;
  return schema;
}

/** SQLite's codes for a file that is no database, incomplete, or unreadable. */
const unsound = /^SQLITE_(NOTADB|CORRUPT|ERROR)/;

const pragma = <Row>(name: string, of: string): Row[] =>
  database.prepare(`SELECT * FROM pragma_${name}(?)`).all(of) as Row[];

const database = new BetterSqlite(path, { readonly: !integrity, fileMustExist: true });
try {
  // Opening a copy with its journal recovers it; then it is one file.
  if (integrity) database.pragma('journal_mode = DELETE');
  const problems = integrity ? (database.pragma('integrity_check(3)') as { integrity_check: string }[]) : [];
  const tables = database
    .prepare<[], { name: string; sql: string }>(
      "SELECT name, sql FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name",
    )
    .all();
  const contents: DatabaseContents = {};
  for (const { name, sql } of tables) {
    // Only the application's own module can read these.
    if (/^CREATE VIRTUAL /i.test(sql)) continue;
    const row = database.prepare(`SELECT count(*) AS n FROM "${name.replaceAll('"', '""')}"`).get() as { n: number };
    contents[name] = { rows: row.n };
  }
  parentPort?.postMessage({
    problems: problems.map((row) => row.integrity_check).filter((text) => text !== 'ok'),
    contents,
    schema: Object.fromEntries(tables.map(({ name }) => [name, schemaOf(name)])),
  });
} catch (error) {
  if (!(error instanceof BetterSqlite.SqliteError && unsound.test(error.code))) throw error;
  parentPort?.postMessage({ problems: [error.message], contents: {}, schema: {} });
} finally {
  database.close();
}
