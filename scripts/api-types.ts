/** Writes the dashboard's types of the API from the code's own description: npm run api-types */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '../src/app/config/config.ts';
import { startManager } from '../src/app/lifecycle/manager.ts';
import { createLogger } from '../src/lib/logger.ts';
import { schemaFile } from './api-types/schema-file.ts';
import type { Description } from './api-types/types-of.ts';

const directory = await mkdtemp(join(tmpdir(), 'tenantry-types-'));
const settings = { PORT: '0', DASHBOARD_PORT: '0', RUNTIME: 'process', ADMIN_PASSWORD: 'a passphrase for once' };
const manager = await startManager(readConfig({ ...settings, DATA_DIR: join(directory, 'data') }), process.env, {
  logger: createLogger({ level: 'error' }),
});
try {
  const description = (await (await fetch(`${manager.url}/api/openapi.json`)).json()) as Description;
  const target = join(import.meta.dirname, '..', 'dashboard', 'src', 'api', 'schema.ts');
  await writeFile(target, schemaFile(description));
} finally {
  await manager.stop();
  await rm(directory, { recursive: true, force: true });
}
