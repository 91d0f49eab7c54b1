import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { makeContactsRepository } from '../../../examples/contacts/make-repository.ts';
import { withMariaDb } from '../../harness/servers/mariadb.ts';
import { type MariaDb, startMariaDb } from '../../harness/servers/mariadb-server.ts';

const run = promisify(execFile);
const minutes = 60_000;

let directory: string;
let server: MariaDb | undefined;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tenantry-example-'));
  if (withMariaDb) server = await startMariaDb();
}, 2 * minutes);
afterAll(async () => {
  await server?.stop();
  await rm(directory, { recursive: true, force: true });
}, minutes);

test(
  `the sample application passes its own tests (${withMariaDb ? 'SQLite and MariaDB' : 'SQLite; mariadbd is not installed'})`,
  async () => {
    const { path } = await makeContactsRepository(join(directory, 'contacts'));
    const options = {
      cwd: path,
      env: {
        ...process.env,
        // The Node that runs this, not the machine's own.
        PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
        // A nested test runner would report to this one.
        NODE_TEST_CONTEXT: undefined,
        NODE_OPTIONS: undefined,
        TEST_MYSQL_URL: server?.adminUrl,
      },
      maxBuffer: 64 * 1024 * 1024,
    };
    await run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], options);
    const { stdout } = await run('npm', ['test'], options).catch((error: Error & { stdout?: string }) => {
      throw new Error(`${error.message}\n${error.stdout ?? ''}`);
    });
    expect(stdout).toMatch(/^\S+ pass [1-9]\d*$/m);
    expect(stdout).toMatch(/^\S+ fail 0$/m);
    if (server) expect(stdout).toMatch(/^\S+ skipped 0$/m);
  },
  10 * minutes,
);
