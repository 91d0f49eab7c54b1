import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTraefikProxy } from '../../src/adapters/proxies/traefik/traefik-proxy.ts';
import { createLogger } from '../../src/lib/logger.ts';
import { TraefikStub } from '../harness/proxy/traefik.ts';
import { describeProxy } from './proxy.ts';

// There is no Traefik: the test checks its files, and nothing is served.
describeProxy('traefik, not running', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'traefik-'));
  return {
    async open() {
      const proxy = createTraefikProxy({ directory, logger: createLogger({ level: 'fatal' }) });
      await proxy.open();
      return proxy;
    },
    serves: undefined,
    close: () => rm(directory, { recursive: true, force: true }),
  };
});

// The stub of Traefik's API verifies every change.
describeProxy('traefik, with a stub of its API', async () => {
  const stub = await TraefikStub.start();
  return { open: () => stub.proxy(), serves: undefined, close: () => stub.destroy() };
});
