import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createProcessRuntime } from '../../src/adapters/runtimes/recorded/process/process-runtime.ts';
import { createLogger } from '../../src/lib/logger.ts';
import { describeRuntime } from './runtime.ts';

describeRuntime('process', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'tenantry-process-'));
  return {
    directory,
    separateStreams: false,
    async open() {
      const runtime = createProcessRuntime({
        directory: join(directory, 'runtime'),
        importRoot: join(directory, 'imports'),
        managerEnvironment: process.env,
        logger: createLogger({ level: 'fatal' }),
        adoptedPollMs: 50,
      });
      await runtime.open();
      return runtime;
    },
    close: async () => undefined,
  };
});
