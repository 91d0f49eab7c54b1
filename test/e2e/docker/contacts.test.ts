import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseEnv, promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import Docker from 'dockerode';
import { createConnection } from 'mysql2/promise';
import { addRelease, makeContactsRepository } from '../../../examples/contacts/make-repository.ts';
import type { HealthReport } from '../../../src/features/health/schema.ts';
import { spaceOf } from '../../../src/features/tenants/tenant.ts';
import { type App, startApp } from '../../harness/app/app.ts';
import { countPeople, importList, listOf } from '../../harness/data/contacts.ts';
import { deploy, getTenant, makeTenant, type TenantAnswer, until } from '../../harness/data/tenants.ts';
import { describeWithEngine } from '../../harness/engine/engine.ts';
import { readEvents } from '../../harness/servers/event-stream.ts';

const people = 10_000;
const tables = ['persons', 'person_keys', 'tags', 'person_tags', 'events', 'communications', 'users'];

/** Corrupts the people; a later failure must roll that back. */
const vandalize = (end: string) => `
import { migrate } from '../shared/migration.js';
await migrate(async ({ database }) => {
  await database.run("UPDATE persons SET last_name = 'Nobody'");
  await database.run('DELETE FROM persons WHERE first_name < ?', ['First5']);
  await database.run('CREATE TABLE vandals (id INTEGER)');
  ${end}
});
`;
const healthOf500 = `export const healthCheck = () => (c) => c.json({ status: 'unhealthy' }, 500);\n`;

/** The content of the tenant's database: rows by table, and a checksum over some columns of all people. */
interface Contents {
  counts: Record<string, number>;
  columns: string[];
  checksum: string;
}

/**
 * The sample application as containers, with a MariaDB container for each tenant; each test continues from the
 * previous one. Ten thousand people, valid and all kinds of invalid ones.
 */
describeWithEngine('the sample application on Docker', () => {
  const docker = new Docker();
  let directory: string;
  let repository: Awaited<ReturnType<typeof makeContactsRepository>>;
  let app: App;
  let tenant: TenantAnswer;
  let manifest: string;
  let before: Contents;
  let number = 0;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tenantry-contacts-'));
    repository = await makeContactsRepository(join(directory, 'repository'));
    manifest = await readFile(join(repository.path, 'tenant.yaml'), 'utf8');
    app = await startApp({ environment: { RUNTIME: 'docker' }, healthTimeoutMs: 15_000 });
    tenant = await makeTenant(app, repository.path);
  });
  afterAll(async () => {
    const { runtime } = app.manager.app;
    const { body } = await app.call<{ tenants: { id: string }[] }>('GET', '/api/tenants?limit=500');
    for (const { id } of body.tenants) await app.call('DELETE', `/api/tenants/${id}?remove_files=true`);
    await runtime.removeReleasesExcept(new Set());
    const left = (await runtime.list()).map(({ name }) => name);
    await app.stop();
    await rm(directory, { recursive: true, force: true });
    expect(left).toEqual([]);
  });

  const ofTenant = (path: string, id = tenant.id) => `/api/tenants/${id}${path}`;
  const owned = async (kind: string) => (await app.manager.app.runtime.list()).filter((found) => found.kind === kind);
  const page = async (of = tenant, path = '/') => (await fetch(`http://127.0.0.1:${of.frontend_port}${path}`)).text();
  const health = async () => (await app.call<HealthReport>('POST', ofTenant('/health-check'))).body;
  const services = async () => (await app.call('GET', ofTenant('/services/status'))).body;
  async function act(action: 'start' | 'stop' | 'restart'): Promise<unknown> {
    const { status, body } = await app.call('POST', ofTenant(`/${action}`));
    expect([status, body]).toEqual([200, expect.anything()]);
    return body.services;
  }

  async function query(statement: string): Promise<Record<string, unknown>[]> {
    const { DATABASE_URL = '' } = parseEnv(await readFile(join(tenant.directory, '.env'), 'utf8'));
    const { username, password, pathname } = new URL(DATABASE_URL);
    const space = spaceOf(await app.manager.app.tenants.get(tenant.id));
    const connection = await createConnection({
      ...(await app.manager.app.runtime.databaseServers?.address(space)),
      user: username,
      password: decodeURIComponent(password),
      database: pathname.slice(1),
    });
    try {
      return (await connection.query(statement))[0] as Record<string, unknown>[];
    } finally {
      await connection.end();
    }
  }

  /** @param columns of people; all by default */
  async function contents(columns?: readonly string[]): Promise<Contents> {
    const counts: Contents['counts'] = {};
    for (const table of tables) counts[table] = Number((await query(`SELECT COUNT(*) AS n FROM ${table}`))[0]?.n);
    const rows = await query('SELECT * FROM persons ORDER BY id');
    const named = columns ?? Object.keys(rows[0] ?? {});
    const hash = createHash('sha256');
    for (const row of rows) hash.update(JSON.stringify(named.map((name) => row[name])));
    return { counts, columns: [...named], checksum: hash.digest('hex') };
  }

  const upgrade = (body: Record<string, unknown> = {}) =>
    app.call<Record<string, unknown> & { detail: string; details: string[]; migrations_run: string[] }>(
      'POST',
      `/api/tenants/${tenant.id}/upgrade`,
      { body },
    );

  async function assertHealthyAt(version: string): Promise<void> {
    const health = await app.call('POST', `/api/tenants/${tenant.id}/health-check`);
    expect(health.body.overall_status).toBe('healthy');
    const answer = await fetch(`http://127.0.0.1:${tenant.backend_port}/api/health`);
    expect(await answer.json()).toMatchObject({ status: 'healthy', version });
    const { body } = await app.call('GET', `/api/tenants/${tenant.id}/version`);
    expect(body).toMatchObject({ deployed_version: version });
    expect((await getTenant(app, tenant.id)).status).toBe('running');
    expect(await app.manager.app.runtime.pendingChanges()).toEqual([]);
  }

  /** Sends requests repeatedly, and returns the longest outage, in ms. */
  function watchAway(port: number): () => Promise<number> {
    let [watching, longest, since] = [true, 0, performance.now()];
    const look = async (): Promise<void> => {
      while (watching) {
        const signal = AbortSignal.timeout(2_000);
        const answer = await fetch(`http://127.0.0.1:${port}/`, { signal }).catch(() => undefined);
        await answer?.body?.cancel();
        const now = performance.now();
        if (answer && answer.status < 500) {
          longest = Math.max(longest, now - since);
          since = now;
        }
        await sleep(10);
      }
    };
    const looked = look();
    return async () => {
      watching = false;
      await looked;
      return Math.round(longest);
    };
  }

  test('v1.0.0 is deployed with its database, and is completely healthy', async () => {
    expect(await deploy(app, tenant.id, { target_version: 'v1.0.0' })).toMatchObject({
      status: 'success',
      commit: repository.commits['v1.0.0'],
      error: null,
    });
    tenant = await getTenant(app, tenant.id);
    expect(tenant.status).toBe('running');
    const { overall_status, checks } = await health();
    expect(overall_status).toBe('healthy');
    expect(checks).toMatchObject({
      frontend: { status: 'up', status_code: 200 },
      backend: { status: 'up', status_code: 200 },
      database: { status: 'healthy', size_mb: expect.any(Number), connections: expect.any(Number) },
      services: { frontend_service: 'active', backend_service: 'active' },
    });
    expect(checks.database.size_mb).toBeGreaterThan(0);
    expect(checks.database.connections).toBeGreaterThan(0);
    expect((await owned('database')).map(({ name }) => name)).toEqual([`${tenant.slug}-db`]);
    expect(await page()).toContain('Version v1.0.0');
  });

  test('imports a list with its own import, and the manager counts the people', async () => {
    expect(await importList(app, tenant.id, Readable.from(listOf(people)))).toMatchObject({
      total: people,
      imported: people,
      failed: 0,
    });
    expect(await countPeople(app, tenant.id)).toBe(people);
    const { status, body } = await app.call('GET', ofTenant('/remote/stats'));
    expect([status, body]).toEqual([200, expect.objectContaining({ persons: people })]);
    expect(body.database_size_mb).toBeGreaterThan(0);
    expect(await page(tenant, '/?search=person9999')).toContain('person9999@example.org');
    before = await contents();
    expect(before.counts.persons).toBe(people);
  });

  test('is upgraded to v1.1.0 with its migration: keeps everybody', async () => {
    const watches = [tenant.backend_port, tenant.frontend_port].map(watchAway);
    const { status, body } = await upgrade();
    const [api, frontend] = await Promise.all(watches.map((end) => end()));
    expect([status, body]).toEqual([200, expect.objectContaining({ status: 'success', new_version: 'v1.1.0' })]);
    process.stdout.write(
      `away during the upgrade: api ${api} ms, frontend ${frontend} ms\n${body.details.join('\n')}\n`,
    );
    expect(body.migrations_run.at(-1)).toBe('scripts/add_person_last_contacted.js');
    expect(await contents(before.columns)).toEqual(before);
    expect((await contents()).columns).toContain('last_contacted_at');
    expect(await countPeople(app, tenant.id)).toBe(people);
    expect(await page()).toContain('Version v1.1.0');
    await assertHealthyAt('v1.1.0');
  });

  test('is stopped, started and restarted, and reports what runs', async () => {
    expect(await act('stop')).toEqual({ frontend: 'inactive', backend: 'inactive' });
    expect(await services()).toEqual({ api: 'inactive', frontend: 'inactive' });
    expect((await getTenant(app, tenant.id)).status).toBe('stopped');
    expect((await health()).overall_status).toBe('unknown');
    expect(await act('start')).toEqual({ frontend: 'active', backend: 'active' });
    expect(await act('restart')).toEqual({ frontend: 'active', backend: 'active' });
    expect(await services()).toEqual({ api: 'active', frontend: 'active' });
    await until(health, ({ overall_status }) => overall_status === 'healthy');
    expect((await getTenant(app, tenant.id)).status).toBe('running');
    expect(await countPeople(app, tenant.id)).toBe(people);
  });

  test.each([
    ['backend', 'api', '/docs'],
    ['frontend', 'frontend', '/?search=person9999'],
  ] as const)('the log of the %s is read and followed', async (service, role, path) => {
    const port = role === 'api' ? tenant.backend_port : tenant.frontend_port;
    const visit = async () => (await fetch(`http://127.0.0.1:${port}${path}`)).arrayBuffer();
    const line = `GET ${path.split('?')[0]} 200`;
    await visit();
    const { logs } = await until(
      async () => (await app.call<{ logs: string }>('GET', ofTenant(`/logs?service=${service}&lines=50`))).body,
      (answer) => answer.logs.includes(line),
    );
    const before = logs.split('\n').length;

    const ending = new AbortController();
    const url = `${app.url}${ofTenant(`/logs?service=${service}&follow=true`)}`;
    let visits = 0;
    for await (const message of readEvents(url, app.token, ending.signal)) {
      expect(message).toMatchObject({ type: 'log', service, seq: expect.any(Number) });
      // After the earlier lines, a visit must appear live.
      if (Number(message.seq) >= before && visits < 3) {
        visits += 1;
        await visit();
      }
      if (visits === 3 && String(message.message).startsWith(line)) break;
    }
    ending.abort();
    expect(visits).toBe(3);
  });

  test('a second tenant at the same commit shares only the images', async () => {
    const before = (await owned('image')).map(({ name }) => name).sort();
    expect(before.filter((name) => name.includes(String(repository.commits['v1.1.0'])))).toHaveLength(2);
    const second = await makeTenant(app, repository.path);
    expect(await deploy(app, second.id, { target_version: 'v1.1.0' })).toMatchObject({
      status: 'success',
      error: null,
    });
    expect((await owned('image')).map(({ name }) => name).sort()).toEqual(before);
    expect(await countPeople(app, second.id)).toBe(0);
    expect(await page(second)).toContain('There are no people yet');
    const { body } = await app.call<{ removed: unknown }>('DELETE', `/api/tenants/${second.id}?remove_files=true`);
    expect(body.removed).toMatchObject({ files: true, services: true });
    const left = (await app.manager.app.runtime.list()).filter(({ tenantId }) => tenantId === second.id);
    expect(left).toEqual([]);
    expect(await countPeople(app, tenant.id)).toBe(people);
  });

  test('a changed configuration applies at the next restart', async () => {
    const { status } = await app.call('PUT', ofTenant('/config'), {
      body: { app_name: 'Valley Contacts', custom_env: { THEME_PRIMARY_COLOR: '#123456' } },
    });
    expect(status).toBe(200);
    expect(await page()).not.toContain('Valley Contacts');
    expect(await act('restart')).toEqual({ frontend: 'active', backend: 'active' });
    expect(await page()).toContain('Valley Contacts');
    const colours = await fetch(`http://127.0.0.1:${tenant.frontend_port}/theme.css`);
    expect((await colours.text()).toUpperCase()).toContain('#123456');
    expect(await countPeople(app, tenant.id)).toBe(people);
  });

  test('a unit that crashes restarts automatically', async () => {
    const container = docker.getContainer(`${tenant.slug}-api`);
    const kill = await container.exec({ Cmd: ['sh', '-c', 'kill -9 -1'] });
    (await kill.start({ Detach: true })).destroy();
    await until(
      () => container.inspect(),
      ({ RestartCount: restarts, State: state }) => restarts > 0 && state.Running && !state.Restarting,
    );
    await until(health, ({ overall_status }) => overall_status === 'healthy');
    expect(await countPeople(app, tenant.id)).toBe(people);
  });

  test('units and database killed by hand are reported by the sweep, and a start restores them', async () => {
    // The engine takes that for a manual stop, and does not start it again.
    for (const name of ['api', 'db']) await docker.getContainer(`${tenant.slug}-${name}`).kill();
    for (const _ of [1, 2, 3]) await app.manager.app.health.runSweep();
    const found = await getTenant(app, tenant.id);
    expect(found).toMatchObject({ status: 'error', health_status: 'unhealthy' });
    expect((await app.call<HealthReport>('GET', ofTenant('/health'))).body.checks).toMatchObject({
      backend: { status: 'down' },
      database: { status: 'unhealthy', error: expect.stringContaining('not running') },
      services: { backend_service: 'inactive', frontend_service: 'active' },
    });
    expect(await act('start')).toEqual({ frontend: 'active', backend: 'active' });
    await until(health, ({ overall_status }) => overall_status === 'healthy');
    expect((await getTenant(app, tenant.id)).status).toBe('running');
    expect(await countPeople(app, tenant.id)).toBe(people);
  });

  test.each<[string, Record<string, string>, string]>([
    ['migration fails', { 'scripts/vandalize.js': vandalize("throw new Error('no such column');") }, 'Run migrations'],
    ['api crashes', { 'api/server.js': "console.error('cannot reach the moon'); process.exit(3);\n" }, 'Health check'],
    ['health answers 500', { 'api/health.js': healthOf500 }, 'Health check'],
    ['build fails', { Dockerfile: 'FROM node:24-bookworm-slim AS api\nRUN exit 9\nFROM api AS frontend\n' }, 'Prepare'],
  ])('an upgrade to a version whose %s: rolled back, healthy, with everybody', async (what, files, step) => {
    const healthy = await contents();
    number += 1;
    const version = `v1.2.${number}`;
    const install = what === 'build fails' ? 'exit 9' : 'npm ci --omit=dev --no-audit --no-fund';
    await promisify(execFile)('git', ['-C', repository.path, 'checkout', '--quiet', 'v1.1.0', '--', '.']);
    await addRelease(repository.path, version, {
      'scripts/vandalize.js': vandalize(''),
      'tenant.yaml': manifest
        .replace(/^install: .*$/m, `install: ${install}`)
        .replace(/^checks:$/m, '    - vandalize\n$&'),
      ...files,
    });
    const { status, body } = await upgrade({ target_version: version });
    expect([status, body]).toEqual([502, expect.objectContaining({ code: 'upgrade_failed' })]);
    expect(body.detail).toContain(`to ${version} failed: ${step}: `);
    expect(body.detail).toContain(step === 'Prepare' ? 'Nothing was changed' : 'Rolled back');
    expect(await contents()).toEqual(healthy);
    expect(await query(`SELECT * FROM persons WHERE last_name = 'Nobody'`)).toEqual([]);
    await expect(query('SELECT * FROM vandals')).rejects.toThrow();
    await assertHealthyAt('v1.1.0');
  });

  test('deleting it leaves nothing at the engine', async () => {
    const { status } = await app.call('DELETE', ofTenant('?remove_files=true'));
    expect(status).toBe(200);
    const left = (await app.manager.app.runtime.list()).filter(({ kind }) => kind !== 'image');
    expect(left).toEqual([]);
    const filters = { label: [`org.tenantry.tenant=${tenant.id}`] };
    expect(await docker.listContainers({ all: true, filters })).toEqual([]);
    expect((await docker.listVolumes({ filters })).Volumes ?? []).toEqual([]);
    expect(await docker.listNetworks({ filters })).toEqual([]);
  });
});
