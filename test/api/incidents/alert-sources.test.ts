import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type App, adminPassword, startApp } from '../../harness/app/app.ts';
import { makeFixtureRepository } from '../../harness/data/fixture-repository.ts';
import { deploy, makeTenant, setEnvironment, type TenantAnswer, until } from '../../harness/data/tenants.ts';
import { eachDatabase } from '../../harness/servers/mariadb.ts';
import { type InboxEntry, inboxOf } from './incident-answers.ts';

eachDatabase('alerts about events', (newDatabase) => {
  let app: App;
  let tenant: TenantAnswer;
  let repository: Awaited<ReturnType<typeof makeFixtureRepository>>;
  let environment: Record<string, string>;

  beforeAll(async () => {
    environment = { DATABASE_URL: await newDatabase() };
    app = await startApp({ environment, healthTimeoutMs: 5_000 });
    await app.call('PUT', '/api/notifications/preferences', { body: { severity: 'info' } });
    repository = await makeFixtureRepository(`${app.directory}/repository`);
    tenant = await makeTenant(app, repository.path, { name: 'a' });
  });
  afterAll(async () => {
    await app?.call('DELETE', `/api/tenants/${tenant.id}?remove_files=true`);
    await app?.stop();
  });

  const alerts = async (event?: string, token?: string): Promise<InboxEntry[]> =>
    (await inboxOf(app, token)).filter((entry) => event === undefined || entry.event === event);
  const signIn = (agent: string, password = adminPassword, username = 'admin') =>
    app.call<{ access_token: string }>('POST', '/api/auth/login', {
      token: null,
      body: { username, password },
      headers: { 'user-agent': agent },
    });

  test('report deployments that failed and that succeeded, with their operation', async () => {
    const good = await deploy(app, tenant.id);
    await setEnvironment(app, tenant.id, { MODE: 'crash' });
    const bad = await deploy(app, tenant.id);
    const found = await until(
      () => alerts('deployment'),
      ({ length }) => length === 2,
    );
    expect(found.map(({ severity, key }) => [severity, key]).sort()).toEqual([
      ['error', `operation/${bad.id}/failed`],
      ['info', `operation/${good.id}/success`],
    ]);
    expect(found.map(({ link }) => link)).toContain(`/tenants/${tenant.id}/deployments/${bad.id}`);
  });

  test('report upgrades that failed and that succeeded, and failed backups of a day once', async () => {
    await setEnvironment(app, tenant.id, {});
    await repository.release('v1.2.0', { 'NEWS.md': 'Version 1.2.0\n' });
    const upgrade = () => app.call('POST', `/api/tenants/${tenant.id}/upgrade`);
    expect((await upgrade()).status).toBe(200);
    await setEnvironment(app, tenant.id, { MIGRATION: 'fail' });
    await repository.release('v1.3.0', { 'NEWS.md': 'Version 1.3.0\n' });
    expect((await upgrade()).status).not.toBe(200);
    const upgrades = await until(
      () => alerts('upgrade'),
      ({ length }) => length === 2,
    );
    expect(upgrades.map(({ severity, title }) => [severity, title]).sort()).toEqual([
      ['error', 'a: Upgrade failed'],
      ['info', 'a: Upgrade succeeded'],
    ]);
    const page = await fetch(`http://127.0.0.1:${tenant.backend_port}/env`);
    const { DATABASE_URL: database } = (await page.json()) as { DATABASE_URL: string };
    await writeFile(database.replace('sqlite:', ''), 'This is no database.');
    const backup = () => app.call('POST', `/api/tenants/${tenant.id}/backups`);
    expect([(await backup()).status, (await backup()).status].every((status) => status >= 400)).toBe(true);
    const [failed] = await until(
      () => alerts('backup'),
      ({ length }) => length === 1,
    );
    expect(failed).toMatchObject({ severity: 'error', title: 'a: Backup failed' });
  });

  test('report a sign-in from another program once, but not a newer version of a known one', async () => {
    await signIn('Firefox/145.0 (X11; Linux x86_64)');
    const found = await until(
      () => alerts('sign_in'),
      ({ length }) => length === 1,
    );
    expect(found[0]).toMatchObject({ severity: 'warning', title: expect.stringContaining('from another program') });
    await signIn('Firefox/146.0.1 (X11; Linux x86_64)');
    await signIn('curl/8.14');
    await until(
      () => alerts('sign_in'),
      ({ length }) => length === 2,
    );
  });

  test('report changes of credentials to their user, without addresses for operators', async () => {
    const { id, username, token, password } = await app.userOf('viewer');
    const operator = await app.userOf('operator');
    await app.call('PUT', `/api/users/${id}`, { body: { role: 'operator' } });
    await app.call('POST', '/api/auth/tokens', { token, body: { name: 'backup script', role: 'viewer' } });
    const change = { current_password: password, new_password: 'nineteen copper kettles sing' };
    expect((await app.call('POST', '/api/auth/change-password', { token, body: change })).status).toBe(200);
    await app.call('PUT', `/api/users/${id}`, { body: { email: 'new@example.org' } });
    const own = await signIn('Firefox/146.0.1', change.new_password, username);
    const found = await until(
      () => alerts('credentials', own.body.access_token),
      ({ length }) => length >= 4,
    );
    expect(found.map(({ title }) => title).sort()).toEqual([
      'The API token “backup script” was created for your account',
      'The e-mail address of your account was changed',
      'Your password was changed',
      'Your role was changed from viewer to operator',
    ]);
    expect([await alerts('credentials'), await alerts('credentials', operator.token)]).toEqual([[], []]);
    const seen = await app.call<{ logs: unknown[] }>('GET', '/api/logs?search=Login', { token: operator.token });
    expect(seen.body.logs.length).toBeGreaterThan(0);
    expect(JSON.stringify(seen.body.logs)).not.toMatch(/127\.0\.0\.1|curl/);
  });

  test('repeat nothing after a restart', async () => {
    // Others are about states, such as a tenant that its broken database made unhealthy.
    const events = ['deployment', 'upgrade', 'backup', 'sign_in', 'credentials'];
    const aboutEvents = async () =>
      (await alerts())
        .filter(({ event }) => events.includes(event))
        .map(({ key }) => key)
        .sort();
    const before = await aboutEvents();
    await app.manager.stop();
    const again = await startApp({ environment, directory: app.directory, healthTimeoutMs: 5_000 });
    app = { ...again, stop: again.stop };
    await signIn('Another browser');
    await until(
      () => alerts('sign_in'),
      ({ length }) => length === 3,
    );
    const after = await aboutEvents();
    expect(after.filter((one) => before.includes(one))).toEqual(before);
    expect(after.filter((one) => !before.includes(one))).toEqual([expect.stringMatching(/^sign_in\//)]);
  });
});
