/** Writes the dashboard's types of the API from the code's own description: npm run api-types */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { readConfig } from '../src/app/config/config.ts';
import { startManager } from '../src/app/lifecycle/manager.ts';
import { streamMessages } from '../src/app/realtime/stream-messages.ts';
import { permissionsOf } from '../src/lib/http/routing/roles.ts';
import { createLogger } from '../src/lib/logger.ts';
import { slugLength } from '../src/lib/slug.ts';
import { type Description, type Schema, streamTypesOf, typesOf } from './api-types/types-of.ts';

const directory = await mkdtemp(join(tmpdir(), 'tenantry-types-'));
const settings = { PORT: '0', DASHBOARD_PORT: '0', RUNTIME: 'process', ADMIN_PASSWORD: 'a passphrase for once' };
const manager = await startManager(readConfig({ ...settings, DATA_DIR: join(directory, 'data') }), process.env, {
  logger: createLogger({ level: 'error' }),
});
try {
  const description = (await (await fetch(`${manager.url}/api/openapi.json`)).json()) as Description;
  const messages = Object.fromEntries(
    Object.entries(streamMessages).map(([stream, schemas]) => [
      stream,
      Object.values(schemas).map((schema: z.ZodObject) => z.toJSONSchema(schema.extend({ seq: z.int() })) as Schema),
    ]),
  );
  const constants = `/** What each role may do. */
export const permissionsOf = ${JSON.stringify(permissionsOf)} as const;

/** Characters of a tenant's slug. */
export const slugLength = ${JSON.stringify(slugLength)} as const;
`;
  const target = join(import.meta.dirname, '..', 'dashboard', 'src', 'api', 'schema.ts');
  await writeFile(target, `${typesOf(description)}\n${streamTypesOf(messages)}\n${constants}`);
} finally {
  await manager.stop();
  await rm(directory, { recursive: true, force: true });
}
