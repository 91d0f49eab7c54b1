/**
 * @typedef {object} Connection
 * @property {(sql: string, parameters?: unknown[]) => Promise<any[]>} query rows of a SELECT
 * @property {(sql: string, parameters?: unknown[]) => Promise<number>} run number of rows changed
 * @property {Words} words
 */

/**
 * Where the engines' SQL differs.
 * @typedef {object} Words
 * @property {string} insertIgnore begins an INSERT that passes over rows that are there
 * @property {(columns: string[]) => string} overwrite ends an INSERT that writes over the row of the same id
 * @property {string} tableOptions ends a CREATE TABLE
 * @property {string} longText a text of up to a megabyte
 */

/**
 * @typedef {Connection & {
 *   engine: 'mariadb' | 'sqlite',
 *   transaction: <T>(work: (connection: Connection) => Promise<T>) => Promise<T>,
 *   columns: (table: string) => Promise<string[]>,
 *   indexes: (table: string) => Promise<string[]>,
 *   sizeInBytes: () => Promise<number>,
 *   isDuplicate: (error: unknown) => boolean,
 *   close: () => Promise<void>,
 * }} Database
 */

import { openMariadb } from './mariadb.js';
import { openSqlite } from './sqlite.js';

/**
 * The database of a `mysql://user:password@host:port/name` or `sqlite:/absolute/path.db` address. Connects at the
 * first statement, so that a unit starts and reports the problem while its database is down.
 * @param {string} address
 * @returns {Database}
 */
export function openDatabase(address) {
  if (/^(mysql|mariadb):\/\//.test(address)) return openMariadb(new URL(address));
  if (address.startsWith('sqlite:')) return openSqlite(address.slice('sqlite:'.length).replace(/^\/\/(?=\/)/, ''));
  throw new Error('DATABASE_URL must begin with mysql:// or sqlite:');
}
