import type { DatabaseContents, DatabaseSchema, TableSchema } from '../tenant-database.ts';
import { type Account, type Query, withConnection } from './connection.ts';
import { longMs, withoutTimeLimit } from './snapshot.ts';
import { contentOf, quoted, surveyOf, tablesOf } from './tables.ts';

const column = /^`((?:[^`]|``)+)` (.*)$/s;
const named = /^(?:UNIQUE |FULLTEXT |SPATIAL )?(?:KEY|CONSTRAINT) `((?:[^`]|``)+)` /s;

/**
 * Parses the server's own `SHOW CREATE TABLE`: one column, key or constraint per line, as newlines in texts are escaped. What
 * follows the closing bracket (engine, character set, next number) is dropped.
 */
function tableSchema(statement: string): TableSchema {
  const schema: TableSchema = { columns: {}, indexes: {} };
  for (const raw of statement.split('\n').slice(1)) {
    if (!raw.startsWith('  ')) continue;
    const line = raw.trim().replace(/,$/, '');
    const [, columnName, definition = ''] = column.exec(line) ?? [];
    if (columnName !== undefined) schema.columns[unquoted(columnName)] = definition;
    else schema.indexes[unquoted(named.exec(line)?.[1] ?? line.split(' (')[0] ?? line)] = line;
  }
  return schema;
}

const unquoted = (quoted: string): string => quoted.replaceAll('``', '`');

/** The rows and checksums of all tables. */
export function contentsOf(account: Account, signal: AbortSignal): Promise<DatabaseContents> {
  return withConnection(account, { timeoutMs: longMs, signal }, async (query) => {
    await query("SET SESSION time_zone = '+00:00'");
    await withoutTimeLimit(query);
    const { tables, history } = await surveyOf(query);
    const contents: DatabaseContents = {};
    for (const table of tables) contents[table.name] = await contentOf(query, table, history);
    return contents;
  });
}

/** The definition of each table, without what changes by use. */
export function schemaOf(account: Account, signal: AbortSignal): Promise<DatabaseSchema> {
  return withConnection(account, { timeoutMs: longMs, signal }, async (query) => {
    const schema: DatabaseSchema = {};
    for (const { name: table } of await tablesOf(query)) {
      const [row] = await query(`SHOW CREATE TABLE ${quoted(table)}`);
      schema[table] = tableSchema(String(row?.['Create Table'] ?? ''));
    }
    return schema;
  });
}

/**
 * Recreates an empty database; first ends other connections of this account (a program that a killed manager left would
 * continue to write). The grants stay: they belong to the database's name.
 */
export async function emptyDatabase(account: Account & { database: string }, signal: AbortSignal): Promise<void> {
  const { database, ...server } = account;
  await withConnection(server, { timeoutMs: longMs, signal }, async (query) => {
    await cutOff(query, account.user);
    const [found] = await query(
      'SELECT default_character_set_name AS charset, default_collation_name AS collated FROM information_schema.schemata WHERE schema_name = ?',
      [database],
    );
    await query(`DROP DATABASE IF EXISTS ${quoted(database)}`);
    const charset = `CHARACTER SET ${plain(found?.charset ?? 'utf8mb4')}`;
    const collation = found ? ` COLLATE ${plain(found.collated)}` : '';
    await query(`CREATE DATABASE ${quoted(database)} ${charset}${collation}`);
  });
}

/**
 * Ends connections of an account: an engine can't end a program in a container, but its connection can be ended.
 * @param host only those from there (`localhost`: by the server's socket, which units don't use)
 */
export async function endConnections(account: Account, host?: string): Promise<void> {
  await withConnection(account, { timeoutMs: 10_000 }, (query) => cutOff(query, account.user, host));
}

async function cutOff(query: Query, user: string, host?: string): Promise<void> {
  const found = await query(
    'SELECT id, host FROM information_schema.processlist WHERE user = ? AND id <> CONNECTION_ID()',
    [user],
  );
  for (const row of found) {
    if (host !== undefined && row.host !== host) continue;
    // It may have ended since.
    await query(`KILL ${Number(row.id)}`).catch(() => undefined);
  }
}

function plain(word: unknown): string {
  if (!/^\w+$/.test(String(word))) throw new Error(`Not the name of a character set: ${word}`);
  return String(word);
}
