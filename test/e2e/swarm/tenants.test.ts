import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createConnection } from 'mysql2/promise';
import { addRelease, makeContactsRepository } from '../../../examples/contacts/make-repository.ts';
import { spaceOf } from '../../../src/features/tenants/tenant.ts';
import { poll } from '../../../src/lib/concurrency/poll.ts';
import { type App, startApp } from '../../harness/app/app.ts';
import { countPeople, importSupporters, supporters } from '../../harness/data/contacts.ts';
import { themeForm } from '../../harness/data/pictures.ts';
import { deploy, getTenant, makeTenant, type TenantAnswer, until } from '../../harness/data/tenants.ts';
import { patienceMs } from '../../harness/patience.ts';
import { TestNginx } from '../../harness/proxy/nginx.ts';
import { visit } from '../../harness/proxy/visitor.ts';
import { type MariaDb, startMariaDb } from '../../harness/servers/mariadb-server.ts';
import { describeWithSwarm, type NodeNumber } from '../../harness/swarm/cluster.ts';

interface NodeAnswer {
  id: string;
  hostname: string;
  address: string;
  engine_version: string;
  tenants: string[];
  reserved_bytes: number;
  tenants_reserved_bytes: number;
}

describeWithSwarm('tenants on a swarm of three engines', (cluster) => {
  let directory: string;
  let server: MariaDb;
  let nginx: TestNginx;
  let app: App;
  let tenant: TenantAnswer;

  const start = (): Promise<App> =>
    startApp({
      directory,
      environment: {
        RUNTIME: 'swarm',
        DOCKER_HOST: cluster().engines.join(','),
        SWARM_STORAGE: cluster().storage,
        SWARM_REGISTRY: cluster().registry,
        SWARM_PROBE_IMAGE: 'node:24-bookworm-slim',
        TENANT_DATABASE_URL: server.adminUrl,
        PROXY: 'nginx',
        PROXY_DIRECTORY: join(nginx.directory, 'tenantry'),
        PROXY_HTTP_PORT: String(nginx.httpPort),
        PROXY_HTTPS_PORT: String(nginx.httpsPort),
        NGINX_CONFIG: nginx.mainConfig,
      },
      healthTimeoutMs: 120_000,
    });

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tenantry-e2e-swarm-'));
    server = await startMariaDb(cluster().host);
    nginx = await TestNginx.create();
    app = await start();
    await nginx.start();
    const repository = (await makeContactsRepository(join(directory, 'contacts'))).path;
    tenant = await makeTenant(app, repository);
  });
  afterAll(async () => {
    await app?.stop();
    await nginx?.destroy();
    await server?.stop();
    await rm(directory, { recursive: true, force: true });
  });

  const domain = (): string => `api.${tenant.slug}.example.org`;
  const health = async (): Promise<unknown> => {
    const answer = await visit(nginx.httpPort, domain(), { path: '/api/health' }).catch((error: unknown) =>
      String(error),
    );
    if (typeof answer === 'string' || answer.status !== 200) {
      console.info(typeof answer === 'string' ? answer : `${answer.status} ${answer.text.slice(0, 200)}`);
      return undefined;
    }
    return JSON.parse(answer.text);
  };
  const call = async <T = Record<string, unknown>>(method: string, path: string, status: number, body?: object) => {
    const answer = await app.call<T>(method, `/api/tenants/${tenant.id}${path}`, body ? { body } : {});
    if (answer.status !== status) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  /** The number of the node that runs the api. */
  async function nodeOfApi(): Promise<NodeNumber> {
    const space = spaceOf(await app.manager.app.tenants.get(tenant.id));
    const { host } = await app.manager.app.runtime.address({ tenant: space, role: 'api' }, tenant.backend_port);
    return Number(host.split('.').at(-1)) as NodeNumber;
  }
  /** The tenant's own database, as its application uses it. */
  async function query(sql: string): Promise<Record<string, unknown>[]> {
    const connection = await createConnection(server.adminUrl);
    try {
      const [databases] = await connection.query<never[]>("SHOW DATABASES LIKE 'tenantry%'");
      await connection.query(`USE \`${Object.values(databases[0] ?? {})[0]}\``);
      return (await connection.query<never[]>(sql))[0];
    } finally {
      await connection.end();
    }
  }

  test('are deployed with their data, and reached through nginx', async () => {
    expect(await deploy(app, tenant.id, { target_version: 'v1.0.0' })).toMatchObject({
      status: 'success',
      error: null,
    });
    expect((await getTenant(app, tenant.id)).status).toBe('running');
    expect(await health()).toMatchObject({ status: 'healthy' });
    expect(await importSupporters(app, tenant.id)).toMatchObject({ imported: supporters.people });
    expect(await countPeople(app, tenant.id)).toBe(supporters.people);
  });

  test('are backed up, upgraded with a rehearsal first, and restored', async () => {
    const backup = await call<{ id: string; row_counts: object }>('POST', '/backups', 201);
    expect(backup.row_counts).toMatchObject({ persons: supporters.people });
    expect(await call('POST', '/upgrade?rehearse=true', 200, { target_version: 'v1.1.0' })).toMatchObject({ ok: true });
    expect(await call('POST', '/upgrade', 200, { target_version: 'v1.1.0' })).toMatchObject({ status: 'success' });
    expect(await countPeople(app, tenant.id)).toBe(supporters.people);
    await call('POST', `/backups/${backup.id}/restore`, 200, { allow_version_mismatch: true });
    expect(await countPeople(app, tenant.id)).toBe(supporters.people);
    expect(await health()).toMatchObject({ status: 'healthy' });
  });

  test('have logs that name the node, and show a theme after a restart', async () => {
    const { logs } = await call<{ logs: string }>('GET', '/logs?service=backend&lines=5', 200);
    for (const line of logs.split('\n')) expect(line).toMatch(/^\S+Z \[node\d\] /);
    expect(logs).toContain(`[node${await nodeOfApi()}] `);
    const applied = async () => (await call<{ applied: string }>('GET', '/services', 200)).applied;
    const style = async () => (await visit(nginx.httpPort, `${tenant.slug}.example.org`, { path: '/theme.css' })).text;
    const { status } = await fetch(`${app.url}/api/tenants/${tenant.id}/theme`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${app.token}` },
      body: themeForm({ primary_color: '#7A1FA2' }),
    });
    expect(status).toBe(200);
    expect([await applied(), await style()]).toEqual(['pending_restart', expect.not.stringMatching(/#7a1fa2/i)]);
    await call('POST', '/restart', 200);
    expect([await applied(), await style()]).toEqual(['current', expect.stringMatching(/#7a1fa2/i)]);
  });

  test('are upgraded in rings; images and secrets that nothing uses are removed', async () => {
    await addRelease(join(directory, 'contacts'), 'v1.2.0', {});
    const asked = { target_version: 'v1.2.0', tenant_ids: [tenant.id], rings: [1, '100%'] };
    const { status, body } = await app.call<{ id: string }>('POST', '/api/upgrades', { body: asked });
    expect(status).toBe(202);
    const fleet = await until(
      async () => (await app.call<{ status: string; tenants: object[] }>('GET', `/api/upgrades/${body.id}`)).body,
      (found) => !['pending', 'running'].includes(found.status),
    );
    expect(fleet).toMatchObject({ status: 'completed', tenants: [{ status: 'succeeded', reason: null }] });
    expect(await health()).toMatchObject({ status: 'healthy', version: 'v1.2.0' });
    const owned = (await app.manager.app.runtime.list()).map(({ kind }) => kind).sort();
    expect(owned).toEqual(['network', 'secret', 'unit', 'unit']);
  });

  test('stop, start and restart', async () => {
    await call('POST', '/stop', 200);
    expect(await health()).toBeUndefined();
    await call('POST', '/start', 200);
    await call('POST', '/restart', 200);
    expect(await poll(health, { timeoutMs: patienceMs, intervalMs: 500 })).toMatchObject({ status: 'healthy' });
  });

  test('move away from a node that is drained, which an administrator can take back', async () => {
    const address = cluster().addressOf(await nodeOfApi());
    const nodes = async () => (await app.call<{ nodes: NodeAnswer[] }>('GET', '/api/system/nodes')).body.nodes;
    expect((await nodes()).map(({ hostname }) => hostname)).toEqual(['node1', 'node2', 'node3']);
    const busy = (await nodes()).find((node) => node.address === address);
    expect(busy).toMatchObject({ state: 'ready', availability: 'active', role: 'manager', storage: 'ok' });
    expect(busy?.engine_version).toMatch(/^\d+\./);
    expect(busy?.tenants).toEqual([tenant.slug]);
    expect(busy?.tenants_reserved_bytes).toBeGreaterThan(0);
    expect(busy?.reserved_bytes).toBeGreaterThanOrEqual(busy?.tenants_reserved_bytes ?? 0);
    const { token } = await app.userOf('operator');
    expect((await app.call('POST', `/api/system/nodes/${busy?.id}/drain`, { token })).status).toBe(403);

    const drained = await app.call('POST', `/api/system/nodes/${busy?.id}/drain`);
    expect([drained.status, drained.body]).toEqual([
      200,
      { node: expect.objectContaining({ availability: 'drain' }), moving: [tenant.slug] },
    ]);
    const moved = async () => {
      const all = await nodes();
      const left = all.find(({ id }) => id === busy?.id)?.tenants.length ?? 0;
      return left === 0 && all.some(({ tenants }) => tenants.includes(tenant.slug)) ? true : undefined;
    };
    expect(await poll(moved, { timeoutMs: patienceMs, intervalMs: 500 })).toBe(true);
    expect(await poll(health, { timeoutMs: patienceMs, intervalMs: 500 })).toMatchObject({ status: 'healthy' });
    const back = await app.call('POST', `/api/system/nodes/${busy?.id}/activate`);
    expect(back.body).toMatchObject({ node: { availability: 'active' }, moving: [] });
    expect((await app.call('POST', '/api/system/nodes/unknown/drain')).status).toBe(404);
  });

  test('answer through nginx after the loss of their node, without a manager, and with all their data', async () => {
    const lost = await nodeOfApi();
    await query('CREATE TABLE IF NOT EXISTS heartbeat (id INT PRIMARY KEY)');
    await app.stop();
    await query('INSERT INTO heartbeat VALUES (1)');
    const began = performance.now();
    await cluster().lose(lost);
    expect(await poll(health, { timeoutMs: patienceMs, intervalMs: 500 })).toMatchObject({ status: 'healthy' });
    console.info(`answered ${((performance.now() - began) / 1000).toFixed(1)} s after the loss of node ${lost}`);
    await query('INSERT INTO heartbeat VALUES (2)');

    app = await start();
    expect(await query('SELECT id FROM heartbeat ORDER BY id')).toEqual([{ id: 1 }, { id: 2 }]);
    expect(await countPeople(app, tenant.id)).toBe(supporters.people);
    expect(await nodeOfApi()).not.toBe(lost);
    // The site follows its units, for a moment.
    const isIdle = async () => (app.manager.app.engine.isBusy(tenant.id) ? undefined : true);
    await poll(isIdle, { timeoutMs: patienceMs, intervalMs: 200 });
    expect(await deploy(app, tenant.id, { target_version: 'v1.1.0' })).toMatchObject({
      status: 'success',
      error: null,
    });
    await cluster().start(lost);
  });

  test('are deleted with everything that belongs to them', async () => {
    await call('DELETE', '?remove_files=true', 200);
    const left = await app.manager.app.runtime.list();
    expect(left.filter(({ tenantId }) => tenantId === tenant.id)).toEqual([]);
    const connection = await createConnection(server.adminUrl);
    expect((await connection.query("SHOW DATABASES LIKE 'tenantry%'"))[0]).toEqual([]);
    await connection.end();
  });
});
