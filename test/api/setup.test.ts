import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type App, adminPassword, startApp } from '../harness/app/app.ts';
import { appOnSqlite } from '../harness/app/each-store-app.ts';
import { makeFixtureRepository } from '../harness/data/fixture-repository.ts';
import { deploy, makeTenant } from '../harness/data/tenants.ts';

/** The steps that are open for a user. */
async function openSteps(app: App, token = app.token): Promise<string[]> {
  const path = '/api/setup-checklist';
  const { body } = await app.call<{ steps: { key: string; done: boolean }[] }>('GET', path, { token });
  return body.steps.filter(({ done }) => !done).map(({ key }) => key);
}

appOnSqlite('the setup checklist', (app) => {
  test('derives each step from facts', async () => {
    const first = ['own_password', 'host_checked', 'second_admin', 'proxy_and_certificates'];
    const all = [...first, 'backup_schedule', 'offsite_copies', 'notification_channel'];
    expect(await openSteps(app())).toEqual([...all, 'first_tenant']);

    const repository = await makeFixtureRepository(join(app().directory, 'repository'));
    const tenant = await makeTenant(app(), repository.path);
    expect(await openSteps(app())).toContain('first_tenant');
    await deploy(app(), tenant.id);
    expect(await openSteps(app())).toEqual(all);

    await app().call('PUT', '/api/settings/backup_schedule', { body: { value: '0 3 * * *' } });
    await app().call('PUT', '/api/settings/backup_s3_bucket', { body: { value: 'backups' } });
    expect(await openSteps(app())).toEqual([...first, 'notification_channel']);
    await app().call('PUT', '/api/settings/backup_schedule', { body: { value: '' } });
    expect(await openSteps(app())).toContain('backup_schedule');

    const config = { url: 'https://chat.example.org/hooks/1' };
    const channel = { kind: 'mattermost', name: 'Chat', config };
    const channels = '/api/notifications/channels';
    const { body: added } = await app().call<{ id: string }>('POST', channels, { body: channel });
    expect(await openSteps(app())).toContain('notification_channel');
    await app().call('POST', '/api/notifications/rules', { body: { channel_ids: [added.id] } });
    expect(await openSteps(app())).not.toContain('notification_channel');
    await app().call('PUT', `${channels}/${added.id}`, { body: { ...channel, enabled: false } });
    expect(await openSteps(app())).toContain('notification_channel');

    await app().userOf('operator');
    expect(await openSteps(app())).toContain('second_admin');
    const second = await app().userOf('admin');
    expect(await openSteps(app())).not.toContain('second_admin');
    await app().call('PUT', `/api/users/${second.id}`, { body: { disabled: true } });
    expect(await openSteps(app())).toContain('second_admin');
    await app().call('PUT', `/api/users/${second.id}`, { body: { disabled: false } });

    const other = await app().userOf('admin');
    const body = { current_password: adminPassword, new_password: 'another horse battery staple 7' };
    expect((await app().call('POST', '/api/auth/change-password', { body })).status).toBe(200);
    const signedIn = await app().call<{ access_token: string }>('POST', '/api/auth/login', {
      token: null,
      body: { username: 'admin', password: body.new_password },
    });
    expect(await openSteps(app(), signedIn.body.access_token)).not.toContain('own_password');
    // Of the caller: the other administrator still has the password that was given.
    expect(await openSteps(app(), other.token)).toContain('own_password');
  });
});

let proxied: App;
beforeAll(async () => {
  proxied = await startApp({ environment: { PROXY: 'nginx', CERTIFICATES: 'self-signed' } });
});
afterAll(() => proxied?.stop());

test('a manager with a proxy and certificates has done that step', async () => {
  expect(await openSteps(proxied)).not.toContain('proxy_and_certificates');
});
