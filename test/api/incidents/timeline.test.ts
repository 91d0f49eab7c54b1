import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type App, startApp } from '../../harness/app/app.ts';
import { makeFixtureRepository } from '../../harness/data/fixture-repository.ts';
import { makeListTakerRepository } from '../../harness/data/list-taker.ts';
import { analyze, endOfImport, execute, upload } from '../../harness/data/lists.ts';
import { deploy, makeTenant, type TenantAnswer, until } from '../../harness/data/tenants.ts';
import type { TimelineEntry } from '../../harness/data/timeline.ts';
import { eachDatabase } from '../../harness/servers/mariadb.ts';
import { alertsAbout, checkApart, type IncidentListAnswer } from './incident-answers.ts';

interface Answer {
  entries: TimelineEntry[];
  next: string | null;
  kinds: string[];
}

eachDatabase('timelines', (newDatabase) => {
  let app: App;
  /** One that takes lists, and one that can be made unhealthy. */
  let taker: TenantAnswer;
  let fragile: TenantAnswer;

  beforeAll(async () => {
    app = await startApp({ environment: { DATABASE_URL: await newDatabase() }, healthTimeoutMs: 20_000 });
    const lists = await makeListTakerRepository(join(app.directory, 'lists'));
    const fixture = await makeFixtureRepository(join(app.directory, 'fixture'));
    taker = await makeTenant(app, lists.path, { name: 'Takes lists' });
    fragile = await makeTenant(app, fixture.path, { name: 'Fragile' });
    for (const { id } of [taker, fragile]) expect(await deploy(app, id)).toMatchObject({ status: 'success' });
  });
  afterAll(async () => {
    for (const { id } of [taker, fragile]) await app?.call('DELETE', `/api/tenants/${id}?remove_files=true`);
    await app?.stop();
  });

  const get = async (path: string, token?: string) =>
    (await app.call<Answer>('GET', `/api/${path}`, token ? { token } : {})).body;
  const timelineOf = ({ id }: TenantAnswer, query = '', token?: string) => get(`tenants/${id}/timeline${query}`, token);
  const newest = async (tenant: TenantAnswer, kind: string) =>
    (await timelineOf(tenant, `?kinds=${kind}&limit=1`)).entries[0];

  test('show deployments with version, user and link', async () => {
    const found = await newest(taker, 'deployment');
    expect(found).toMatchObject({
      kind: 'deployment',
      severity: 'info',
      outcome: 'success',
      title: expect.stringMatching(/^Deployment to \S+ succeeded$/),
      tenant: { id: taker.id, name: 'Takes lists', deleted: false },
      user: 'admin',
      link: { type: 'deployment' },
    });
    expect((await app.call('GET', `/api/deployments/${found?.link?.id}`)).status).toBe(200);
  });

  test('show changes of the configuration, the services, tenants and settings', async () => {
    await app.call('PUT', `/api/tenants/${taker.id}/config`, { body: { custom_env: { TOKEN_LIKE: 'hidden-value' } } });
    await app.call('POST', `/api/tenants/${taker.id}/restart`);
    await app.call('PUT', '/api/settings/incident_failures', { body: { value: 2 } });
    await app.call('PUT', '/api/settings/incident_reminder_minutes', { body: { value: 61 } });
    expect(await newest(taker, 'configuration')).toMatchObject({
      title: `Configuration of ${taker.slug} changed by admin`,
      user: 'admin',
    });
    expect(await newest(taker, 'service')).toMatchObject({ title: 'admin restarted the services' });
    expect(await newest(taker, 'tenant')).toMatchObject({ title: `Tenant ${taker.slug} created by admin` });
    expect((await timelineOf(taker, '?kinds=settings')).entries).toEqual([]);
    const [setting] = (await get('timeline?kinds=settings&limit=1')).entries;
    expect(setting).toMatchObject({ title: 'Setting incident_reminder_minutes changed by admin', tenant: null });
    expect(JSON.stringify(await timelineOf(taker))).not.toContain('hidden-value');
  });

  test('show imports, backups and drills with links to them', async () => {
    await app.call('PUT', '/api/notifications/preferences', { body: { severity: 'info' } });
    const { job_id } = await upload(app, taker.id, 'First Name,Last Name\nAda,Example\n', 'people.csv');
    await analyze(app, taker.id, job_id);
    await execute(app, taker.id, job_id, {});
    await endOfImport(app, taker.id, job_id);
    const { entries } = await until(
      () => timelineOf(taker, '?kinds=import'),
      (found) => found.entries.length === 2,
    );
    expect(entries).toMatchObject([
      { title: 'Import of people.csv: success', user: 'admin', link: { type: 'import', id: job_id } },
      { title: 'admin began to import a list', detail: 'people.csv', link: { type: 'import', id: job_id } },
    ]);
    expect(await alertsAbout(app, 'import')).toMatchObject([
      { title: 'Takes lists: Import finished', severity: 'info', link: expect.stringContaining('/lists/') },
    ]);
    const backup = await app.call<{ id: string }>('POST', `/api/tenants/${fragile.id}/backups`);
    expect(await newest(fragile, 'backup')).toMatchObject({
      title: 'Backup succeeded',
      user: 'admin',
      link: { type: 'backup', id: backup.body.id },
    });
    await app.call('POST', `/api/tenants/${fragile.id}/backups/${backup.body.id}/verify`, { body: {} });
    expect(await newest(fragile, 'backup')).toMatchObject({
      title: 'Restore drill succeeded',
      user: 'admin',
      link: { type: 'deployment' },
    });
  });

  test('show health and incidents, and what changed in the hour before one', async () => {
    const { backend_port } = (await app.call<TenantAnswer>('GET', `/api/tenants/${fragile.id}`)).body;
    const environment = (await (await fetch(`http://127.0.0.1:${backend_port}/env`)).json()) as { IMPORT_DIR: string };
    const failing = join(environment.IMPORT_DIR, 'failing');
    const check = () => app.call('POST', `/api/tenants/${fragile.id}/health-check`);
    await writeFile(failing, '');
    await checkApart(check);
    const list = () => app.call<IncidentListAnswer>('GET', `/api/incidents?tenant_id=${fragile.id}`);
    const [incident] = (await until(list, ({ body }) => body.total === 1)).body.incidents;
    await app.call('POST', `/api/incidents/${incident?.id}/acknowledge`);
    await rm(failing);
    await check();
    await check();
    await until(list, ({ body }) => body.incidents[0]?.status === 'resolved');

    const { entries } = await timelineOf(fragile, '?kinds=incident,health');
    const title = 'The API says that it is not healthy';
    expect(entries.filter(({ kind }) => kind === 'incident')).toMatchObject([
      { title: `Incident resolved: ${title}`, severity: 'info', detail: expect.stringContaining('after ') },
      { title: `Recovered from: ${title}` },
      { title: `Incident acknowledged: ${title}`, user: 'admin' },
      { title: `Incident: ${title}`, severity: 'error', link: { type: 'incident', id: incident?.id } },
    ]);
    expect(entries.find(({ kind, severity }) => kind === 'health' && severity === 'error')?.title).toContain(
      'unhealthy',
    );

    const opened = entries.find((entry) => entry.title === `Incident: ${title}`);
    const to = opened?.at ?? '';
    const from = new Date(Date.parse(to) - 3_600_000).toISOString();
    const before = (await timelineOf(fragile, `?from=${from}&to=${to}`)).entries;
    expect(before[0]).toEqual(opened);
    expect(before.map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(['health', 'backup', 'deployment', 'tenant']),
    );
    expect((await timelineOf(fragile, `?to=${from}`)).entries).toEqual([]);
    const ofFleet = (await get('timeline?kinds=incident')).entries.map((entry) => entry.title);
    expect(ofFleet).toEqual([`Incident resolved: ${title}`, `Incident acknowledged: ${title}`, `Incident: ${title}`]);
  });

  test('show refused sign-ins and changed credentials, without addresses', async () => {
    await app.call('POST', '/api/auth/login', { token: '', body: { username: 'admin', password: 'wrong' } });
    await app.call('POST', '/api/auth/tokens', { body: { name: 'robot' } });
    const { entries } = await get('timeline?kinds=sign_in');
    expect(entries.map(({ title }) => title)).toEqual(expect.arrayContaining(['Login failed']));
    expect(entries.find(({ title }) => title === 'Login failed')).toMatchObject({ severity: 'warning', tenant: null });
    expect(JSON.stringify(entries)).not.toContain('127.0.0.1');
  });

  test('hide the audit log from viewers', async () => {
    const { token } = await app.userOf('viewer');
    const found = await get('timeline?limit=200', token);
    expect(found.kinds).toEqual(expect.arrayContaining(['deployment', 'incident', 'health']));
    for (const { kind, user } of found.entries) if (kind === 'deployment') expect(user).toBeNull();
    for (const hidden of ['configuration', 'import', 'settings', 'sign_in', 'user', 'tenant', 'service']) {
      expect(found.kinds).not.toContain(hidden);
      expect(found.entries.map(({ kind }) => kind)).not.toContain(hidden);
    }
    expect((await get('timeline?kinds=settings,sign_in', token)).entries).toEqual([]);
    const ofOperator = await get('timeline?kinds=settings', (await app.userOf('operator')).token);
    expect(ofOperator.entries).not.toEqual([]);
  });

  test('answer each of many parallel requests by its own user’s role', async () => {
    const [viewer, operator] = [(await app.userOf('viewer')).token, (await app.userOf('operator')).token];
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) => get('timeline?limit=200', index % 2 === 0 ? viewer : operator)),
    );
    for (const [index, { kinds, entries }] of answers.entries()) {
      const isViewer = index % 2 === 0;
      expect(kinds.includes('settings')).toBe(!isViewer);
      expect(entries.some(({ kind }) => kind === 'settings')).toBe(!isViewer);
      expect(entries.some(({ kind, user }) => kind === 'deployment' && user !== null)).toBe(!isViewer);
    }
  });

  test('reject unknown kinds and cursors, and tenants that do not exist', async () => {
    for (const query of ['kinds=weather', 'before=yesterday', 'before=2026-99-99T00:00:00.000Z/log/1', 'limit=0'])
      expect((await app.call('GET', `/api/timeline?${query}`)).status).toBe(400);
    expect((await app.call('GET', '/api/tenants/0b5f2f0a-0000-4000-8000-000000000000/timeline')).status).toBe(404);
    const pages = await get('timeline?limit=1');
    const second = await get(`timeline?limit=1&before=${encodeURIComponent(pages.next ?? '')}`);
    expect(second.entries[0]?.id).not.toBe(pages.entries[0]?.id);
  });
});
