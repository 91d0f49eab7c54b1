import { execFile } from 'node:child_process';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { createConnection } from 'mysql2/promise';
import { openManagerStore } from '../../../src/app/lifecycle/manager-store.ts';
import { createLogger } from '../../../src/lib/logger.ts';
import { makeDatabase } from '../servers/mariadb-server.ts';

const execute = promisify(execFile);
const quiet = createLogger({ level: 'silent' });

/** The run's templates are in this directory; `test/harness/jest/global-setup.mjs` makes them. */
const templateIn = (name: string): string => join(process.env.TEST_TEMPLATES ?? '', name);
const sqliteTemplate = 'store.db';
const mysqlTemplate = 'store.sql';

/** Makes empty stores with the current schema, once for the run: a SQLite file, and SQL statements if there is a server. */
export async function makeTemplates(into: string, adminUrl: string | undefined): Promise<void> {
  await (await openManagerStore(`sqlite:${join(into, sqliteTemplate)}`, quiet)).close();
  if (adminUrl === undefined) return;
  const url = await makeDatabase(adminUrl);
  await (await openManagerStore(url, quiet)).close();
  const { username, password, hostname, port, pathname } = new URL(url);
  const at = ['--no-defaults', `--host=${hostname}`, `--port=${port}`, `--user=${username}`, '--skip-comments'];
  const { stdout } = await execute('mariadb-dump', [...at, pathname.slice(1)], {
    env: { ...process.env, MYSQL_PWD: password },
    maxBuffer: 16 * 1024 * 1024,
  });
  // MariaDB's own client alone understands its first line.
  await writeFile(join(into, mysqlTemplate), stdout.replace(/^\/\*M?!999999.*\n/, ''));
}

/** A new store in SQLite with the current schema, as the manager would create it. */
export async function copySqliteTemplate(path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await copyFile(templateIn(sqliteTemplate), path);
}

/** A new store at the run's MariaDB server with the current schema; returns its address for `openStore`. */
export async function makeMariaDbStore(): Promise<string> {
  const adminUrl = process.env.TEST_MARIADB;
  if (!adminUrl) throw new Error('mariadbd and mariadb-install-db must be installed for this test');
  const url = await makeDatabase(adminUrl);
  const connection = await createConnection({ uri: url, multipleStatements: true });
  try {
    await connection.query(await readFile(templateIn(mysqlTemplate), 'utf8'));
  } finally {
    await connection.end();
  }
  return url;
}
