import { existsSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import BetterSqlite from 'better-sqlite3';
import { removeLabelled } from '../harness/docker.ts';
import { adminPassword, type Manager, startManager } from '../harness/manager.ts';
import { type Deployment, stopwatch } from './clock.ts';
import type { Place } from './place.ts';

export interface OpenManager extends Manager {
  /** Stops the manager and removes everything that it created in the engine. */
  close(): Promise<void>;
}

/** A manager with an empty data directory. */
export async function openManager({ stage, cli }: Place): Promise<OpenManager> {
  const data = await mkdtemp(join(stage.directory, 'data-'));
  const clear = async (): Promise<void> => {
    const instance = instanceIn(data);
    if (instance) await removeLabelled(cli.program, `org.tenantry.instance=${instance}`, { images: true });
  };
  stage.defer(clear);
  const manager = await startManager(stage, data, {
    RUNTIME: 'docker',
    PORT_POOL_START: '27000',
    PORT_POOL_END: '27199',
    DOCKER_NETWORK_POOL: '10.214.0.0/16',
  });
  await manager.client.login('admin', adminPassword);
  return {
    ...manager,
    async close() {
      await manager.stop();
      await clear();
    },
  };
}

/** The label value of what this manager creates; undefined before its first start. */
function instanceIn(data: string): unknown {
  const path = join(data, 'tenantry.db');
  if (!existsSync(path)) return undefined;
  const store = new BetterSqlite(path, { readonly: true });
  try {
    return store.prepare("SELECT value FROM store_facts WHERE name = 'instance_id'").pluck().get();
  } finally {
    store.close();
  }
}

let tenants = 0;

/** Registers a tenant of the application. Returns its id. */
export async function registered(
  manager: Pick<Manager, 'client'>,
  { application }: Pick<Place, 'application'>,
): Promise<string> {
  tenants += 1;
  const slug = `bench-${Date.now().toString(36)}-${tenants}`;
  const { id } = await manager.client.call<{ id: string }>('POST', '/api/tenants', {
    name: slug,
    slug,
    domain: `${slug}.example.org`,
    api_domain: `api.${slug}.example.org`,
    git_repo: application.repository,
  });
  return id;
}

/** Deploys through the API; the clock stops at the stream's `complete` message. */
export async function deployed(manager: Pick<Manager, 'client'>, id: string, version: string): Promise<Deployment> {
  const clock = stopwatch();
  const asked = await manager.client.call<{ deployment_id: string }>('POST', `/api/tenants/${id}/deploy`, {
    target_version: version,
  });
  for await (const message of manager.client.messages(asked.deployment_id)) {
    if (message.type === 'progress' && typeof message.current_step === 'string') clock.step(message.current_step);
    if (message.type !== 'complete') continue;
    const result = clock.end();
    if (message.status === 'success') return result;
    const { logs } = await manager.client.call<{ logs: string }>('GET', `/api/deployments/${asked.deployment_id}`);
    throw new Error(`The deployment ended as ${message.status}:\n${logs}`);
  }
  throw new Error('The stream of the deployment ended without a `complete` message');
}
