import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import { makeContactsRepository } from '../../../examples/contacts/make-repository.ts';
import type { HealthReport } from '../../../src/features/health/schema.ts';
import { type App, startApp } from '../../harness/app/app.ts';
import { countPeople, importSupporters, supporters } from '../../harness/data/contacts.ts';
import { deploy, makeTenant, type TenantAnswer } from '../../harness/data/tenants.ts';
import { describeMariaDb } from '../../harness/servers/mariadb.ts';
import { type MariaDb, startMariaDb } from '../../harness/servers/mariadb-server.ts';

describeMariaDb('tenants on a shared database server', () => {
  let directory: string;
  let server: MariaDb;
  let repository: string;
  let app: App;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tenantry-shared-'));
    server = await startMariaDb();
    repository = (await makeContactsRepository(join(directory, 'repository'))).path;
    app = await startApp({ environment: { TENANT_DATABASE_URL: server.adminUrl } });
  });
  afterAll(async () => {
    const { body } = await app.call<{ tenants: { id: string }[] }>('GET', '/api/tenants?limit=500');
    for (const { id } of body.tenants) await app.call('DELETE', `/api/tenants/${id}?remove_files=true`);
    await app.stop();
    await server.stop();
    await rm(directory, { recursive: true, force: true });
  });

  async function ask(sql: string, url = server.adminUrl): Promise<string[]> {
    const connection = await createConnection(url);
    try {
      const [rows] = await connection.query<RowDataPacket[]>(sql);
      return rows.map((row) => String(Object.values(row)[0]));
    } finally {
      await connection.end();
    }
  }
  const databases = () => ask("SHOW DATABASES LIKE 'tenantry\\_%'");
  const accounts = () => ask("SELECT user FROM mysql.user WHERE user LIKE 'tenantry\\_%'");
  async function deployed(target_version: string): Promise<TenantAnswer> {
    const tenant = await makeTenant(app, repository);
    expect(await deploy(app, tenant.id, { target_version })).toMatchObject({ status: 'success', error: null });
    return tenant;
  }
  const health = async ({ id }: TenantAnswer) =>
    (await app.call<HealthReport>('POST', `/api/tenants/${id}/health-check`)).body;

  test('each has its own database and account, keeps its data through an upgrade, and cannot read others’', async () => {
    const first = await deployed('v1.0.0');
    const second = await deployed('v1.0.0');
    expect(await databases()).toHaveLength(2);
    expect(await accounts()).toHaveLength(2);
    expect(await importSupporters(app, first.id)).toMatchObject({ imported: supporters.people, failed: 0 });
    expect(await deploy(app, first.id, { target_version: 'v1.1.0' })).toMatchObject({ status: 'success', error: null });
    expect([await countPeople(app, first.id), await countPeople(app, second.id)]).toEqual([supporters.people, 0]);
    const { overall_status, checks } = await health(first);
    expect(overall_status).toBe('healthy');
    expect(checks.database).toMatchObject({ status: 'healthy', connections: expect.any(Number) });
    expect(checks.database.longest_query_s).toBe(0);
    expect(checks.database.size_mb).toBeGreaterThan(0);
    expect(checks.database.connections).toBeGreaterThan(0);
    const [name = ''] = await databases();
    const grants = await ask(`SHOW GRANTS FOR '${(await accounts())[0]}'@'%'`);
    expect(grants).toHaveLength(2);
    expect(name).toMatch(/^tenantry_/);
    for (const { id } of [first, second]) await app.call('DELETE', `/api/tenants/${id}?remove_files=true`);
  });

  test('deleting a tenant without remove_files removes its account and keeps its database; with it both are removed', async () => {
    const kept = await deployed('v1.1.0');
    const [database = ''] = await databases();
    await importSupporters(app, kept.id);
    expect((await app.call('DELETE', `/api/tenants/${kept.id}`)).status).toBe(200);
    expect(await databases()).toEqual([database]);
    expect(await accounts()).toEqual([]);
    expect(await ask('SELECT COUNT(*) FROM persons', `${server.adminUrl}/${database}`)).toEqual([
      String(supporters.people),
    ]);

    const gone = await deployed('v1.1.0');
    expect(await databases()).toHaveLength(2);
    expect((await app.call('DELETE', `/api/tenants/${gone.id}?remove_files=true`)).status).toBe(200);
    expect(await databases()).toEqual([database]);
    expect(await accounts()).toEqual([]);
  });

  test('an unavailable server does not mark a backup as damaged: its last check result stays', async () => {
    const { id } = await deployed('v1.1.0');
    const backup = (await app.call<{ id: string }>('POST', `/api/tenants/${id}/backups`)).body;
    const one = `/api/tenants/${id}/backups/${backup.id}`;
    const before = await app.call('POST', `${one}/verify`);
    expect(before.body).toMatchObject({ drill: { ok: true } });
    // The last test: nothing starts it again.
    await server.stop();
    const { status, body } = await app.call('POST', `${one}/verify`);
    expect([status, body.code]).toEqual([503, 'database_unavailable']);
    expect((await app.call('GET', one)).body).toEqual(before.body);
  });
});
