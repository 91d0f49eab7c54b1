import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import BetterSqlite from 'better-sqlite3';
import { addRelease, makeContactsRepository } from '../../../../examples/contacts/make-repository.ts';
import type { HealthReport } from '../../../../src/features/health/schema.ts';
import { type App, startApp } from '../../../harness/app/app.ts';
import { countPeople, importSupporters, supporters } from '../../../harness/data/contacts.ts';
import {
  databaseFileIn,
  deploy,
  getTenant,
  makeTenant,
  type TenantAnswer,
  until,
} from '../../../harness/data/tenants.ts';
import { output, scratchDirectory, unitsOnDisk, usersOf } from './machine.ts';

/** The sample application as systemd services, with SQLite; each test continues from the previous one. */
describe('the sample application on systemd', () => {
  let directory: string;
  let repository: Awaited<ReturnType<typeof makeContactsRepository>>;
  let app: App;
  let tenant: TenantAnswer;

  beforeAll(async () => {
    directory = await scratchDirectory('services');
    repository = await makeContactsRepository(join(directory, 'repository'));
    app = await startApp({ environment: { RUNTIME: 'systemd' }, healthTimeoutMs: 10_000 });
    tenant = await getTenant(app, (await makeTenant(app, repository.path)).id);
  });
  afterAll(async () => {
    await app.stop();
    await rm(directory, { recursive: true, force: true });
  });

  const ofTenant = (path: string) => `/api/tenants/${tenant.id}${path}`;
  const page = async () => (await fetch(`http://127.0.0.1:${tenant.frontend_port}/`)).text();
  const health = async () => (await app.call<HealthReport>('POST', ofTenant('/health-check'))).body;
  const healthy = () => until(health, ({ overall_status }) => overall_status === 'healthy');

  test('v1.0.0 is deployed, healthy, and started at boot', async () => {
    const end = await deploy(app, tenant.id, { target_version: 'v1.0.0' });
    expect(end).toMatchObject({ status: 'success', commit: repository.commits['v1.0.0'], error: null });
    expect((await healthy()).checks).toMatchObject({
      frontend: { status: 'up' },
      backend: { status: 'up' },
      services: { frontend_service: 'active', backend_service: 'active' },
    });
    expect(await page()).toContain('Version v1.0.0');
    for (const role of ['api', 'frontend'])
      expect((await output('systemctl', 'is-enabled', `${tenant.slug}-${role}`)).trim()).toBe('enabled');
    expect((await app.call('GET', '/readyz')).body).toMatchObject({ runtime: { kind: 'systemd', available: true } });
  });

  test('no secret of the tenant is readable for others', async () => {
    const environment = await readFile(join(tenant.directory, '.env'), 'utf8');
    const secrets = [...environment.matchAll(/^(?:SECRET_KEY|API_KEYS)="?([^"\n]+)/gm)].map((match) => match[1] ?? '');
    expect(secrets).toHaveLength(2);
    for (const role of ['api', 'frontend']) {
      const unit = await readFile(`/etc/systemd/system/${tenant.slug}-${role}.service`, 'utf8');
      const shown = await output('systemctl', 'show', `${tenant.slug}-${role}`);
      for (const secret of secrets) expect(unit + shown).not.toContain(secret);
      const path = /^EnvironmentFile=(.+)$/m.exec(unit)?.[1] ?? '';
      expect(await readFile(path, 'utf8')).toContain(secrets[0]);
      expect((await stat(path)).mode & 0o777).toBe(0o600);
    }
    const commands = await output('ps', '-eo', 'args');
    for (const secret of secrets) expect(commands).not.toContain(secret);
  });

  test('imports a list through its own import directory', async () => {
    const answer = await importSupporters(app, tenant.id);
    expect(answer).toMatchObject({ total: supporters.people, imported: supporters.people, failed: 0 });
    expect(await countPeople(app, tenant.id)).toBe(supporters.people);
  });

  test('is upgraded to v1.1.0 with its migration, the people still there', async () => {
    const { status, body } = await app.call('POST', ofTenant('/upgrade'), { body: { target_version: 'v1.1.0' } });
    expect([status, body]).toEqual([200, expect.objectContaining({ new_version: 'v1.1.0' })]);
    expect(await page()).toContain('Version v1.1.0');
    expect(await countPeople(app, tenant.id)).toBe(supporters.people);
  });

  test('an upgrade to a version that does not run is rolled back, data included', async () => {
    await addRelease(repository.path, 'v1.2.0', { 'api/server.js': "console.error('no licence'); process.exit(1);\n" });
    const { status, body } = await app.call('POST', ofTenant('/upgrade'), { body: { target_version: 'v1.2.0' } });
    expect([status, body]).toEqual([502, expect.objectContaining({ code: 'upgrade_failed' })]);
    expect(await page()).toContain('Version v1.1.0');
    await healthy();
    expect(await getTenant(app, tenant.id)).toMatchObject({ status: 'running' });
    expect(await countPeople(app, tenant.id)).toBe(supporters.people);
  });

  test('is deployed again with another configuration', async () => {
    const { status } = await app.call('PUT', ofTenant('/config'), { body: { app_name: 'Valley % "Contacts" $HOME' } });
    expect(status).toBe(200);
    expect(await deploy(app, tenant.id)).toMatchObject({ status: 'success', version: 'v1.1.0' });
    expect(await page()).toContain('Valley % &quot;Contacts&quot; $HOME');
    expect(await countPeople(app, tenant.id)).toBe(supporters.people);
  });

  test('is stopped and started; its log is read', async () => {
    for (const [action, state] of [
      ['stop', 'inactive'],
      ['start', 'active'],
    ]) {
      const { body } = await app.call('POST', ofTenant(`/${action}`));
      expect(body.services).toEqual({ frontend: state, backend: state });
    }
    await healthy();
    await (await fetch(`http://127.0.0.1:${tenant.backend_port}/docs`)).arrayBuffer();
    await until(
      async () => (await app.call<{ logs: string }>('GET', ofTenant('/logs?service=backend&lines=50'))).body.logs,
      (logs) => logs.includes('GET /docs 200'),
    );
  });

  test('a backup made while it runs restores the people', async () => {
    const made = await app.call<{ id: string }>('POST', ofTenant('/backups'), { body: {} });
    expect([made.status, made.body]).toEqual([201, expect.objectContaining({ status: 'complete' })]);
    const database = new BetterSqlite(databaseFileIn(join(tenant.directory, 'data')));
    database.exec('DELETE FROM persons');
    database.close();
    expect(await countPeople(app, tenant.id)).toBe(0);
    const restored = await app.call('POST', ofTenant(`/backups/${made.body.id}/restore`), { body: {} });
    expect([restored.status, restored.body]).toEqual([200, expect.anything()]);
    await healthy();
    expect(await countPeople(app, tenant.id)).toBe(supporters.people);
  });

  test('deleting it leaves no unit, user, process or file', async () => {
    const { status, body } = await app.call<{ removed: unknown }>('DELETE', ofTenant('?remove_files=true'));
    expect([status, body.removed]).toEqual([200, expect.objectContaining({ files: true, services: true })]);
    expect(await unitsOnDisk(tenant.slug)).toEqual([]);
    const store = new BetterSqlite(join(app.directory, 'data', 'tenantry.db'), { readonly: true });
    const instance = store.prepare("SELECT value FROM store_facts WHERE name = 'instance_id'").pluck().get();
    store.close();
    expect(instance).toMatch(/^\w/);
    expect(await usersOf(String(instance))).toEqual([]);
    expect(await readdir(join(app.directory, 'data', 'systemd', 'tenants'))).toEqual([]);
    await expect(stat(tenant.directory)).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
