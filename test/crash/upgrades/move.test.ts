import { existsSync } from 'node:fs';
import { mkdtemp, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import Docker from 'dockerode';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import { makeContactsRepository } from '../../../examples/contacts/make-repository.ts';
import { spaceOf } from '../../../src/features/tenants/tenant.ts';
import { startApp } from '../../harness/app/app.ts';
import { type ManagerProcess, makeManagerProcess } from '../../harness/app/manager-process.ts';
import { importSupporters, supporters } from '../../harness/data/contacts.ts';
import {
  type DeploymentAnswer,
  deploy,
  getTenant,
  makeTenant,
  type TenantAnswer,
  until,
} from '../../harness/data/tenants.ts';
import { describeWithEngine, removeImage } from '../../harness/engine/engine.ts';
import { sampled } from '../../harness/exhaustive.ts';
import { type MariaDb, startMariaDb } from '../../harness/servers/mariadb-server.ts';
import { freePort, portPool } from '../../harness/servers/ports.ts';
import { endOfDeployment, killWhen, stepBegins } from '../drills/kill-in-step.ts';
import { processUnitsOf } from '../drills/process-units.ts';

/** A step of the move, how long after its start the manager is killed, and how long after the start of the removal. */
const moments = sampled('move', 2, [
  ['Install dependencies', 0, 0],
  ['Install dependencies', 700, 20],
  ['Stop services', 0, 50],
  ['Stop services', 400, 100],
  ['Back up', 150, 200],
  ['Create database', 0, 300],
  ['Create database', 200, 500],
  ['Create services', 0, 800],
  ['Restore files', 0, 1_200],
  ['Start services', 0, 2_000],
  ['Start services', 200, 3_000],
  ['Health check', 0, 5_000],
  ['Health check', 400, 10_000],
] as const);

describeWithEngine('kill -9 of the manager in a move from a Docker engine', () => {
  const docker = new Docker();
  let directory: string;
  let server: MariaDb;
  let manager: ManagerProcess;
  let instance: string;
  /** One for each moment, which then is moved. */
  const tenants: TenantAnswer[] = [];
  /** Whose moves never succeed. */
  let failing: TenantAnswer;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tenantry-move-crash-'));
    server = await startMariaDb();
    const repository = (await makeContactsRepository(join(directory, 'contacts'))).path;
    const pool = portPool();
    const app = await startApp({ directory, environment: { ...pool, RUNTIME: 'docker' } });
    const note = 'echo kept > "$0/note"';
    for (let n = 0; n <= moments.length; n += 1) {
      const tenant = await makeTenant(app, repository);
      expect(await deploy(app, tenant.id, { target_version: 'v1.0.0' })).toMatchObject({ status: 'success' });
      await importSupporters(app, tenant.id);
      const { dataDirectory } = app.manager.app.runtime.paths(spaceOf(await app.manager.app.tenants.get(tenant.id)));
      const write = await docker
        .getContainer(`${tenant.slug}-api`)
        .exec({ Cmd: ['sh', '-c', note, dataDirectory], AttachStderr: true });
      for await (const line of await write.start({})) throw new Error(String(line));
      tenants.push(await getTenant(app, tenant.id));
    }
    failing = tenants.pop() as TenantAnswer;
    instance = (await containersOf(failing))[0]?.Labels['org.tenantry.instance'] ?? '';
    await app.stop();
    manager = await makeManagerProcess(
      {
        ...pool,
        RUNTIME: 'process',
        MOVE_FROM_ENGINE: 'unix:///var/run/docker.sock',
        TENANT_DATABASE_URL: server.adminUrl,
      },
      directory,
    );
    await manager.start();
  });
  afterAll(async () => {
    const removed: number[] = [];
    // What is still at the origin can't be deleted from here.
    await manager.call('POST', `/api/tenants/${failing.id}/move`, { body: {} });
    for (const tenant of [...tenants, failing]) {
      removed.push((await manager.call('DELETE', `/api/tenants/${tenant.id}?remove_files=true`)).status);
      for (const { Id } of await containersOf(tenant)) await docker.getContainer(Id).remove({ force: true, v: true });
      for (const { Name } of await volumesOf(tenant)) await docker.getVolume(Name).remove();
      for (const { Id } of await networksOf(tenant)) await docker.getNetwork(Id).remove();
    }
    const images = await docker.listImages({ filters: { label: [`org.tenantry.instance=${instance}`] } });
    for (const { Id } of images) await removeImage(docker, Id);
    const exit = await manager.stop();
    await manager.remove();
    await server.stop();
    expect([removed.filter((status) => status !== 200), exit]).toEqual([[], 0]);
  });

  const labels = ({ id }: TenantAnswer) => ({ label: [`org.tenantry.tenant=${id}`] });
  const containersOf = (tenant: TenantAnswer) => docker.listContainers({ all: true, filters: labels(tenant) });
  const volumesOf = async (tenant: TenantAnswer) => (await docker.listVolumes({ filters: labels(tenant) })).Volumes;
  const networksOf = (tenant: TenantAnswer) => docker.listNetworks({ filters: labels(tenant) });
  const runningAtOrigin = async (tenant: TenantAnswer): Promise<string[]> => {
    const found = await containersOf(tenant);
    return found
      .filter(({ State }) => State === 'running')
      .map(({ Names: [name = ''] }) => name.slice(1))
      .sort();
  };
  async function databasesOf({ slug }: TenantAnswer): Promise<string[]> {
    const connection = await createConnection(server.adminUrl);
    try {
      const [rows] = await connection.query<RowDataPacket[]>('SHOW DATABASES');
      return rows.map((row) => String(Object.values(row)[0])).filter((name) => name.includes(slug));
    } finally {
      await connection.end();
    }
  }
  const noteOf = ({ slug }: TenantAnswer) => join(directory, 'data', 'tenants', slug, 'data', 'note');
  const statusOf = async ({ id }: TenantAnswer) =>
    (await manager.call<TenantAnswer>('GET', `/api/tenants/${id}`)).body.status;

  async function startMove({ id }: TenantAnswer): Promise<string> {
    const { status, body } = await manager.call<{ deployment_id: string }>(
      'POST',
      `/api/tenants/${id}/move?wait=false`,
      {
        body: {},
      },
    );
    expect([status, body]).toEqual([202, expect.objectContaining({ deployment_id: expect.any(String) })]);
    return body.deployment_id;
  }

  async function assertMoved(tenant: TenantAnswer): Promise<void> {
    expect(await statusOf(tenant)).toBe('running');
    expect(await processUnitsOf(tenant.slug, directory)).toHaveLength(2);
    expect(await runningAtOrigin(tenant)).toEqual([`${tenant.slug}-db`]);
    const people = await manager.call('GET', `/api/tenants/${tenant.id}/remote/persons/count`);
    expect(people.body).toMatchObject({ total: supporters.people });
    expect(await readFile(noteOf(tenant), 'utf8')).toBe('kept\n');
    expect(await databasesOf(tenant)).toHaveLength(1);
  }

  /** As before the move: it runs at the origin, and nothing of it is here. */
  async function assertUndone(tenant: TenantAnswer): Promise<void> {
    expect(await statusOf(tenant)).toBe('running');
    expect(await runningAtOrigin(tenant)).toEqual(['api', 'db', 'frontend'].map((name) => `${tenant.slug}-${name}`));
    const answer = await fetch(`http://127.0.0.1:${tenant.backend_port}/api/health`);
    expect(await answer.json()).toMatchObject({ status: 'healthy' });
    expect(await processUnitsOf(tenant.slug, directory)).toEqual([]);
    expect(await databasesOf(tenant)).toEqual([]);
    expect(existsSync(noteOf(tenant))).toBe(false);
    const environment = await readFile(join(directory, 'data', 'tenants', tenant.slug, '.env'), 'utf8');
    expect(environment).toContain(`@${tenant.slug}-db`);
    const plan = await manager.call('POST', `/api/tenants/${tenant.id}/move`, { body: { dry_run: true } });
    expect(plan.body).toMatchObject({ running: true, problems: [] });
  }

  test.each(moments.map((moment, index) => [...moment, index] as const))(
    'a move killed at “%s” + %i ms resumes; a removal of what it left, killed after %i ms, can be repeated',
    async (step, delayMs, removalDelayMs, index) => {
      const tenant = tenants[index] as TenantAnswer;
      const id = await startMove(tenant);
      await killWhen(manager, id, { shows: stepBegins(step), delayMs });
      await manager.start();
      expect(await endOfDeployment(manager, id)).toMatchObject({ status: 'success', error: null });
      await assertMoved(tenant);

      const remove = () => manager.call('DELETE', `/api/tenants/${tenant.id}/move`);
      const asked = remove().catch(() => undefined);
      await sleep(removalDelayMs);
      await manager.kill();
      await asked;
      await manager.start();
      expect(await remove()).toMatchObject({ status: 200, body: { removed: true } });
      expect([await containersOf(tenant), await volumesOf(tenant), await networksOf(tenant)]).toEqual([[], [], []]);
      expect(await processUnitsOf(tenant.slug, directory)).toHaveLength(2);
    },
  );

  /** Its containers keep their port; here its api can't listen on this one. */
  async function withoutPort(work: () => Promise<void>): Promise<void> {
    const port = await freePort();
    const path = `/api/tenants/${failing.id}`;
    expect((await manager.call('PUT', path, { body: { backend_port: port } })).status).toBe(200);
    const occupant = createServer().listen(port, '127.0.0.1');
    try {
      await work();
    } finally {
      occupant.close();
    }
  }

  test.each(sampled('rollback of a move', 1, [0, 300, 1_000, 2_500]))(
    'a move that fails, killed %i ms into the rollback, ends where it started',
    (delayMs) =>
      withoutPort(async () => {
        const id = await startMove(failing);
        await killWhen(manager, id, { shows: 'Health check failed', delayMs });
        await manager.start();
        expect(await endOfDeployment(manager, id)).toMatchObject({ status: 'failed', error: { step: 'Health check' } });
        await assertUndone(failing);
      }),
  );

  test.each(sampled('cancelled move', 1, ['Back up', 'Create database', 'Create services', 'Start services']))(
    'a move cancelled and killed at “%s” ends where it started',
    async (step) => {
      const id = await startMove(failing);
      await until(
        async () => (await manager.call<DeploymentAnswer>('GET', `/api/deployments/${id}`)).body,
        ({ current_step, status }) => current_step === step || status !== 'running',
      );
      expect((await manager.call('POST', `/api/deployments/${id}/cancel`)).status).toBe(202);
      await manager.kill();
      await manager.start();
      expect(await endOfDeployment(manager, id)).toMatchObject({ status: 'cancelled' });
      await assertUndone(failing);
    },
  );

  test('a move that was killed three times gives up, and ends where it started', async () => {
    const id = await startMove(failing);
    await killWhen(manager, id, { shows: stepBegins('Create database'), delayMs: 100 });
    for (let crashes = 1; crashes <= 3; crashes += 1) {
      await manager.start();
      if (crashes === 3) break;
      const { logs } = await until(
        async () => (await manager.call<DeploymentAnswer>('GET', `/api/deployments/${id}`)).body,
        ({ logs }) => logs.split('Resumed after a manager restart').length > crashes,
      );
      expect(logs).not.toContain('Health check …');
      await manager.kill();
    }
    const { status, error } = await endOfDeployment(manager, id);
    expect([status, error?.message]).toEqual([
      'failed',
      'The manager crashed 3 times during this operation; giving up',
    ]);
    await assertUndone(failing);
  });
});
