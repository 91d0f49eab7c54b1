import { randomBytes } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createDockerRuntime,
  type DockerRuntimeOptions,
} from '../../../src/adapters/runtimes/docker/docker-runtime.ts';
import type { Runtime } from '../../../src/adapters/runtimes/runtime.ts';
import { createLogger } from '../../../src/lib/logger.ts';
import type { RuntimeHarness } from '../../contracts/runtime-world.ts';

/** The test's own Docker runtime: its label separates it from other users of the engine. */
export function testRuntime(changes: Partial<DockerRuntimeOptions> = {}): Runtime {
  return createDockerRuntime({
    instance: `test-${randomBytes(6).toString('hex')}`,
    logger: createLogger({ level: 'fatal' }),
    managerContainer: null,
    ...changes,
  });
}

export async function dockerHarness(): Promise<RuntimeHarness> {
  const instance = `test-${randomBytes(6).toString('hex')}`;
  return {
    directory: await mkdtemp(join(tmpdir(), 'tenantry-docker-')),
    separateStreams: true,
    async open() {
      const runtime = testRuntime({ instance });
      await runtime.open();
      return runtime;
    },
    close: async () => undefined,
  };
}
