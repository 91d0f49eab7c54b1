import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import Docker from 'dockerode';
import { execa } from 'execa';
import { makeContactsRepository } from '../../../examples/contacts/make-repository.ts';
import { type DeploymentAnswer, type TenantAnswer, until } from '../data/tenants.ts';
import { removeImage } from '../engine/engine.ts';
import { type ComposeProject, makeComposeProject } from './compose.ts';

const execute = promisify(execFile);
const repositoryInside = '/contacts';
const instanceLabel = 'org.tenantry.instance';

/** A manager started by compose.yaml, with the sample application's repository inside. */
export class ComposedManager {
  readonly docker = new Docker();
  readonly project: ComposeProject;
  readonly #directory: string;
  readonly #tenants: TenantAnswer[] = [];
  /** The manager's id at the engine, after the first deployment. */
  instance: string | undefined;
  #copied: Promise<unknown> | undefined;
  #url = '';
  #token = '';

  private constructor(project: ComposeProject, directory: string) {
    this.project = project;
    this.#directory = directory;
  }

  /** @param environment compose's own, as from .env */
  static async create(environment?: Record<string, string>): Promise<ComposedManager> {
    const directory = await mkdtemp(join(tmpdir(), 'tenantry-compose-repository-'));
    await makeContactsRepository(join(directory, 'contacts'));
    return new ComposedManager(await makeComposeProject(environment), directory);
  }

  /** Starts the services, or recreates some, and waits until they are healthy. */
  async up(...parameters: string[]): Promise<void> {
    await this.project.compose('up', '--detach', '--wait', ...parameters);
    this.#url = await this.project.url();
  }

  /** Signs the administrator in with the password in .env. */
  async signIn(): Promise<void> {
    const { ADMIN_PASSWORD: password = '' } = await this.project.environment();
    this.#token = await this.tokenOf('admin', password);
  }

  async tokenOf(username: string, password: string): Promise<string> {
    const { status, body } = await this.call<{ access_token: string }>(
      'POST',
      '/api/auth/login',
      { username, password },
      '',
    );
    if (status !== 200) throw new Error(`The sign-in was refused: ${JSON.stringify(body)}`);
    return body.access_token;
  }

  /** @param token of another user than the administrator */
  async call<T = Record<string, unknown>>(
    method: string,
    path: string,
    body?: unknown,
    token = this.#token,
  ): Promise<{ status: number; body: T }> {
    const form = body instanceof FormData ? body : undefined;
    const response = await fetch(this.#url + path, {
      method,
      // A test whose request is never answered fails with a reason.
      signal: AbortSignal.timeout(60_000),
      headers: {
        ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined || form ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: form ?? JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: (text === '' ? {} : JSON.parse(text)) as T };
  }

  /** Registers a tenant of the sample application at `<slug>.example.org`. */
  async register(slug: string, token?: string): Promise<TenantAnswer> {
    // Not `compose cp`: engine 28.5.2 refuses it into a container with a mount below /var/run, which is a link.
    const pack = () => execa('tar', ['-C', this.#directory, '-c', 'contacts']);
    this.#copied ??= pack().pipe('docker', ['exec', '-i', `${this.project.name}-manager`, 'tar', '-x', '-C', '/']);
    await this.#copied;
    const names = { slug, domain: `${slug}.example.org`, api_domain: `api.${slug}.example.org` };
    const wanted = { name: slug, ...names, git_repo: repositoryInside };
    const { status, body: tenant } = await this.call<TenantAnswer>('POST', '/api/tenants', wanted, token);
    if (status !== 201) throw new Error(`The tenant could not be created: ${JSON.stringify(tenant)}`);
    this.#tenants.push(tenant);
    return tenant;
  }

  /** Registers a tenant at `<slug>.example.org` and deploys it. */
  async deploy(slug: string): Promise<{ tenant: TenantAnswer; deployment: DeploymentAnswer }> {
    const tenant = await this.register(slug);
    const asked = await this.call<{ deployment_id: string }>('POST', `/api/tenants/${tenant.id}/deploy`);
    if (asked.status !== 202) throw new Error(`The deployment was refused: ${JSON.stringify(asked.body)}`);
    const deployment = await until(
      async () => (await this.call<DeploymentAnswer>('GET', `/api/deployments/${asked.body.deployment_id}`)).body,
      (answer) => !['queued', 'running'].includes(answer.status),
    );
    const [network] = await this.docker.listNetworks({ filters: { label: [`org.tenantry.slug=${slug}`] } });
    this.instance = network?.Labels?.[instanceLabel];
    return { tenant, deployment };
  }

  /** The output of a program in a container. */
  async runIn(container: string, command: string[]): Promise<string> {
    const { stdout } = await execute('docker', ['exec', container, ...command]);
    return stdout.trim();
  }

  /** Ids of containers, names of networks and volumes with a label at the engine. */
  async labelled(label: string): Promise<string[]> {
    const filters = { label: [label] };
    const [containers, networks, { Volumes: volumes }] = await Promise.all([
      this.docker.listContainers({ all: true, filters }),
      this.docker.listNetworks({ filters }),
      this.docker.listVolumes({ filters }),
    ]);
    return [...containers.map(({ Id }) => Id), ...[...networks, ...(volumes ?? [])].map(({ Name }) => Name)];
  }

  /** Removes tenants, project, and what a failed test left of them; returns what is left of the project. */
  async remove(): Promise<string[]> {
    const { docker, instance } = this;
    for (const { id } of this.#tenants)
      await this.call('DELETE', `/api/tenants/${id}?remove_files=true`).catch(() => undefined);
    await this.project.remove();
    await rm(this.#directory, { recursive: true, force: true });
    if (instance !== undefined) {
      const filters = { label: [`${instanceLabel}=${instance}`] };
      for (const { Id: id } of await docker.listContainers({ all: true, filters }))
        await docker.getContainer(id).remove({ force: true, v: true });
      for (const { Id: id } of await docker.listNetworks({ filters })) await docker.getNetwork(id).remove();
      for (const { Name: name } of (await docker.listVolumes({ filters })).Volumes ?? [])
        await docker.getVolume(name).remove();
      for (const { Id: id } of await docker.listImages({ filters })) await removeImage(docker, id);
    }
    return this.labelled(`com.docker.compose.project=${this.project.name}`);
  }
}
