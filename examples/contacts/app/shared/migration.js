import { openDatabase } from './database/database.js';
import { readEnvironment } from './environment.js';

/**
 * What a migration script can do. Each step first checks whether it is done already, so that a script can run at
 * every deployment.
 * @typedef {object} Migration
 * @property {import('./database/database.js').Database} database
 * @property {import('./environment.js').Environment} environment
 * @property {(line: string) => void} say
 * @property {(table: string, definitions: string[]) => Promise<boolean>} createTable
 * @property {(table: string, column: string, type: string) => Promise<boolean>} addColumn
 * @property {(name: string, table: string, columns: string, options?: {unique?: boolean}) => Promise<boolean>} createIndex
 */

/**
 * Runs a migration script against the database of the environment; ends the process with 1 when it fails.
 * @param {(migration: Migration) => Promise<void>} script
 */
export async function migrate(script) {
  let database;
  try {
    const environment = readEnvironment(process.env);
    database = openDatabase(environment.DATABASE_URL);
    await script(migrationOn(database, environment, console.log));
  } catch (error) {
    console.error(`failed: ${error.message || error.code}`);
    process.exitCode = 1;
  } finally {
    await database?.close();
  }
}

/** @returns {Migration} */
function migrationOn(database, environment, say) {
  const once = async (label, present, sql) => {
    if (present) say(`${label}: there already`);
    else {
      await database.run(sql);
      say(`${label}: added`);
    }
    return !present;
  };

  return {
    database,
    environment,
    say,
    createTable: async (table, definitions) =>
      once(
        `table ${table}`,
        (await database.columns(table)).length > 0,
        `CREATE TABLE ${table} (${definitions.join(', ')})${database.words.tableOptions}`,
      ),
    addColumn: async (table, column, type) =>
      once(
        `column ${table}.${column}`,
        (await database.columns(table)).includes(column),
        `ALTER TABLE ${table} ADD COLUMN ${column} ${type}`,
      ),
    createIndex: async (name, table, columns, { unique = false } = {}) =>
      once(
        `index ${name}`,
        (await database.indexes(table)).includes(name),
        `CREATE ${unique ? 'UNIQUE ' : ''}INDEX ${name} ON ${table} (${columns})`,
      ),
  };
}
