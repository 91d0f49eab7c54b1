import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import Docker from 'dockerode';
import { createConnection } from 'mysql2/promise';
import { makeContactsRepository } from '../../../examples/contacts/make-repository.ts';
import { spaceOf } from '../../../src/features/tenants/tenant.ts';
import { inboxOf } from '../../api/incidents/incident-answers.ts';
import { type App, startApp } from '../../harness/app/app.ts';
import { confirm, describeInBrowser, screen, signIn, visit } from '../../harness/browser/browser.ts';
import { countPeople, importSupporters, supporters } from '../../harness/data/contacts.ts';
import {
  type DeploymentAnswer,
  deploy,
  endOf,
  getTenant,
  makeTenant,
  type TenantAnswer,
  until,
} from '../../harness/data/tenants.ts';
import { describeWithEngine, removeImage } from '../../harness/engine/engine.ts';
import { type MariaDb, startMariaDb } from '../../harness/servers/mariadb-server.ts';
import { freePort, portPool } from '../../harness/servers/ports.ts';

describeWithEngine('tenants move from a Docker engine', () => {
  const docker = new Docker();
  const pool = portPool();
  let directory: string;
  let server: MariaDb;
  let app: App;
  let instance: string;
  let moving: TenantAnswer;
  let failing: TenantAnswer;
  /** It is moved in the dashboard. */
  let shown: TenantAnswer;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tenantry-moves-'));
    server = await startMariaDb();
    const repository = (await makeContactsRepository(join(directory, 'contacts'))).path;
    app = await startApp({ directory, environment: { ...pool, RUNTIME: 'docker' } });
    [moving, failing, shown] = await Promise.all([deployed(repository), deployed(repository), deployed(repository)]);
    await importSupporters(app, moving.id);
    await importSupporters(app, failing.id);
    instance = (await ofTenant(moving.id))[0]?.Labels['org.tenantry.instance'] ?? '';
    await app.stop();
    app = await startApp({
      directory,
      environment: {
        ...pool,
        RUNTIME: 'process',
        MOVE_FROM_ENGINE: 'unix:///var/run/docker.sock',
        TENANT_DATABASE_URL: server.adminUrl,
      },
      healthTimeoutMs: 20_000,
    });
  });
  afterAll(async () => {
    await app.call('POST', `/api/tenants/${failing.id}/move`, { body: {} });
    const removed: number[] = [];
    for (const { id } of [moving, failing, shown]) {
      removed.push((await app.call('DELETE', `/api/tenants/${id}?remove_files=true`)).status);
      for (const { Id } of await ofTenant(id)) await docker.getContainer(Id).remove({ force: true, v: true });
      for (const { Name } of await volumesOf(id)) await docker.getVolume(Name).remove();
      const networks = await docker.listNetworks({ filters: { label: [`org.tenantry.tenant=${id}`] } });
      for (const { Id } of networks) await docker.getNetwork(Id).remove();
    }
    const images = await docker.listImages({ filters: { label: [`org.tenantry.instance=${instance}`] } });
    for (const { Id } of images) await removeImage(docker, Id);
    await app.stop();
    await server.stop();
    await rm(directory, { recursive: true, force: true });
    expect(removed).toEqual([200, 200, 200]);
  });

  async function deployed(repository: string): Promise<TenantAnswer> {
    const { id } = await makeTenant(app, repository);
    expect(await deploy(app, id, { target_version: 'v1.0.0' })).toMatchObject({ status: 'success', error: null });
    return getTenant(app, id);
  }
  const ofTenant = (id: string) =>
    docker.listContainers({ all: true, filters: { label: [`org.tenantry.tenant=${id}`] } });
  const volumesOf = async (id: string) =>
    (await docker.listVolumes({ filters: { label: [`org.tenantry.tenant=${id}`] } })).Volumes;
  const runningOf = async (id: string) =>
    (await ofTenant(id)).filter(({ State }) => State === 'running').map(({ Names: [name = ''] }) => name.slice(1));
  async function databasesNow(): Promise<unknown> {
    const connection = await createConnection(server.adminUrl);
    try {
      return (await connection.query('SHOW DATABASES'))[0];
    } finally {
      await connection.end();
    }
  }
  const move = (tenant: TenantAnswer, body: object = {}) =>
    app.call('POST', `/api/tenants/${tenant.id}/move`, { body });

  test('first as a dry run, which changes nothing', async () => {
    const { slug, id } = moving;
    const { status, body } = await move(moving, { dry_run: true });
    expect([status, body]).toEqual([
      200,
      {
        from: 'docker',
        to: 'process',
        version: 'v1.0.0',
        commit: expect.stringMatching(/^[0-9a-f]{40}$/),
        running: true,
        at_origin: true,
        database: {
          from: 'mariadb-container',
          to: 'mariadb-shared',
          copied: true,
          size_mb: expect.any(Number),
        },
        problems: [],
      },
    ]);
    expect((await runningOf(id)).sort()).toEqual([`${slug}-api`, `${slug}-db`, `${slug}-frontend`]);
    const refused = await app.call('DELETE', `/api/tenants/${id}/move`);
    expect([refused.status, refused.body.code]).toEqual([409, 'invalid_state']);
    // Its data is not missed here: it has not been moved yet.
    const attention = await app.call<{ items: { kind: string }[] }>('GET', '/api/attention');
    expect(attention.body.items.map(({ kind }) => kind)).not.toContain('data_missing');
  });

  test('a failed move starts the tenant where it was, and leaves nothing here', async () => {
    // Its containers keep their ports; here its api can't listen.
    const body = { backend_port: await freePort() };
    expect((await app.call('PUT', `/api/tenants/${failing.id}`, { body })).status).toBe(200);
    const databasesBefore = await databasesNow();
    const occupant = createServer().listen(body.backend_port, '127.0.0.1');
    const answer = await move(failing);
    occupant.close();
    expect([answer.status, answer.body]).toEqual([
      502,
      expect.objectContaining({
        code: 'tenant_error',
        detail: expect.stringContaining(`Port ${body.backend_port} of the API is in use`),
      }),
    ]);
    const { deployments } = (
      await app.call<{ deployments: DeploymentAnswer[] }>('GET', `/api/tenants/${failing.id}/deployments`)
    ).body;
    expect(deployments[0]?.error).toMatchObject({ step: 'Health check' });
    expect((await runningOf(failing.id)).sort()).toEqual([
      `${failing.slug}-api`,
      `${failing.slug}-db`,
      `${failing.slug}-frontend`,
    ]);
    const url = `http://127.0.0.1:${failing.backend_port}/api/health`;
    expect(await (await fetch(url)).json()).toMatchObject({ status: 'healthy' });
    expect((await move(failing, { dry_run: true })).body).toMatchObject({ running: true, problems: [] });
    const space = spaceOf(await app.manager.app.tenants.get(failing.id));
    expect(await app.manager.app.runtime.inspect({ tenant: space, role: 'api' })).toMatchObject({ commit: null });
    expect(await databasesNow()).toEqual(databasesBefore);
    const alert = await until(
      async () => (await inboxOf(app)).find(({ key }) => key === `operation/${deployments[0]?.id}/failed`),
      (found) => found !== undefined,
    );
    expect(alert).toMatchObject({
      event: 'deployment',
      severity: 'error',
      title: `${failing.name}: Move to another runtime failed`,
      text: expect.stringContaining(`Port ${body.backend_port} of the API is in use`),
    });
  });

  test('a tenant with its people, and what is left behind is removed on request', async () => {
    const { id, slug } = moving;
    const { status, body } = await move(moving);
    expect([status, body]).toEqual([200, { status: 'moved', deployment_id: expect.any(String) }]);
    expect(await endOf(app, String(body.deployment_id))).toMatchObject({ status: 'success', error: null });
    expect(await getTenant(app, id)).toMatchObject({ status: 'running' });
    expect(await countPeople(app, id)).toBe(supporters.people);
    // Its database server holds the last state before the move.
    expect(await runningOf(id)).toEqual([`${slug}-db`]);
    expect((await move(moving)).body).toMatchObject({ code: 'invalid_state' });
    expect((await move(moving, { dry_run: true })).body).toMatchObject({ at_origin: true });
    expect(await deploy(app, id, { target_version: 'v1.1.0' })).toMatchObject({ status: 'success', error: null });
    expect(await countPeople(app, id)).toBe(supporters.people);

    expect(await app.call('DELETE', `/api/tenants/${id}/move`)).toMatchObject({ status: 200, body: { removed: true } });
    expect(await ofTenant(id)).toEqual([]);
    expect(await volumesOf(id)).toEqual([]);
    expect((await move(moving, { dry_run: true })).body).toMatchObject({ at_origin: false });
    expect(await countPeople(app, id)).toBe(supporters.people);
  });

  test('only by administrators, and only where an engine to move from is set', async () => {
    const { token } = await app.userOf('operator');
    const { status } = await app.call('POST', `/api/tenants/${failing.id}/move`, { token, body: {} });
    expect(status).toBe(403);
  });

  describeInBrowser('by the page of a tenant that is still there', () => {
    test('shows the findings of a check, moves the tenant and removes what it left', async () => {
      const { page } = await visit(app.manager.dashboardUrl ?? '');
      await page.goto(`/tenants/${shown.id}`);
      await signIn(page);
      await page.getByRole('heading', { name: 'Still on Docker' }).waitFor();
      expect(await screen(page, 'tenant-move')).toEqual([]);
      await page.getByRole('button', { name: 'Move', exact: true }).click();
      await page
        .getByRole('dialog')
        .getByText(/^copied/)
        .waitFor();
      expect(await screen(page, 'tenant-move-check')).toEqual([]);
      await confirm(page, 'Move');

      await page.waitForURL(/\/deployments\//);
      await page.getByText('Restore files').first().waitFor();
      await page.getByText('Succeeded').first().waitFor();
      expect(await getTenant(app, shown.id)).toMatchObject({ status: 'running' });

      await page.goto(`/tenants/${shown.id}`);
      await page.getByRole('heading', { name: 'Moved from Docker' }).waitFor();
      expect(await screen(page, 'tenant-moved')).toEqual([]);
      await page.getByRole('button', { name: 'Remove leftovers' }).click();
      await confirm(page, 'Remove leftovers');
      await page.getByText(/The leftovers of .* are removed/).waitFor();
      expect(await ofTenant(shown.id)).toEqual([]);
      await page.getByRole('heading', { name: 'Moved from Docker' }).waitFor({ state: 'detached' });
      const planned = page.waitForResponse((answer) => answer.url().endsWith(`/tenants/${shown.id}/move`));
      await page.reload();
      expect(await (await planned).json()).toMatchObject({ at_origin: false });
      await page.getByText('Services').first().waitFor();
      expect(await page.getByRole('button', { name: 'Remove leftovers' }).count()).toBe(0);
    });
  });
});
