import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import Docker from 'dockerode';
import { makeContactsRepository } from '../../examples/contacts/make-repository.ts';
import type { HealthReport } from '../../src/features/health/schema.ts';
import { adminPassword } from '../harness/app.ts';
import { type ComposeProject, composeObstacle, makeComposeProject } from '../harness/compose.ts';
import { describeWithEngine } from '../harness/engine.ts';
import { type DeploymentAnswer, type TenantAnswer, until } from '../harness/tenants.ts';

jest.setTimeout(15 * 60_000);

const obstacle = composeObstacle();
const repositoryInside = '/contacts';

describeWithEngine('the manager by docker compose', () => {
  if (obstacle !== undefined && process.env.CI !== 'true') {
    test.skip(`skipped: ${obstacle}`, () => undefined);
    return;
  }

  const docker = new Docker();
  const slug = `compose-${Date.now().toString(36)}`;
  let directory: string;
  let project: ComposeProject;
  let url = '';
  let token = '';
  let tenant: TenantAnswer | undefined;
  let instance = '';

  async function call<T = Record<string, unknown>>(
    method: string,
    path: string,
    body?: unknown,
  ): Promise<{ status: number; body: T }> {
    const response = await fetch(url + path, {
      method,
      headers: {
        ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as T };
  }
  async function labelled(name: string): Promise<string[]> {
    const filters = { label: [name] };
    const [containers, networks, { Volumes: volumes }] = await Promise.all([
      docker.listContainers({ all: true, filters }),
      docker.listNetworks({ filters }),
      docker.listVolumes({ filters }),
    ]);
    return [...containers.map(({ Id }) => Id), ...[...networks, ...(volumes ?? [])].map(({ Name }) => Name)];
  }
  const path = () => `/api/tenants/${tenant?.id}`;
  const managerId = () => project.compose('ps', '--quiet', 'manager');

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tenantry-compose-repository-'));
    await makeContactsRepository(join(directory, 'contacts'));
    project = await makeComposeProject();
  });
  afterAll(async () => {
    if (tenant) await call('DELETE', `${path()}?remove_files=true`).catch(() => undefined);
    await project.remove();
    await rm(directory, { recursive: true, force: true });
    // What a failed test left.
    const filters = { label: [`org.tenantry.slug=${slug}`] };
    for (const { Id: id } of await docker.listContainers({ all: true, filters }))
      await docker.getContainer(id).remove({ force: true, v: true });
    for (const { Id: id } of await docker.listNetworks({ filters })) await docker.getNetwork(id).remove();
    for (const { Name: name } of (await docker.listVolumes({ filters })).Volumes ?? [])
      await docker.getVolume(name).remove();
    const images = await docker.listImages({ filters: { label: [`org.tenantry.instance=${instance}`] } });
    for (const { Id: id } of images) await docker.getImage(id).remove({ force: true });
    expect(await labelled(`com.docker.compose.project=${project.name}`)).toEqual([]);
  });

  test('comes up healthy, with MariaDB as its store and the engine as its runtime', async () => {
    await project.compose('up', '--build', '--detach', '--wait');
    url = await project.url();
    expect(await call('GET', '/readyz')).toMatchObject({
      status: 200,
      body: { status: 'ready', store: 'up', runtime: { kind: 'docker', available: true } },
    });
    const login = await call<{ access_token: string }>('POST', '/api/auth/login', {
      username: 'admin',
      password: adminPassword,
    });
    expect(login.status).toBe(200);
    token = login.body.access_token;
  });

  test('deploys a tenant and reaches it by name, over the tenant’s own network', async () => {
    await project.compose('cp', join(directory, 'contacts'), `manager:${repositoryInside}`);
    const made = await call<TenantAnswer>('POST', '/api/tenants', {
      name: 'Composed',
      slug,
      domain: `${slug}.example.org`,
      api_domain: `api.${slug}.example.org`,
      git_repo: repositoryInside,
    });
    expect([made.status, made.body]).toEqual([201, expect.anything()]);
    tenant = made.body;
    const asked = await call<{ deployment_id: string }>('POST', `${path()}/deploy`);
    expect([asked.status, asked.body]).toEqual([202, expect.anything()]);
    const end = await until(
      async () => (await call<DeploymentAnswer>('GET', `/api/deployments/${asked.body.deployment_id}`)).body,
      ({ status }) => !['queued', 'running'].includes(status),
    );
    expect(end).toMatchObject({ status: 'success', version: 'v1.1.0', error: null });

    const unit = await docker.getContainer(`${slug}-api`).inspect();
    instance = String(unit.Config.Labels['org.tenantry.instance']);
    expect(unit.HostConfig.PortBindings).toEqual({});
    const network = await docker.getNetwork(`tenantry-${slug}`).inspect();
    expect(Object.keys(network.Containers ?? {})).toContain(await managerId());
    await expectHealthy();
  });

  async function expectHealthy(): Promise<void> {
    const health = await call<HealthReport>('POST', `${path()}/health-check`);
    expect(health.body).toMatchObject({
      overall_status: 'healthy',
      checks: { frontend: { status: 'up' }, backend: { status: 'up' }, database: { status: 'healthy' } },
    });
    expect(health.body.checks.database.size_mb).toBeGreaterThan(0);
    const stats = await call('GET', `${path()}/remote/stats`);
    expect([stats.status, stats.body]).toEqual([200, expect.objectContaining({ persons: 0 })]);
  }

  test('a manager whose container is made anew finds its tenant again', async () => {
    const before = await managerId();
    await project.compose('up', '--detach', '--wait', '--force-recreate', '--no-deps', 'manager');
    expect(await managerId()).not.toBe(before);
    url = await project.url();
    await expectHealthy();
    const restarted = await call('POST', `${path()}/restart`);
    expect([restarted.status, restarted.body.services]).toEqual([200, { frontend: 'active', backend: 'active' }]);
  });

  test('removes the tenant', async () => {
    const { status, body } = await call('DELETE', `${path()}?remove_files=true`);
    expect([status, body.removed]).toEqual([200, expect.objectContaining({ services: true, files: true })]);
    expect(await labelled(`org.tenantry.instance=${instance}`)).toEqual([]);
  });
});
