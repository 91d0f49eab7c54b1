import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeContactsRepository } from '../../examples/contacts/make-repository.ts';
import { ManagerClient } from './client.ts';
import { endManager, freePort, startManager } from './manager.ts';

export interface Tenant {
  id: string;
  slug: string;
  status: string;
  health_status: string;
  frontend_port: number;
  backend_port: number;
}

interface Check {
  check: string;
  status: string;
  detail: string | null;
  cause: { title: string } | null;
  remedy: { text: string } | null;
  reason: string | null;
}

export const say = (text: string): void => console.log(text);
export const chapter = (text: string): void => say(`\n── ${text} ${'─'.repeat(Math.max(0, 70 - text.length))}`);

/** A manager with its own directory, and the tenant of the sample application: what every demo plays on. */
export class Stage {
  readonly directory: string;
  readonly url: string;
  readonly dashboardUrl: string;
  readonly password: string;
  readonly client: ManagerClient;
  readonly #manager: ChildProcess;
  #tenant: Tenant | undefined;
  #deployment: string | undefined;

  private constructor(manager: ChildProcess, place: Pick<Stage, 'directory' | 'url' | 'dashboardUrl' | 'password'>) {
    this.#manager = manager;
    this.directory = place.directory;
    this.url = place.url;
    this.dashboardUrl = place.dashboardUrl;
    this.password = place.password;
    this.client = new ManagerClient(place.url);
  }

  /** Starts a manager with this runtime and signs in. */
  static async open(runtime: string, variables: Record<string, string> = {}): Promise<Stage> {
    chapter('Starting Tenantry');
    const directory = await mkdtemp(join(tmpdir(), 'tenantry-demo-'));
    process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
    const port = await freePort(32_201);
    const dashboardPort = await freePort(32_200);
    const url = `http://127.0.0.1:${port}`;
    const password = randomBytes(12).toString('base64url');
    const manager = await startManager(
      {
        PORT: String(port),
        DASHBOARD_PORT: String(dashboardPort),
        DATA_DIR: join(directory, 'data'),
        ADMIN_PASSWORD: password,
        ALLOW_LOCAL_REPOSITORIES: 'true',
        RUNTIME: runtime,
        DATABASE_URL: `sqlite:${join(directory, 'data', 'tenantry.db')}`,
        ...variables,
      },
      url,
    );
    return new Stage(manager, { directory, url, dashboardUrl: `http://127.0.0.1:${dashboardPort}`, password });
  }

  /** Signs in, registers the tenant from the sample application's git repository, and deploys its first version. */
  async deployTenant(): Promise<Tenant> {
    await this.client.login('admin', this.password);
    const ready = await this.client.call<{ runtime: { kind: string } }>('GET', '/readyz');
    say(`Manager ready at ${this.url}, runtime: ${ready.runtime.kind}`);
    await this.#checkHost();

    chapter('Registering a tenant');
    const repository = await makeContactsRepository(join(this.directory, 'contacts'));
    const tenant = await this.client.call<Tenant>('POST', '/api/tenants', {
      name: 'River Valley Campaign',
      slug: 'river-valley',
      domain: 'river-valley.example.org',
      api_domain: 'api.river-valley.example.org',
      git_repo: repository.path,
    });
    this.#tenant = tenant;
    say(
      `Tenant ${tenant.slug}, ports ${tenant.frontend_port} (frontend) and ${tenant.backend_port} (api), from ${repository.path}`,
    );

    chapter('Deploying v1.0.0');
    const { deployment_id } = await this.client.call<{ deployment_id: string }>(
      'POST',
      `/api/tenants/${tenant.id}/deploy`,
      { target_version: 'v1.0.0' },
    );
    await this.printSteps(deployment_id);
    await this.showHealth();
    return tenant;
  }

  /** Prints what each check of the host finds. A fault need not keep the demo from its end. */
  async #checkHost(): Promise<void> {
    chapter('Checking this host');
    const { preflight_id: id } = await this.client.call<{ preflight_id: string }>('POST', '/api/system/preflight', {});
    const said = new Set<string>();
    for await (const message of this.client.watch(`/ws/preflight/${id}`))
      for (const { check, status, detail, cause, remedy, reason } of (message.checks ?? []) as Check[]) {
        if (status === 'pending' || status === 'running' || said.has(check)) continue;
        said.add(check);
        const found = cause ? `${cause.title}. ${remedy?.text}.` : (detail ?? reason?.replaceAll('_', ' ') ?? '');
        say(`${status.replace('_', ' ').padEnd(12)} ${check.replaceAll('_', ' ').padEnd(16)} ${found}`.trimEnd());
      }
  }

  /** Prints each step and log line of an operation until its end. @throws Error if it does not succeed */
  async printSteps(deploymentId: string): Promise<void> {
    this.#deployment = deploymentId;
    let step: unknown = null;
    for await (const message of this.client.messages(deploymentId)) {
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

  /** Checks the tenant and prints what each check found. */
  async showHealth(): Promise<void> {
    const health = await this.client.call<{ overall_status: string; checks: Record<string, unknown> }>(
      'POST',
      `/api/tenants/${this.#tenant?.id}/health-check`,
    );
    say(`Health: ${health.overall_status}`);
    for (const [name, check] of Object.entries(health.checks)) say(`   ${name.padEnd(10)} ${JSON.stringify(check)}`);
  }

  /** Removes the tenant, ends the manager and removes the files. @throws Error if the tenant could not be removed */
  async close(): Promise<void> {
    chapter('Shutting down');
    const failure = this.#tenant && (await this.#remove(this.#tenant).then(noError, (error: Error) => error));
    await endManager(this.#manager);
    await rm(this.directory, { recursive: true, force: true });
    if (failure) throw new Error(`The tenant could not be removed: ${failure.message}`);
    say('The tenant is removed, the manager has ended.');
  }

  /** Deletes the tenant; cancels a running deployment first. */
  async #remove({ id }: Tenant): Promise<void> {
    for (;;) {
      const failure = await this.client
        .call('DELETE', `/api/tenants/${id}?remove_files=true`)
        .then(noError, (error: Error) => error);
      if (!failure) return;
      if (!failure.message.includes(': 409 ')) throw failure;
      await this.client.call('POST', `/api/deployments/${this.#deployment}/cancel`).catch(() => undefined);
      await sleep(500);
    }
  }
}

const noError = (): undefined => undefined;
