import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTraefikProxy } from '../../src/adapters/proxies/traefik/traefik-proxy.ts';
import { createLogger } from '../../src/lib/logger.ts';
import { TraefikStub } from '../harness/proxy/traefik.ts';
import { describeProxy } from './proxy.ts';

// No Traefik is there: its files are looked at, nothing is served.
describeProxy('traefik, without one', async () => {
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

// Every change is proven by the stand-in for Traefik's API.
describeProxy('traefik, with a stub of its API', async () => {
  const stub = await TraefikStub.start();
  return { open: () => stub.proxy(), serves: undefined, close: () => stub.destroy() };
});
