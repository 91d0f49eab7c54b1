import { createHash } from 'node:crypto';
import { QueryTypes, type Sequelize, type Transaction } from 'sequelize';
import type { Logger } from '../../lib/logger.ts';
import { type Column, defineTable, flag, key, type TableDefinition, tableIn, text } from './table.ts';

/** Named locks, held by a transaction: only MySQL and MariaDB have rows here. */
const locks = defineTable('locks', { name: key(text(100)) });
/** The schema that the store has, and whether all its tables exist: MySQL and MariaDB have no transactions for them. */
const version = defineTable('schema_version', { name: key(text(64)), complete: flag });

/** Tables that managers make to agree on which one may write, before it opens the store. */
const ofLease: ReadonlySet<string> = new Set(['manager_lease', 'manager_token']);

type Dialect = 'sqlite' | 'mysql';

/** Identifies a schema: another one has another name. */
export function schemaName(tables: readonly TableDefinition[]): string {
  const statements = all(tables).flatMap((table) => creation(table, 'mysql'));
  return `baseline-${createHash('sha256').update(statements.join()).digest('hex').slice(0, 12)}`;
}

/**
 * Gives an empty store its tables.
 * @throws OtherSchema for a store with other tables, before anything is written: no release has made one yet, so none is converted
 */
export async function prepareSchema(
  sequelize: Sequelize,
  tables: readonly TableDefinition[],
  logger: Logger,
): Promise<void> {
  const dialect = sequelize.getDialect() === 'sqlite' ? 'sqlite' : 'mysql';
  const name = schemaName(tables);
  const present = (await tableNames(sequelize, dialect)).filter((table) => !ofLease.has(table));
  const versions = tableIn({ sequelize }, version);
  const [found] = present.includes(version.name) ? await versions.all() : [];
  if (found?.name === name && found.complete) return;
  if (found ? found.name !== name : present.some((table) => table !== version.name))
    throw otherSchema(name, found?.name);

  const run = async (statement: string, transaction?: Transaction): Promise<void> => {
    await sequelize.query(statement, { transaction: transaction ?? null });
  };
  const create = async (transaction?: Transaction): Promise<void> => {
    for (const statement of creation(version, dialect)) await run(statement, transaction);
    if (!found) await versions.insert({ name, complete: false }, transaction);
    for (const statement of all(tables).flatMap((table) => creation(table, dialect))) await run(statement, transaction);
    await versions.update({ complete: true }, { name }, transaction);
  };
  await (dialect === 'sqlite' ? sequelize.transaction(create) : create());
  logger.info({ schema: name, tables: tables.length }, 'schema created');
}

const all = (tables: readonly TableDefinition[]): TableDefinition[] => [locks, ...tables];

/** The store has other tables than this version. */
export class OtherSchema extends Error {}

function otherSchema(wanted: string, found: string | undefined): OtherSchema {
  const has = found === undefined ? 'tables of an older schema, or of another program' : `the schema ${found}`;
  return new OtherSchema(
    `The store has ${has}; this version of Tenantry uses ${wanted} and converts no other before release 1.0. Use the version that made the store, or an empty one: another DATA_DIR, or another database in DATABASE_URL`,
  );
}

async function tableNames(sequelize: Sequelize, dialect: Dialect): Promise<string[]> {
  const rows = await sequelize.query<{ name: string }>(
    dialect === 'sqlite'
      ? "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'"
      : 'SELECT table_name AS name FROM information_schema.tables WHERE table_schema = DATABASE()',
    { type: QueryTypes.SELECT },
  );
  return rows.map(({ name }) => name);
}

/** The statements that create a table; in MySQL it is one, which may be repeated. */
function creation({ name: table, columns, indexes, unique }: TableDefinition, dialect: Dialect): string[] {
  const isMysql = dialect === 'mysql';
  const field = (property: string): string => `\`${fieldOf(property, columns[property])}\``;
  const list = (properties: readonly string[]): string => `(${properties.map(field).join(', ')})`;
  const nameOf = (properties: readonly string[]): string =>
    [table, ...properties.map((property) => fieldOf(property, columns[property]))].join('_');
  const keys = Object.keys(columns).filter((property) => columns[property]?.primaryKey);
  const counted = keys.some((property) => columns[property]?.autoIncrement);
  const parts = [
    ...Object.entries(columns).map(([property, column]) => `${field(property)} ${typeOf(column, isMysql)}`),
    ...(counted && !isMysql ? [] : [`PRIMARY KEY ${list(keys)}`]),
    ...Object.entries(columns).flatMap(([property, { sql }]) => [
      ...(sql.unique ? [`UNIQUE ${list([property])}`] : []),
      ...(sql.owner
        ? [`FOREIGN KEY ${list([property])} REFERENCES ${sql.owner[0]} (${sql.owner[1]}) ON DELETE CASCADE`]
        : []),
    ]),
    ...(isMysql ? unique.map((some) => `UNIQUE ${nameOf(some)} ${list(some)}`) : []),
    ...(isMysql ? indexes.map((some) => `INDEX ${nameOf(some)} ${list(some)}`) : []),
  ].join(', ');
  if (isMysql)
    return [`CREATE TABLE IF NOT EXISTS ${table} (${parts}) ENGINE InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`];
  return [
    `CREATE TABLE ${table} (${parts})`,
    ...unique.map((some) => `CREATE UNIQUE INDEX ${nameOf(some)} ON ${table} ${list(some)}`),
    ...indexes.map((some) => `CREATE INDEX ${nameOf(some)} ON ${table} ${list(some)}`),
  ];
}

const fieldOf = (property: string, column: Column<unknown> | undefined): string =>
  column?.field ?? property.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

function typeOf({ sql: { type, nullable, initial }, autoIncrement }: Column<unknown>, isMysql: boolean): string {
  if (autoIncrement) return isMysql ? `${type} NOT NULL AUTO_INCREMENT` : 'INTEGER PRIMARY KEY AUTOINCREMENT';
  const known = isMysql ? type : type.replace('DATETIME(3)', 'DATETIME');
  return `${known}${nullable ? '' : ' NOT NULL'}${initial === undefined ? '' : ` DEFAULT ${initial}`}`;
}
