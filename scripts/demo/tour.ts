import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { loadList } from './load-list.ts';
import { chapter, type Stage, say, type Tenant } from './stage.ts';

const supporters = join(import.meta.dirname, '..', '..', 'examples', 'contacts', 'lists', 'supporters.csv');

/** Deploys a tenant, loads a contact list, upgrades to the next version, and prints where everything is. */
export async function showTour(stage: Stage): Promise<void> {
  const began = performance.now();
  const tenant = await stage.deployTenant();

  chapter('Loading a list');
  await loadList(stage.client, tenant.id, supporters, say);

  chapter('Upgrading to v1.1.0');
  await upgrade(stage, tenant);
  await stage.showHealth();

  chapter('Done');
  say(`In ${Math.round((performance.now() - began) / 1000)} s. Everything runs until you press Ctrl-C.`);
  say(`  The tenant:         http://127.0.0.1:${tenant.frontend_port}/`);
  say(`  Its API:            http://127.0.0.1:${tenant.backend_port}/docs`);
  say(`  The dashboard:      ${stage.dashboardUrl}/`);
  say(`  Tenantry's API:     ${stage.url}/api/docs`);
  say(`  Sign in as:         admin / ${stage.password}`);
  say(`  Files:              ${stage.directory}`);
}

interface Upgraded {
  previous_version: string;
  new_version: string;
  commit: string;
  migrations_run: string[];
  backup_path: string;
}

/** Upgrades to the latest version, and prints each step until the answer arrives. */
async function upgrade(stage: Stage, { id }: Tenant): Promise<void> {
  const upgraded = stage.client.call<Upgraded>('POST', `/api/tenants/${id}/upgrade`, {});
  const started = startOf(stage, id, 'upgrade');
  // A refused upgrade never starts.
  await Promise.race([started, upgraded]);
  await stage.printSteps(await started);
  const answer = await upgraded;
  say(`From ${answer.previous_version} to ${answer.new_version}, commit ${answer.commit}`);
  say(`Migrations: ${answer.migrations_run.join(', ')}`);
  say(`Backup:     ${answer.backup_path}`);
}

/** The id of a tenant's operation of a kind, as soon as it exists. */
async function startOf({ client }: Stage, id: string, kind: string): Promise<string> {
  for (;;) {
    const { deployments } = await client.call<{ deployments: { id: string; kind: string }[] }>(
      'GET',
      `/api/tenants/${id}/deployments?limit=1`,
    );
    const [newest] = deployments;
    if (newest?.kind === kind) return newest.id;
    await sleep(100);
  }
}
