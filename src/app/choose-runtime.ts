import { join } from 'node:path';
import type { Logger } from '../kernel/logger.ts';
import { createProcessRuntime } from '../platform/runtime/process/process-runtime.ts';
import type { Runtime } from '../platform/runtime/runtime.ts';
import { createSystemdRuntime } from '../platform/runtime/systemd/systemd-runtime.ts';
import type { Config } from './config.ts';
import type { HostEnvironment } from './host-environment.ts';

interface Place {
  config: Config;
  instance: string;
  host: HostEnvironment;
  logger: Logger;
}

/** The runtime that RUNTIME names; where it is not set, docker where an engine answers, else local processes. */
export async function chooseRuntime({ config, instance, host, logger }: Place): Promise<Runtime> {
  const docker = async (): Promise<Runtime> => {
    // Loaded only where it is used: the engine's client brings some 20 MiB of code.
    const { createDockerRuntime } = await import('../platform/runtime/docker/docker-runtime.ts');
    return createDockerRuntime({
      instance,
      logger,
      engine: config.DOCKER_HOST,
      networkPool: config.DOCKER_NETWORK_POOL,
      proxyContainer: config.PROXY === 'none' ? undefined : config.PROXY_CONTAINER,
    });
  };
  const processes = (): Runtime =>
    createProcessRuntime({ directory: join(config.DATA_DIR, 'process'), managerEnvironment: host, logger });
  switch (config.RUNTIME) {
    case 'docker':
      return docker();
    case 'systemd':
      return createSystemdRuntime({
        instance,
        directory: join(config.DATA_DIR, 'systemd'),
        managerEnvironment: host,
        logger,
      });
    case 'process':
      return processes();
    case undefined: {
      const candidate = await docker();
      const answer = await candidate.availability();
      if (answer.available) {
        logger.info({ version: answer.version }, 'runtime: docker (an engine answers; RUNTIME is not set)');
        return candidate;
      }
      logger.warn(
        { reason: answer.reason },
        'runtime: local processes, without isolation between tenants (no Docker engine answers; RUNTIME is not set)',
      );
      return processes();
    }
    default:
      throw new Error(`Unknown runtime ${config.RUNTIME satisfies never}`);
  }
}
