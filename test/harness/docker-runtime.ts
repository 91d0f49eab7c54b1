import { randomBytes } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '../../src/kernel/logger.ts';
import { createDockerRuntime, type DockerRuntimeOptions } from '../../src/platform/runtime/docker/docker-runtime.ts';
import type { Runtime } from '../../src/platform/runtime/runtime.ts';
import type { RuntimeHarness } from '../contracts/runtime-world.ts';

/** A Docker runtime of the test's own: its label keeps it apart from whatever else uses the engine. */
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
    patienceMs: 60_000,
    separateStreams: true,
    async open() {
      const runtime = testRuntime({ instance });
      await runtime.open();
      return runtime;
    },
    close: async () => undefined,
  };
}
