import { join } from 'node:path';
import { makeContactsRepository } from '../../examples/contacts/make-repository.ts';
import { freePort } from '../../scripts/demo/manager.ts';
import { run, type Stage } from '../harness/harness.ts';
import { adminPassword, type Manager, startManager } from '../harness/manager.ts';
import { startMariaDb } from '../harness/mariadb.ts';
import { type Engines, startEngines } from './engines.ts';

/** What both sides deploy with. */
export interface Operators {
  engines: Engines;
  manager: Manager;
  /** Of the sample application. */
  repository: string;
  /** Deploys with by-hand.sh to services that go on running. Returns the port of the api. */
  byHand(version: string, slug: string): Promise<number>;
  docker(...parameters: string[]): Promise<string>;
}

/** This machine as the nodes see it. */
const host = '10.99.0.254';

/** A swarm, a database server and a manager; the reason where they can't run. */
export async function startOperators(
  stage: Stage,
  environment: Record<string, string> = {},
): Promise<Operators | { skipped: string }> {
  const engines = await startEngines(stage);
  if (!engines) return { skipped: 'three engines need root and dockerd' };
  const server = await startMariaDb(stage, host);
  if (!server) return { skipped: 'MariaDB is not installed' };
  const manager = await startManager(stage, join(stage.directory, 'data'), {
    RUNTIME: 'swarm',
    DOCKER_HOST: engines.sockets.map((socket) => `unix://${socket}`).join(','),
    SWARM_STORAGE: engines.storage,
    SWARM_REGISTRY: engines.registry,
    SWARM_PROBE_IMAGE: 'node:24-bookworm-slim',
    TENANT_DATABASE_URL: server.adminUrl,
    PORT_POOL_START: '27200',
    PORT_POOL_END: '27399',
    ...environment,
  });
  await manager.client.login('admin', adminPassword);
  const repository = (await makeContactsRepository(join(stage.directory, 'contacts'))).path;
  const byHandEnvironment = {
    DOCKER_HOST: `unix://${engines.sockets[0]}`,
    STORAGE: engines.storage,
    REGISTRY: engines.registry,
    MARIADB_HOST: host,
    MARIADB_PORT: String(server.port),
    MARIADB_USER: 'admin',
    MYSQL_PWD: 'admin',
    TMPDIR: stage.directory,
  };
  return {
    engines,
    manager,
    repository,
    async byHand(version, slug) {
      const [frontendPort, apiPort] = [await freePort(0), await freePort(0)];
      const script = join(import.meta.dirname, 'by-hand.sh');
      await run('sh', [script, repository, version, slug, String(frontendPort), String(apiPort)], byHandEnvironment);
      return apiPort;
    },
    docker: (...parameters) => run('docker', parameters, byHandEnvironment),
  };
}
