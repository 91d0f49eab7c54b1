import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises';
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

/** Runs all scripts in one process: most tests need no separate ones. */
const migrateAtOnce = (variables) => {
  const imports = SCRIPTS.map((script) => `await import('./scripts/${script}.js');`).join('');
  return run(process.execPath, ['--input-type=module', '--eval', imports], {
    cwd: ROOT,
    env: { PATH: process.env.PATH, ...variables },
  });
};

/** A migrated SQLite file, made once and copied for each test. */
let template;
async function migratedSqlite() {
  const directory = await mkdtemp(join(tmpdir(), 'contacts-template-'));
  process.once('exit', () => rmSync(directory, { recursive: true }));
  const path = join(directory, 'contacts.db');
  await migrateAtOnce({ DATABASE_URL: `sqlite:${path}` });
  return path;
}

const ENGINES = {
  async sqlite() {
    const directory = await mkdtemp(join(tmpdir(), 'contacts-'));
    const path = join(directory, 'contacts.db');
    return {
      url: `sqlite:${path}`,
      async migrate() {
        template ??= migratedSqlite();
        await copyFile(await template, path);
      },
      remove: () => rm(directory, { recursive: true }),
    };
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
    return { url: url.href, migrate: () => migrateAtOnce({ DATABASE_URL: url.href }), remove };
  },
};

/**
 * The same tests on each engine. MariaDB is skipped, visibly, if TEST_MYSQL_URL names no server.
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

async function migratedDatabase(t, engine) {
  const { url, migrate, remove } = await ENGINES[engine]();
  t.after(remove);
  await migrate();
  return url;
}

/** The application over a migrated, empty database, with an import directory of its own. */
export async function startApi(t, engine) {
  const variables = {
    DATABASE_URL: await migratedDatabase(t, engine),
    API_KEYS: `another-key,${KEY}`,
    IMPORT_DIR: await mkdtemp(join(tmpdir(), 'contacts-imports-')),
    APP_VERSION: 'v1.2.3',
    APP_COMMIT: 'abc',
  };
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
