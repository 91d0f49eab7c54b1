import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type App, startApp } from '../../harness/app/app.ts';
import { makeFixtureRepository } from '../../harness/data/fixture-repository.ts';
import { deploy, makeTenant, type TenantAnswer, until } from '../../harness/data/tenants.ts';
import { onOneDatabase } from '../../harness/servers/mariadb.ts';
import {
  alertKeys,
  checkApart,
  endedLongAgo,
  type IncidentAnswer,
  type IncidentListAnswer,
  kindsOf,
} from './incident-answers.ts';

onOneDatabase('incidents', (newDatabase) => {
  let app: App;
  let databaseUrl: string;
  let tenants: TenantAnswer[];
  const failing = new Map<string, string>();

  beforeAll(async () => {
    databaseUrl = await newDatabase();
    app = await startApp({ environment: { DATABASE_URL: databaseUrl }, healthTimeoutMs: 5_000 });
    const repository = await makeFixtureRepository(`${app.directory}/repository`);
    tenants = await Promise.all(['a', 'b'].map((name) => makeTenant(app, repository.path, { name })));
    for (const { id, backend_port } of tenants) {
      expect(await deploy(app, id)).toMatchObject({ status: 'success' });
      const environment = await (await fetch(`http://127.0.0.1:${backend_port}/env`)).json();
      failing.set(id, join((environment as { IMPORT_DIR: string }).IMPORT_DIR, 'failing'));
    }
  });
  afterAll(async () => {
    for (const { id } of tenants) await app?.call('DELETE', `/api/tenants/${id}?remove_files=true`);
    await app?.stop();
  });

  const list = async (query = '') => (await app.call<IncidentListAnswer>('GET', `/api/incidents${query}`)).body;
  const get = async (id: string) => (await app.call<IncidentAnswer>('GET', `/api/incidents/${id}`)).body;
  const check = ({ id }: TenantAnswer) => app.call('POST', `/api/tenants/${id}/health-check`);
  const breakTenant = (tenant: TenantAnswer) => writeFile(failing.get(tenant.id) ?? '', '');
  const repair = (tenant: TenantAnswer) => rm(failing.get(tenant.id) ?? '');
  const unresolved = () => list('?status=unresolved');
  async function opened(tenant: TenantAnswer): Promise<IncidentAnswer> {
    await breakTenant(tenant);
    await checkApart(() => check(tenant));
    // The total is counted a moment later.
    const { incidents } = await until(unresolved, (found) => found.incidents.length === 1);
    return get(incidents[0]?.id ?? '');
  }
  async function recovered(tenant: TenantAnswer, id: string): Promise<IncidentAnswer> {
    await repair(tenant);
    await check(tenant);
    await check(tenant);
    const incident = await until(
      () => get(id),
      ({ status }) => status === 'resolved',
    );
    await endedLongAgo(databaseUrl, id);
    return incident;
  }

  test('open with the second failed check in a row, and resolve with the second good one', async () => {
    const [a] = tenants as [TenantAnswer];
    await check(a);
    await breakTenant(a);
    await check(a);
    await repair(a);
    await check(a);
    expect((await list()).total).toBe(0);
    const incident = await opened(a);
    expect(incident).toMatchObject({
      status: 'open',
      severity: 'error',
      title: 'The API says that it is not healthy',
      cause: { code: 'application_unwell', scope: { kind: 'tenant', name: a.slug } },
      tenant_count: 1,
      affected_count: 1,
      tenants: [{ id: a.id, slug: a.slug, left_at: null }],
      in_maintenance: false,
    });
    expect((await list()).open_count).toBe(1);
    await until(
      () => get(incident.id),
      (now) => kindsOf(now).includes('notified'),
    );
    const ended = await recovered(a, incident.id);
    expect(ended).toMatchObject({ affected_count: 0, tenants: [{ left_reason: 'recovered' }] });
    await until(
      () => get(incident.id),
      (now) => kindsOf(now).at(-1) === 'notified',
    );
    expect(kindsOf(await get(incident.id))).toEqual(['opened', 'notified', 'recovered', 'resolved', 'notified']);
    expect((await alertKeys(app, incident.id)).sort()).toEqual(['opened', 'resolved']);
    expect((await list()).open_count).toBe(0);
  });

  test('are acknowledged with an audit entry, take notes, and are exported', async () => {
    const [a] = tenants as [TenantAnswer];
    const { id } = await opened(a);
    const viewer = await app.userOf('viewer');
    const operator = await app.userOf('operator');
    expect((await app.call('POST', `/api/incidents/${id}/acknowledge`, { token: viewer.token })).status).toBe(403);
    const acknowledged = await app.call<IncidentAnswer>('POST', `/api/incidents/${id}/acknowledge`, {
      token: operator.token,
    });
    expect(acknowledged.body).toMatchObject({
      status: 'acknowledged',
      acknowledged_by: expect.stringContaining('operator'),
    });
    const noted = await app.call('POST', `/api/incidents/${id}/notes`, { body: { text: 'Disk was <full>' } });
    expect(noted.status).toBe(201);
    expect((await app.call('POST', `/api/incidents/${id}/notes`, { body: { text: ' ' } })).status).toBe(400);
    const log = await app.call<{ logs: { message: string }[] }>('GET', '/api/logs?search=acknowledged+the+incident');
    expect(log.body.logs).toHaveLength(1);
    await recovered(a, id);
    expect((await app.call('POST', `/api/incidents/${id}/acknowledge`)).status).toBe(409);
    const exported = await app.call<{ text: string }>('GET', `/api/incidents/${id}/export`);
    expect(exported.headers.get('content-type')).toContain('text/markdown');
    expect(exported.body.text).toMatch(/^# The API says that it is not healthy\n/);
    expect(exported.body.text).toContain('Note by admin: Disk was \\<full\\>');
    expect(exported.body.text).toMatch(/- \*\*Acknowledged:\*\* .* by operator/);
    expect((await app.call('GET', `/api/incidents/${id}`, { token: viewer.token })).status).toBe(200);
    expect((await app.call('GET', `/api/incidents/${tenants[0]?.id}`)).status).toBe(404);
  });

  test('of a stopped tenant end, and stopping opens none', async () => {
    const [a, b] = tenants as [TenantAnswer, TenantAnswer];
    const { id } = await opened(b);
    await app.call('POST', `/api/tenants/${b.id}/stop`);
    const ended = await until(
      () => get(id),
      ({ status }) => status === 'resolved',
    );
    expect(ended.tenants[0]).toMatchObject({ left_reason: 'stopped' });
    await endedLongAgo(databaseUrl, id);
    await check(b);
    await check(b);
    expect((await unresolved()).total).toBe(0);
    await repair(b);
    expect((await app.call('POST', `/api/tenants/${b.id}/start`)).status).toBe(200);
    expect((await list(`?tenant_id=${b.id}`)).incidents.map((incident) => incident.id)).toEqual([id]);
    expect((await list(`?tenant_id=${a.id}&limit=1`)).total).toBe(2);
  });

  test('during a maintenance window are recorded, and announced only if they outlast it', async () => {
    const [a] = tenants as [TenantAnswer];
    const [starts_at, ends_at] = [-1, 60].map((minutes) => new Date(Date.now() + minutes * 60_000).toISOString());
    const body = { tenant_id: a.id, starts_at, ends_at, reason: 'New disk' };
    const bad = { ...body, ends_at: starts_at };
    expect((await app.call('POST', '/api/maintenance-windows', { body: bad })).status).toBe(400);
    for (const starts_at of ['0020-02-29T00:00:00Z', '0000-01-01T00:00:00+14:00', '2199-12-31T23:59:59-14:00'])
      expect(
        (
          await app.call('POST', '/api/maintenance-windows', {
            body: { ...body, starts_at, ends_at: '9999-12-31T23:59:59Z' },
          })
        ).body.code,
      ).toBe('validation_error');
    expect((await app.call('POST', '/api/maintenance-windows', { body: { ...body, time_zone: 'Mars' } })).status).toBe(
      400,
    );
    const window = await app.call<{ id: string; active: boolean }>('POST', '/api/maintenance-windows', { body });
    expect([window.status, window.body.active]).toEqual([201, true]);
    const quiet = await opened(a);
    expect(quiet.in_maintenance).toBe(true);
    await recovered(a, quiet.id);
    const path = `/api/maintenance-windows/${window.body.id}`;
    expect((await app.call('PUT', path, { body: bad })).status).toBe(400);
    const longer = { ...body, reason: 'Two new disks', ends_at: new Date(Date.now() + 7_200_000).toISOString() };
    const changed = await app.call('PUT', path, { body: longer });
    expect(changed.body).toMatchObject({
      id: window.body.id,
      active: true,
      created_by: 'admin',
      reason: 'Two new disks',
    });
    const other = path.replace(window.body.id, a.id);
    expect((await app.call('PUT', other, { body: longer })).status).toBe(404);
    const loud = await opened(a);
    expect(await alertKeys(app, loud.id)).toEqual([]);
    // A change that ends it now has the same effect as its end.
    const over = { ...longer, ends_at: new Date(Date.now() - 1_000).toISOString() };
    expect((await app.call<{ active: boolean }>('PUT', path, { body: over })).body.active).toBe(false);
    await until(
      () => alertKeys(app, loud.id),
      (keys) => keys.includes('opened'),
    );
    expect(await alertKeys(app, quiet.id)).toEqual([]);
    expect(kindsOf(await get(quiet.id))).toEqual(['opened', 'recovered', 'resolved']);
    await recovered(a, loud.id);
    expect((await app.call('DELETE', path)).status).toBe(200);
    const listed = await app.call<{ total: number }>('GET', '/api/maintenance-windows');
    expect(listed.body.total).toBe(0);
  });

  test('of the manager’s disk open without a tenant, with details for operators', async () => {
    const setting = '/api/settings/min_free_disk_mb';
    const { body: before } = await app.call<{ value: number }>('GET', setting);
    await app.call('PUT', '/api/settings/incident_failures', { body: { value: 1 } });
    await app.call('PUT', setting, { body: { value: 10_000_000 } });
    const { incidents } = await until(unresolved, (found) => found.incidents.length === 1);
    const [disk] = incidents;
    expect(disk).toMatchObject({ title: 'Little disk space is left', severity: 'warning', tenant_count: 0 });
    expect((await get(disk?.id ?? '')).detail).toMatch(/^Only \d+ MiB free/);
    const viewer = await app.userOf('viewer');
    const seen = await app.call<IncidentAnswer>('GET', `/api/incidents/${disk?.id}`, { token: viewer.token });
    expect(seen.body.detail).toBeNull();
    const ofHost = await list('?scope=engine,disk');
    expect(ofHost.incidents.map(({ id }) => id)).toEqual([disk?.id]);
    expect((await list('?scope=tenant')).incidents.map(({ id }) => id)).not.toContain(disk?.id);
    await app.call('PUT', setting, { body: { value: before.value } });
    await until(
      () => get(disk?.id ?? ''),
      ({ status }) => status === 'resolved',
    );
  });
});
