import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import Docker from 'dockerode';
import { makeContactsRepository } from '../../../examples/contacts/make-repository.ts';
import { type App, startApp } from '../../harness/app/app.ts';
import { countPeople, importSupporters, supporters } from '../../harness/data/contacts.ts';
import { deploy, getTenant, makeTenant, type TenantAnswer } from '../../harness/data/tenants.ts';
import { removeImage } from '../../harness/engine/engine.ts';
import { type MariaDb, startMariaDb } from '../../harness/servers/mariadb-server.ts';
import { portPool } from '../../harness/servers/ports.ts';
import { describeWithSwarm } from '../../harness/swarm/cluster.ts';

describeWithSwarm('a tenant of a Docker engine moves to a swarm', (cluster) => {
  const docker = new Docker();
  const pool = portPool();
  let directory: string;
  let server: MariaDb;
  let app: App;
  let tenant: TenantAnswer;
  let instance: string;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tenantry-move-'));
    server = await startMariaDb(cluster().host);
    app = await startApp({ directory, environment: { ...pool, RUNTIME: 'docker' } });
    const repository = (await makeContactsRepository(join(directory, 'contacts'))).path;
    tenant = await makeTenant(app, repository);
    expect(await deploy(app, tenant.id, { target_version: 'v1.0.0' })).toMatchObject({
      status: 'success',
      error: null,
    });
    await importSupporters(app, tenant.id);
    instance = (await left())[0]?.Labels['org.tenantry.instance'] ?? '';
    await app.stop();
    app = await startApp({
      directory,
      environment: {
        ...pool,
        RUNTIME: 'swarm',
        MOVE_FROM_ENGINE: 'unix:///var/run/docker.sock',
        DOCKER_HOST: cluster().engines.join(','),
        SWARM_STORAGE: cluster().storage,
        SWARM_REGISTRY: cluster().registry,
        SWARM_PROBE_IMAGE: 'node:24-bookworm-slim',
        TENANT_DATABASE_URL: server.adminUrl,
      },
    });
  });
  afterAll(async () => {
    for (const { Id } of await left()) await docker.getContainer(Id).remove({ force: true, v: true });
    const images = await docker.listImages({ filters: { label: [`org.tenantry.instance=${instance}`] } });
    for (const { Id } of images) await removeImage(docker, Id);
    await app.stop();
    await server.stop();
    await rm(directory, { recursive: true, force: true });
  });

  const left = () => docker.listContainers({ all: true, filters: { label: [`org.tenantry.tenant=${tenant.id}`] } });
  const move = (body: object) => app.call('POST', `/api/tenants/${tenant.id}/move`, { body });

  test('after a dry run, with its people; what it left is removed on request', async () => {
    expect((await move({ dry_run: true })).body).toMatchObject({
      from: 'docker',
      to: 'swarm',
      running: true,
      database: { from: 'mariadb-container', to: 'mariadb-shared', copied: true },
      problems: [],
    });
    const moved = await move({});
    expect([moved.status, moved.body]).toEqual([200, { status: 'moved', deployment_id: expect.any(String) }]);
    expect((await getTenant(app, tenant.id)).status).toBe('running');
    expect(await countPeople(app, tenant.id)).toBe(supporters.people);

    expect((await app.call('DELETE', `/api/tenants/${tenant.id}/move`)).body).toEqual({ removed: true });
    expect(await left()).toEqual([]);
    expect(await deploy(app, tenant.id, { target_version: 'v1.1.0' })).toMatchObject({
      status: 'success',
      error: null,
    });
    expect(await countPeople(app, tenant.id)).toBe(supporters.people);
    expect((await app.call('DELETE', `/api/tenants/${tenant.id}?remove_files=true`)).status).toBe(200);
  });
});
