import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe } from 'node:test';
import { promisify } from 'node:util';
import { createConnection } from 'mysql2/promise';
import { createApi } from '../api/app.js';
import { openDatabase } from '../shared/database/database.js';
import { readEnvironment } from '../shared/environment.js';

const run = promisify(execFile);
const ROOT = new URL('..', import.meta.url);

export const KEY = 'a-key-for-tests';

/** The scripts of tenant.yaml, in their order. */
export const SCRIPTS = Array.from(
  (await readFile(new URL('tenant.yaml', ROOT), 'utf8')).matchAll(/^ {4}- (\w+)$/gm),
  ([, name]) => name,
);

/** Runs a unit's or a script's own program, as the manager would. */
export const program = (path, variables) =>
  run(process.execPath, [path], { cwd: ROOT, env: { PATH: process.env.PATH, ...variables } });

export async function migrateAll(variables) {
  const outputs = [];
  for (const script of SCRIPTS) outputs.push((await program(`scripts/${script}.js`, variables)).stdout);
  return outputs.join('');
}

const ENGINES = {
  async sqlite() {
    const directory = await mkdtemp(join(tmpdir(), 'contacts-'));
    return { url: `sqlite:${join(directory, 'contacts.db')}`, remove: () => rm(directory, { recursive: true }) };
  },
  async mariadb() {
    const url = new URL(process.env.TEST_MYSQL_URL);
    const name = `contacts_test_${crypto.randomUUID().slice(0, 8)}`;
    const server = await createConnection(url.href);
    await server.query(`CREATE DATABASE ${name}`);
    url.pathname = name;
    const remove = async () => {
      await server.query(`DROP DATABASE ${name}`);
      await server.end();
    };
    return { url: url.href, remove };
  },
};

/**
 * The same tests on each engine. MariaDB is left out, visibly, where TEST_MYSQL_URL names no server.
 * @param {string} name
 * @param {(engine: string) => void} tests
 */
export function onEachEngine(name, tests) {
  describe(`${name} on SQLite`, () => tests('sqlite'));
  const skip = process.env.TEST_MYSQL_URL ? false : 'TEST_MYSQL_URL is not set';
  describe(`${name} on MariaDB`, { skip }, () => tests('mariadb'));
}

/** An empty database, gone after the test. */
export async function temporaryDatabase(t, engine) {
  const { url, remove } = await ENGINES[engine]();
  t.after(remove);
  return url;
}

/** The application over a migrated, empty database, with an import directory of its own. */
export async function startApi(t, engine) {
  const variables = {
    DATABASE_URL: await temporaryDatabase(t, engine),
    API_KEYS: `another-key,${KEY}`,
    IMPORT_DIR: await mkdtemp(join(tmpdir(), 'contacts-imports-')),
    APP_VERSION: 'v1.2.3',
    APP_COMMIT: 'abc',
  };
  await migrateAll(variables);
  const environment = readEnvironment(variables);
  const database = openDatabase(environment.DATABASE_URL);
  t.after(async () => {
    await database.close();
    await rm(environment.IMPORT_DIR, { recursive: true });
  });
  const stopping = new AbortController();
  const app = createApi({ database, environment, log: () => {}, stopping: stopping.signal });

  const call = async (method, path, body) => {
    const response = await app.request(path, {
      method,
      headers: { 'X-API-Key': KEY, 'Content-Type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: text ? JSON.parse(text) : undefined };
  };
  return { app, call, database, environment, stopping };
}
