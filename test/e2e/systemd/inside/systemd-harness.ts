import { randomBytes } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createSystemdRuntime,
  type SystemdRuntimeOptions,
} from '../../../../src/adapters/runtimes/recorded/systemd/systemd-runtime.ts';
import { createLogger } from '../../../../src/lib/logger.ts';
import type { RuntimeHarness } from '../../../contracts/runtime-world.ts';

/** The machine's own systemd, with the suite's own instance. */
export async function systemdHarness(
  changes: Partial<SystemdRuntimeOptions> = {},
): Promise<RuntimeHarness & { instance: string }> {
  const directory = await mkdtemp(join(tmpdir(), 'tenantry-systemd-'));
  const instance = `test-${randomBytes(6).toString('hex')}`;
  return {
    directory,
    instance,
    // The systemd journal keeps the order of both outputs, but does not distinguish them.
    separateStreams: false,
    async open() {
      const runtime = createSystemdRuntime({
        instance,
        directory: join(directory, 'runtime'),
        managerEnvironment: process.env,
        logger: createLogger({ level: process.env.TEST_LOG_LEVEL ?? 'fatal' }),
        ...changes,
      });
      await runtime.open();
      return runtime;
    },
    close: async () => undefined,
  };
}
