import { join } from 'node:path';
import type { Runtime } from '../../src/adapters/runtimes/runtime.ts';
import { composeApp } from '../../src/app/composition/app.ts';
import { readConfig } from '../../src/app/config/config.ts';
import { openManagerStore } from '../../src/app/lifecycle/manager-store.ts';
import { createLogger } from '../../src/lib/logger.ts';
import { commit } from './seed.ts';

/** Reports every unit as running, at its tenant's port. */
const stubRuntime = {
  kind: 'process',
  needs: 'start',
  databaseServers: undefined,
  availability: async () => ({ available: true, version: '1' }) as never,
  freeSpace: async () => ({ place: '/', bytes: 10 ** 12 }) as never,
  hasRelease: async () => true,
  inspect: async () => ({ state: 'active', commit, reason: null, gaveUp: false, startedAt: new Date(0) }),
  address: async (_unit, port) => ({ host: '127.0.0.1', port }),
  paths: () => ({ importDirectory: '/tmp/imports', dataDirectory: '/data' }),
} satisfies Partial<Runtime>;

/** The manager's services on a seeded SQLite store, with a stub runtime. */
export async function composeStubApp(data: string) {
  const logger = createLogger({ level: 'error' });
  const store = await openManagerStore(`sqlite:${join(data, 'tenantry.db')}`, logger);
  const config = readConfig({ DATA_DIR: data });
  const app = await composeApp({
    config,
    instance: 'bench',
    secretKey: 'a key of the benchmark, at least 32 long',
    host: {},
    store,
    runtime: stubRuntime as Partial<Runtime> as Runtime,
    logger,
  });
  return { app, store, config, logger };
}
