/**
 * The demo: starts Tenantry, registers a tenant from the bundled sample application's git repository,
 * deploys it with live steps, shows it healthy, upgrades it to the next version, and leaves everything running until Ctrl-C.
 * With `--once` it ends automatically; RUNTIME selects the runtime (docker, process).
 */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeContactsRepository } from '../examples/contacts/make-repository.ts';
import { ManagerClient } from './demo/client.ts';
import { engineAnswers } from './demo/engine.ts';
import { loadList } from './demo/load-list.ts';
import { endManager, freePort, startManager } from './demo/manager.ts';

interface Tenant {
  id: string;
  slug: string;
  status: string;
  health_status: string;
  frontend_port: number;
  backend_port: number;
}

const supporters = join(import.meta.dirname, '..', 'examples', 'contacts', 'lists', 'supporters.csv');
const say = (text: string): void => console.log(text);
const chapter = (text: string): void => say(`\n── ${text} ${'─'.repeat(Math.max(0, 70 - text.length))}`);

const began = performance.now();
const directory = await mkdtemp(join(tmpdir(), 'tenantry-demo-'));
const port = await freePort(32_201);
const url = `http://127.0.0.1:${port}`;
const dashboardPort = await freePort(32_200);
const password = randomBytes(12).toString('base64url');

chapter('Starting Tenantry');
const runtime = process.env.RUNTIME || ((await engineAnswers()) ? 'docker' : 'process');
if (!process.env.RUNTIME && runtime === 'process')
  say('No Docker engine answers: the sample application runs as local processes of your user, without isolation.');
const manager = await startManager(
  {
    PORT: String(port),
    DASHBOARD_PORT: String(dashboardPort),
    DATA_DIR: join(directory, 'data'),
    ADMIN_PASSWORD: password,
    ALLOW_LOCAL_REPOSITORIES: 'true',
    RUNTIME: runtime,
    DATABASE_URL: `sqlite:${join(directory, 'data', 'tenantry.db')}`,
  },
  url,
);
const client = new ManagerClient(url);
let tenant: Tenant | undefined;
let deployment: string | undefined;
let ending = false;
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void shutDown(0));

try {
  await show();
  if (process.argv.includes('--once')) await shutDown(0);
} catch (error) {
  // Ctrl-C in the middle makes the demo's requests fail.
  if (!ending) {
    console.error(error instanceof Error ? error.message : error);
    await shutDown(1);
  }
}

async function show(): Promise<void> {
  await client.login('admin', password);
  const ready = await client.call<{ runtime: { kind: string } }>('GET', '/readyz');
  say(`Manager ready at ${url}, runtime: ${ready.runtime.kind}`);

  chapter('Registering a tenant');
  const repository = await makeContactsRepository(join(directory, 'contacts'));
  tenant = await client.call<Tenant>('POST', '/api/tenants', {
    name: 'River Valley Campaign',
    slug: 'river-valley',
    domain: 'river-valley.example.org',
    api_domain: 'api.river-valley.example.org',
    git_repo: repository.path,
  });
  say(
    `Tenant ${tenant.slug}, ports ${tenant.frontend_port} (frontend) and ${tenant.backend_port} (api), from ${repository.path}`,
  );

  chapter('Deploying v1.0.0');
  await deploy(tenant, 'v1.0.0');
  await showHealth(tenant);

  chapter('Loading a list');
  await loadList(client, tenant.id, supporters, say);

  chapter('Upgrading to v1.1.0');
  await upgrade(tenant);
  await showHealth(tenant);

  chapter('Done');
  say(`In ${Math.round((performance.now() - began) / 1000)} s. Everything runs until you press Ctrl-C.`);
  say(`  The tenant:         http://127.0.0.1:${tenant.frontend_port}/`);
  say(`  Its API:            http://127.0.0.1:${tenant.backend_port}/docs`);
  say(`  The dashboard:      http://127.0.0.1:${dashboardPort}/`);
  say(`  Tenantry's API:     ${url}/api/docs`);
  say(`  Sign in as:         admin / ${password}`);
  say(`  Files:              ${directory}`);
}

/** Deploys, and prints each step. */
async function deploy({ id }: Tenant, version: string): Promise<void> {
  const { deployment_id } = await client.call<{ deployment_id: string }>('POST', `/api/tenants/${id}/deploy`, {
    target_version: version,
  });
  await printSteps(deployment_id);
}

interface Upgraded {
  previous_version: string;
  new_version: string;
  commit: string;
  migrations_run: string[];
  backup_path: string;
}

/** Upgrades to the latest version, and prints each step until the answer arrives. */
async function upgrade({ id }: Tenant): Promise<void> {
  const upgraded = client.call<Upgraded>('POST', `/api/tenants/${id}/upgrade`, {});
  const started = startOf(id, 'upgrade');
  // A refused upgrade never starts.
  await Promise.race([started, upgraded]);
  await printSteps(await started);
  const answer = await upgraded;
  say(`From ${answer.previous_version} to ${answer.new_version}, commit ${answer.commit}`);
  say(`Migrations: ${answer.migrations_run.join(', ')}`);
  say(`Backup:     ${answer.backup_path}`);
}

/** The id of a tenant's operation of a kind, as soon as it exists. */
async function startOf(id: string, kind: string): Promise<string> {
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

/** Prints each step and log line of the deployment's stream. */
async function printSteps(deploymentId: string): Promise<void> {
  deployment = deploymentId;
  let step: unknown = null;
  for await (const message of client.messages(deploymentId)) {
    if (message.type === 'progress' && message.current_step !== null && message.current_step !== step) {
      step = message.current_step;
      say(`${String(message.progress_percent).padStart(4)} %  ${step}`);
    }
    if (message.type === 'log') say(`         ${message.message}`);
    if (message.type === 'complete') {
      say(`  →    ${message.status} in ${message.duration_seconds} s`);
      if (message.status !== 'success') throw new Error(`The deployment ended as ${message.status}`);
    }
  }
}

async function showHealth({ id }: Tenant): Promise<void> {
  const health = await client.call<{ overall_status: string; checks: Record<string, unknown> }>(
    'POST',
    `/api/tenants/${id}/health-check`,
  );
  say(`Health: ${health.overall_status}`);
  for (const [name, check] of Object.entries(health.checks)) say(`   ${name.padEnd(10)} ${JSON.stringify(check)}`);
}

/** Removes the demo's tenant, stops the manager and removes its files. */
async function shutDown(code: number): Promise<void> {
  if (ending) return;
  ending = true;
  chapter('Shutting down');
  let failure: unknown;
  if (tenant) await remove(tenant).catch((error: unknown) => (failure = error));
  await endManager(manager);
  await rm(directory, { recursive: true, force: true });
  if (failure) console.error('The tenant could not be removed:', failure);
  else say('The tenant is removed, the manager has ended.');
  process.exit(failure ? 1 : code);
}

/** Deletes the tenant; cancels a running deployment first. */
async function remove({ id }: Tenant): Promise<void> {
  for (;;) {
    const failure = await client.call('DELETE', `/api/tenants/${id}?remove_files=true`).then(
      () => undefined,
      (error: Error) => error,
    );
    if (!failure) return;
    if (!failure.message.includes(': 409 ')) throw failure;
    await client.call('POST', `/api/deployments/${deployment}/cancel`).catch(() => undefined);
    await sleep(500);
  }
}
