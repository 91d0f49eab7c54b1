import { randomBytes } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Runtime } from '../../../src/adapters/runtimes/runtime.ts';
import { createSwarmRuntime, type SwarmRuntimeOptions } from '../../../src/adapters/runtimes/swarm/swarm-runtime.ts';
import { createLogger } from '../../../src/lib/logger.ts';
import type { RuntimeHarness } from '../../contracts/runtime-world.ts';
import type { Cluster } from './cluster.ts';

/** The test's own Swarm runtime: its label separates it from other users of the engines. */
export function testSwarmRuntime(cluster: Cluster, changes: Partial<SwarmRuntimeOptions> = {}): Runtime {
  return createSwarmRuntime({
    instance: `test-${randomBytes(6).toString('hex')}`,
    logger: createLogger({ level: 'fatal' }),
    managers: cluster.sockets.map((socketPath) => ({ socketPath })),
    storage: cluster.storage,
    registry: { address: cluster.registry },
    ...changes,
  });
}

export async function swarmHarness(
  cluster: Cluster,
  changes: Partial<SwarmRuntimeOptions> = {},
): Promise<RuntimeHarness> {
  const instance = `test-${randomBytes(6).toString('hex')}`;
  return {
    directory: await mkdtemp(join(tmpdir(), 'tenantry-swarm-')),
    separateStreams: true,
    unitHost: /^10\.99\.0\.[123]$/,
    async open() {
      const runtime = testSwarmRuntime(cluster, { instance, ...changes });
      await runtime.open();
      return runtime;
    },
    close: async () => undefined,
  };
}
