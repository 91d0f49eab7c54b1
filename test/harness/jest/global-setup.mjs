import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeTemplates } from '../data/store-template.ts';
import { hasMariaDb, installMariaDb, startMariaDb } from '../servers/mariadb-server.ts';

/** Once for the run: a MariaDB server for the stores of all suites, and templates of stores and of other servers. */
export default async function setUpRun() {
  const directory = await mkdtemp(join(tmpdir(), 'tenantry-templates-'));
  if (hasMariaDb) {
    installMariaDb(directory);
    process.env.TEST_MARIADB_TABLES = join(directory, 'data');
  }
  // Its data is lost with its process.
  const options = ['--max-connections=1000', '--innodb-flush-log-at-trx-commit=0'];
  globalThis.runServer = hasMariaDb ? await startMariaDb('127.0.0.1', options) : undefined;
  await makeTemplates(directory, globalThis.runServer?.adminUrl);
  // A run that is interrupted ends the server, too.
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));
  process.env.TEST_TEMPLATES = directory;
  if (globalThis.runServer) process.env.TEST_MARIADB = globalThis.runServer.adminUrl;
}
