import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createProcessRuntime } from '../../../adapters/runtimes/recorded/process/process-runtime.ts';
import type { Runtime } from '../../../adapters/runtimes/runtime.ts';
import { writeFileAtomic } from '../../../lib/files/atomic-file.ts';
import type { Logger } from '../../../lib/logger.ts';
import { type Config, ConfigError } from '../../config/config.ts';
import type { HostEnvironment } from '../../config/host-environment.ts';

interface RuntimeChoice {
  config: Config;
  instance: string;
  host: HostEnvironment;
  logger: Logger;
  /** Whether the manager runs as root; tests set it. */
  isRoot?: boolean;
}

/**
 * The runtime that RUNTIME names; where it is not set, docker where an engine answers, else local processes. It is remembered in
 * the data directory: an engine that is unavailable at a later start must not move tenants to another runtime.
 * @throws ConfigError where another one would be chosen than before, or local processes as root, and RUNTIME does not name it
 */
export async function chooseRuntime(place: RuntimeChoice): Promise<Runtime> {
  const { config, logger } = place;
  const file = join(config.DATA_DIR, 'runtime');
  const remembered = await readFile(file, 'utf8').then(
    (text) => text.trim(),
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
      return undefined;
    },
  );
  const runtime = config.RUNTIME === undefined ? await choose(place, remembered) : await create(place, config.RUNTIME);
  if (remembered !== undefined && remembered !== runtime.kind)
    logger.warn({ before: remembered, now: runtime.kind }, 'RUNTIME names another runtime than before');
  if (remembered !== runtime.kind) await writeFileAtomic(file, `${runtime.kind}\n`);
  return runtime;
}

/** The Docker engine from which tenants are moved, if MOVE_FROM_ENGINE names one. It is not opened, so it watches and restarts nothing. */
export async function chooseOrigin({ config, instance, logger }: RuntimeChoice): Promise<Runtime | undefined> {
  if (!config.MOVE_FROM_ENGINE) return undefined;
  const { createDockerRuntime } = await import('../../../adapters/runtimes/docker/docker-runtime.ts');
  return createDockerRuntime({ instance, logger, engine: config.MOVE_FROM_ENGINE });
}

/** Chooses by whether a Docker engine answers. */
async function choose(place: RuntimeChoice, remembered: string | undefined): Promise<Runtime> {
  const { logger, isRoot = process.getuid?.() === 0 } = place;
  const docker = await create(place, 'docker');
  const answer = await docker.availability();
  const chosen = answer.available ? 'docker' : 'process';
  const finding = answer.available ? 'A Docker engine answers' : `No Docker engine answers (${answer.reason})`;
  const advice = answer.available ? '' : 'Start the Docker engine, or ';
  if (remembered !== undefined && remembered !== chosen)
    throw new ConfigError(
      `RUNTIME must be set, as another runtime would be chosen than before (${remembered}, kept in DATA_DIR/runtime). ${finding}. ` +
        `${advice || 'Please '}set the runtime. Example: RUNTIME=${remembered}`,
    );
  if (chosen === 'process' && isRoot)
    throw new ConfigError(
      `RUNTIME must be set to run tenants as local processes of root: their code could do anything on this machine. ${finding}. ` +
        `${advice}accept that. Example: RUNTIME=process`,
    );
  if (answer.available) {
    logger.info({ version: answer.version }, 'runtime: docker (an engine answers; RUNTIME is not set)');
    return docker;
  }
  logger.warn(
    { reason: answer.reason },
    'runtime: local processes, without isolation between tenants (no Docker engine answers; RUNTIME is not set)',
  );
  return create(place, 'process');
}

async function create(
  { config, instance, host, logger }: RuntimeChoice,
  kind: NonNullable<Config['RUNTIME']>,
): Promise<Runtime> {
  switch (kind) {
    case 'docker': {
      // Loaded only where it is used: the engine's client brings some 20 MiB of code.
      const { createDockerRuntime } = await import('../../../adapters/runtimes/docker/docker-runtime.ts');
      return createDockerRuntime({
        instance,
        logger,
        engine: config.DOCKER_HOST?.[0],
        networkPool: config.DOCKER_NETWORK_POOL,
        proxyContainer: config.PROXY === 'none' ? undefined : config.PROXY_CONTAINER,
      });
    }
    case 'swarm': {
      const { createSwarmRuntime } = await import('../../../adapters/runtimes/swarm/swarm-runtime.ts');
      return createSwarmRuntime({
        instance,
        logger,
        managers: config.DOCKER_HOST ?? [{ socketPath: '/var/run/docker.sock' }],
        storage: config.SWARM_STORAGE ?? '',
        registry: registryOf(config),
        networkPool: config.DOCKER_NETWORK_POOL,
        mtu: config.SWARM_MTU,
        probeImage: config.SWARM_PROBE_IMAGE,
      });
    }
    case 'systemd': {
      const { createSystemdRuntime } = await import('../../../adapters/runtimes/recorded/systemd/systemd-runtime.ts');
      return createSystemdRuntime({
        instance,
        directory: join(config.DATA_DIR, 'systemd'),
        managerEnvironment: host,
        logger,
      });
    }
    case 'process':
      return createProcessRuntime({ directory: join(config.DATA_DIR, 'process'), managerEnvironment: host, logger });
    default:
      throw new Error(`Unknown runtime ${kind satisfies never}`);
  }
}

function registryOf(config: Config) {
  if (config.SWARM_REGISTRY === undefined) return undefined;
  return {
    address: config.SWARM_REGISTRY,
    user: config.SWARM_REGISTRY_USER,
    password: config.SWARM_REGISTRY_PASSWORD,
  };
}
