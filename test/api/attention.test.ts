import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openManagerStore } from '../../src/app/lifecycle/manager-store.ts';
import { createLogger } from '../../src/lib/logger.ts';
import { type App, startApp } from '../harness/app/app.ts';
import { type FixtureRepository, makeFixtureRepository } from '../harness/data/fixture-repository.ts';
import { deploy, makeTenant, setEnvironment, type TenantAnswer, until } from '../harness/data/tenants.ts';
import { onOneDatabase } from '../harness/servers/mariadb.ts';

interface Item {
  kind: string;
  tenant: { id: string; name: string; slug: string };
  cause: string;
  since: string | null;
  operation_id: string | null;
}

onOneDatabase('what needs attention', (newDatabase) => {
  let app: App;
  let databaseUrl: string;
  let repository: FixtureRepository;
  let tenants: TenantAnswer[];
  let first: TenantAnswer;

  beforeAll(async () => {
    databaseUrl = await newDatabase();
    app = await startApp({ environment: { DATABASE_URL: databaseUrl }, healthTimeoutMs: 5_000 });
    repository = await makeFixtureRepository(`${app.directory}/repository`);
    tenants = await Promise.all(['a', 'b', 'c'].map((name) => makeTenant(app, repository.path, { name })));
    for (const { id } of tenants) expect(await deploy(app, id)).toMatchObject({ status: 'success' });
    first = await makeTenant(app, repository.path, { name: 'never deployed' });
  });
  afterAll(async () => {
    for (const { id } of tenants) await app?.call('DELETE', `/api/tenants/${id}?remove_files=true`);
    await app?.stop();
  });

  const ask = async (user?: App['call']) =>
    (
      await (user ?? app.call)<{
        items: Item[];
        behind: { count: number; version: string | null } | null;
        system: { kind: string; severity: string; cause: string }[];
        health: { checks: number; unhealthy: number }[];
      }>('GET', '/api/attention')
    ).body;

  test('is nothing while all is well', async () => {
    for (const { id } of tenants) await app.call('POST', `/api/tenants/${id}/health-check`);
    const { items, system, health } = await ask();
    expect([items, system]).toEqual([[], []]);
    expect(health).toHaveLength(24);
    expect(health.reduce((sum, { checks }) => sum + checks, 0)).toBeGreaterThanOrEqual(3);
    expect(health.reduce((sum, { unhealthy }) => sum + unhealthy, 0)).toBe(0);
  });

  test('is a failed deployment with its cause, before a stopped tenant', async () => {
    const [broken, stopped] = tenants as [TenantAnswer, TenantAnswer];
    await setEnvironment(app, broken.id, { MODE: 'crash' });
    const failed = await deploy(app, broken.id);
    expect(failed.status).toBe('failed');
    expect((await app.call('POST', `/api/tenants/${stopped.id}/stop`)).status).toBe(200);
    // Its rolled-back services need a moment until they listen.
    await until(
      async () =>
        (await app.call<{ overall_status: string }>('POST', `/api/tenants/${broken.id}/health-check`)).body
          .overall_status,
      (health) => health === 'healthy',
    );
    const { items } = await ask();
    expect(items.map(({ kind, tenant }) => [kind, tenant.name])).toEqual([
      ['deployment_failed', 'a'],
      ['stopped', 'b'],
    ]);
    expect(items[0]).toMatchObject({
      tenant: { id: broken.id, slug: broken.slug },
      cause: expect.stringMatching(/^Health check: The API (ends with exit code 3\.|crashes: exit 3, )/),
      since: expect.any(String),
      operation_id: failed.id,
    });
    expect(items[1]).toMatchObject({ cause: 'admin stopped the services', since: expect.any(String) });
  });

  test('is an unhealthy tenant with what its checks found, first', async () => {
    const [broken, , sick] = tenants as [TenantAnswer, TenantAnswer, TenantAnswer];
    const environment = await (await fetch(`http://127.0.0.1:${sick.backend_port}/env`)).json();
    const failing = join((environment as { IMPORT_DIR: string }).IMPORT_DIR, 'failing');
    await writeFile(failing, '');
    await app.call('POST', `/api/tenants/${sick.id}/health-check`);
    const { items, health } = await ask();
    expect(items[0]).toMatchObject({
      kind: 'unhealthy',
      tenant: { id: sick.id },
      cause: expect.stringContaining('backend: '),
      since: expect.any(String),
    });
    expect(health.some(({ unhealthy }) => unhealthy > 0)).toBe(true);
    await rm(failing);
    await app.call('POST', `/api/tenants/${sick.id}/health-check`);
    await setEnvironment(app, broken.id, {});
    expect(await deploy(app, broken.id)).toMatchObject({ status: 'success' });
    expect((await ask()).items.map(({ kind }) => kind)).toEqual(['stopped']);
  });

  test('is a first deployment that failed', async () => {
    await setEnvironment(app, first.id, { MODE: 'crash' });
    expect((await deploy(app, first.id)).status).toBe('failed');
    const { items } = await ask();
    expect(items[0]).toMatchObject({ kind: 'deployment_failed', tenant: { id: first.id } });
    expect(items).toHaveLength(2);
    await app.call('DELETE', `/api/tenants/${first.id}`);
  });

  test('is how many tenants are behind, once for all', async () => {
    const [behind] = tenants as [TenantAnswer];
    const updates = () => app.manager.app.upgrades.updates.run(new AbortController().signal);
    await updates();
    expect((await ask()).behind).toBeNull();
    expect(await deploy(app, behind.id, { target_version: 'v1.0.0' })).toMatchObject({ status: 'success' });
    expect((await ask()).behind).toEqual({ count: 1, version: 'v1.1.0' });
  });

  test('is a stopped tenant for seven days only', async () => {
    const replacements = { eightDaysAgo: new Date(Date.now() - 8 * 86_400_000) };
    const store = await openManagerStore(databaseUrl, createLogger({ level: 'silent' }));
    await store.sequelize
      .query(`UPDATE log_entries SET created_at = :eightDaysAgo WHERE INSTR(details, '"after":"stopped"') > 0`, {
        replacements,
      })
      .finally(() => store.close());
    expect((await ask()).items).toEqual([]);
    const [, stopped] = tenants as [TenantAnswer, TenantAnswer];
    for (const action of ['start', 'stop'])
      expect((await app.call('POST', `/api/tenants/${stopped.id}/${action}`)).status).toBe(200);
    expect((await ask()).items.map(({ kind }) => kind)).toEqual(['stopped']);
  });

  test('is a full disk of the manager, for operators; a viewer sees the tenants', async () => {
    const setting = '/api/settings/min_free_disk_mb';
    const { body: before } = await app.call<{ value: number }>('GET', setting);
    expect((await app.call('PUT', setting, { body: { value: 10_000_000 } })).status).toBe(200);
    // Findings are reused for some seconds.
    const { system } = await until(ask, (found) => found.system.length > 0);
    expect(system).toEqual([
      {
        kind: 'disk',
        severity: 'warning',
        name: join(app.directory, 'data'),
        cause: expect.stringMatching(/^Only \d+ MiB free\. Below 10000000 MiB/),
      },
    ]);
    const viewer = await app.userOf('viewer');
    const { body } = await app.call<{ items: Item[]; system: unknown[] }>('GET', '/api/attention', {
      token: viewer.token,
    });
    expect(body.items.map(({ kind }) => kind)).toEqual(['stopped']);
    expect(body.system).toEqual([]);
    await app.call('PUT', setting, { body: { value: before.value } });
  });
});
