import { access, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { removeOrphanedStreamFiles } from '../../../src/app/lifecycle/orphaned-stream-files.ts';
import { type App, startApp } from '../../harness/app/app.ts';
import { type FixtureRepository, makeFixtureRepository } from '../../harness/data/fixture-repository.ts';
import {
  askDeploy,
  deploy,
  endOf,
  getDeployment,
  makeTenant,
  setEnvironment,
  type TenantAnswer,
  until,
} from '../../harness/data/tenants.ts';
import { describeWithEngine } from '../../harness/engine/engine.ts';

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

function deletion(runtime: 'process' | 'docker'): void {
  let directory: string;
  let repository: FixtureRepository;
  let app: App;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tenantry-deletion-'));
    repository = await makeFixtureRepository(join(directory, 'repository'));
    app = await startApp({ environment: { RUNTIME: runtime } });
  });
  afterAll(async () => {
    await app.stop();
    await rm(directory, { recursive: true, force: true });
  });

  /** What the runtime still has of a tenant, by label. */
  const ownedBy = async (id: string) =>
    (await app.manager.app.runtime.list()).filter(({ tenantId }) => tenantId === id);
  const deployed = async (fields: Record<string, unknown> = {}): Promise<TenantAnswer> => {
    const tenant = await makeTenant(app, repository.path, fields);
    expect((await deploy(app, tenant.id)).status).toBe('success');
    return tenant;
  };
  const remove = (id: string, query: string) =>
    app.call<{ removed: { files: boolean; proxy: boolean; services: boolean; ports_released: number[] } }>(
      'DELETE',
      `/api/tenants/${id}?${query}`,
    );

  test('the next cleanup removes the streams of its operations, but not of others', async () => {
    const operations = join(app.directory, 'data', 'operations');
    const kept = await makeTenant(app, repository.path);
    const { id: keptStream } = await deploy(app, kept.id, { target_version: 'v9.9.9' });
    const gone = await makeTenant(app, repository.path);
    const { id: goneStream } = await deploy(app, gone.id, { target_version: 'v9.9.9' });
    await remove(gone.id, '');
    await removeOrphanedStreamFiles(operations, app.manager.app.deployments.recorded);
    expect(await exists(join(operations, `${keptStream}.ndjson`))).toBe(true);
    expect(await exists(join(operations, `${goneStream}.ndjson`))).toBe(false);
  });

  test('remove_files removes everything: units, network, volumes, directory, record; its ports are free again', async () => {
    const tenant = await deployed();
    expect((await ownedBy(tenant.id)).length).toBeGreaterThan(0);
    const { status, body } = await remove(tenant.id, 'remove_files=true');
    expect(status).toBe(200);
    expect(body.removed).toEqual({
      files: true,
      proxy: false,
      services: true,
      ports_released: [tenant.frontend_port, tenant.backend_port],
    });
    expect(await ownedBy(tenant.id)).toEqual([]);
    expect(await exists(join(app.directory, 'data', 'tenants', tenant.slug))).toBe(false);
    expect((await app.call('GET', `/api/tenants/${tenant.id}`)).status).toBe(404);
    const { body: next } = await app.call('GET', '/api/ports/next-available');
    expect(next.frontend_port).toBe(tenant.frontend_port);
    const { body: auditLog } = await app.call<{ logs: { tenant_slug: string }[] }>(
      'GET',
      `/api/logs?tenant_id=${tenant.id}`,
    );
    expect(auditLog.logs.length).toBeGreaterThan(0);
    expect(auditLog.logs.every(({ tenant_slug }) => tenant_slug === tenant.slug)).toBe(true);
  });

  test('without remove_files data and files are kept under the tenant’s id, and a new tenant with the same slug does not get them', async () => {
    const first = await deployed();
    const { body } = await remove(first.id, '');
    expect(body.removed).toMatchObject({ files: false, services: true });
    expect(await exists(join(app.directory, 'data', 'kept', first.id, '.env'))).toBe(true);
    const left = await ownedBy(first.id);
    expect(left.filter(({ kind }) => kind !== 'volume')).toEqual([]);
    expect(left.length > 0).toBe(runtime === 'docker');

    const second = await deployed({
      slug: first.slug,
      domain: `${first.slug}.example.net`,
      api_domain: `api.${first.slug}.example.net`,
    });
    expect(second.id).not.toBe(first.id);
    const volumes = (await ownedBy(second.id)).filter(({ kind }) => kind === 'volume').map(({ name }) => name);
    expect(volumes.filter((name) => left.some((kept) => kept.name === name))).toEqual([]);
    await remove(second.id, 'remove_files=true');
    if (runtime === 'docker') {
      const space = { id: first.id, slug: first.slug, directory: join(app.directory, 'data', 'kept', first.id) };
      await app.manager.app.runtime.removeTenant(space, { data: true });
    }
  });

  test('is rejected while a deployment of the tenant is running', async () => {
    const tenant = await makeTenant(app, repository.path);
    await setEnvironment(app, tenant.id, { MIGRATION: 'slow' });
    const id = await askDeploy(app, tenant.id);
    await until(
      () => getDeployment(app, id),
      ({ logs }) => logs.includes('migrating'),
    );
    const { status } = await remove(tenant.id, 'remove_files=true');
    expect(status).toBe(409);
    await app.call('POST', `/api/deployments/${id}/cancel`);
    await endOf(app, id);
    expect((await remove(tenant.id, 'remove_files=true')).status).toBe(200);
    expect(await ownedBy(tenant.id)).toEqual([]);
  });
}

describe('deleting a tenant of local processes', () => deletion('process'));
describeWithEngine('deleting a tenant of containers', () => deletion('docker'));
