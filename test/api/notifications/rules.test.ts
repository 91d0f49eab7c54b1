import { expect, test } from '@jest/globals';
import { newId } from '../../../src/lib/ids.ts';
import { eachStoreApp } from '../../harness/app/each-store-app.ts';
import { makeTenant, type TenantAnswer } from '../../harness/data/tenants.ts';
import { inboxOf } from '../incidents/incident-answers.ts';

const path = '/api/notifications/rules';
const defaults = {
  enabled: true,
  events: [],
  severity: 'error',
  tags: [],
  tenant_ids: [],
  channel_ids: [],
  digest_minutes: null,
  quiet_hours: null,
};
const night = { from: '22:00', to: '07:00', time_zone: 'America/Chicago', except: 'critical' };

eachStoreApp('notification rules', (app) => {
  const list = async () => (await app().call<{ rules: { id: string }[] }>('GET', path)).body.rules;

  test('are created, replaced and deleted by administrators, and audited', async () => {
    const { id: userId } = await app().userOf('operator');
    const created = await app().call<{ id: string }>('POST', path, { body: { user_ids: [userId] } });
    expect(created).toMatchObject({ status: 201, body: { ...defaults, user_ids: [userId] } });
    const one = `${path}/${created.body.id}`;
    const change = { events: ['backup', 'drill'], severity: 'warning', user_ids: [userId], quiet_hours: night };
    const replaced = await app().call('PUT', one, { body: { ...change, enabled: false, digest_minutes: 15 } });
    expect(replaced).toMatchObject({ status: 200, body: { ...change, enabled: false, digest_minutes: 15 } });
    expect(await list()).toEqual([replaced.body]);
    expect(await app().call('DELETE', one)).toMatchObject({ status: 200 });
    expect(await list()).toEqual([]);
    expect((await app().call('PUT', one, { body: { user_ids: [userId] } })).status).toBe(404);
    expect((await app().call('DELETE', one)).status).toBe(404);
    const { body } = await app().call<{ logs: { message: string }[] }>('GET', '/api/logs?category=audit&limit=3');
    expect(body.logs.map(({ message }) => message)).toEqual(
      ['deleted', 'changed', 'created'].map((what) => `Notification rule ${what} by admin`),
    );
  });

  test('are not for other roles', async () => {
    const users = await Promise.all([app().userOf('viewer'), app().userOf('operator')]);
    for (const { token } of users) {
      expect((await app().call('GET', path, { token })).status).toBe(403);
      expect((await app().call('POST', path, { token, body: {} })).status).toBe(403);
    }
  });

  test('that are wrong are rejected with the field', async () => {
    const { id } = await app().userOf('viewer');
    const wrong: [object, string][] = [
      [{ user_ids: [] }, 'channel_ids'],
      [{ user_ids: [newId()] }, 'user_ids.0'],
      [{ channel_ids: [newId()] }, 'channel_ids.0'],
      [{ tenant_ids: [newId()] }, 'tenant_ids.0'],
      [{ events: ['weather'] }, 'events.0'],
      [{ events: ['disk', 'disk'] }, 'events'],
      [{ severity: 'fatal' }, 'severity'],
      [{ tags: ['a,b'] }, 'tags.0'],
      [{ digest_minutes: 1_441 }, 'digest_minutes'],
      [{ quiet_hours: { ...night, to: '22:00' } }, 'quiet_hours.to'],
      [{ quiet_hours: { ...night, time_zone: 'Mars/Olympus' } }, 'quiet_hours.time_zone'],
    ];
    for (const [body, field] of wrong)
      expect(await app().call('POST', path, { body: { user_ids: [id], ...body } })).toMatchObject({
        status: 400,
        body: { issues: [{ path: field }] },
      });
  });

  test('may keep what was deleted or disabled since, but not add it', async () => {
    const call = app().call;
    const [keeper, other] = [await app().userOf('viewer'), await app().userOf('operator')];
    const tenant = await makeTenant(app(), 'https://g.it/r', { name: 'Gone' });
    const rule = { user_ids: [keeper.id, other.id], tenant_ids: [tenant.id] };
    const { body } = await call<{ id: string }>('POST', path, { body: rule });
    expect((await call('DELETE', `/api/tenants/${tenant.id}`)).status).toBe(200);
    expect((await call('PUT', `/api/users/${other.id}`, { body: { disabled: true } })).status).toBe(200);
    const change = { ...rule, severity: 'critical' };
    expect(await call('PUT', `${path}/${body.id}`, { body: change })).toMatchObject({ status: 200, body: change });
    expect(await call('POST', path, { body: { user_ids: [keeper.id], tenant_ids: [tenant.id] } })).toMatchObject({
      status: 400,
      body: { issues: [{ path: 'tenant_ids.0' }] },
    });
    expect((await call('DELETE', `${path}/${body.id}`)).status).toBe(200);
  });

  test('leave each user to choose what to hear', async () => {
    const [admin, viewer] = await Promise.all([app().userOf('admin'), app().userOf('viewer')]);
    const own = '/api/notifications/preferences';
    const get = async (token: string) => (await app().call('GET', own, { token })).body;
    const usual = { events: [], tags: [], tenant_ids: [], email: 'account', quiet_hours: null };
    expect(await get(admin.token)).toEqual({
      ...usual,
      severity: 'error',
      address: expect.stringMatching(/@example\.org$/),
    });
    expect(await get(viewer.token)).toMatchObject({ ...usual, severity: null });
    expect(await get(app().token)).toMatchObject({ address: null });
    const body = { severity: 'warning', tags: ['Pilots'], quiet_hours: night };
    expect((await app().call('PUT', own, { token: viewer.token, body })).body).toMatchObject(body);
    await app().call('PUT', own, { token: viewer.token, body: { email: 'all' } });
    expect(await get(viewer.token)).toMatchObject({ ...body, email: 'all' });
    expect(await get(admin.token)).toMatchObject(usual);
    expect((await app().call('PUT', own, { token: viewer.token, body: { severity: 'loud' } })).status).toBe(400);
  });

  test('leave each user to choose tenants, until they are deleted', async () => {
    const { token } = await app().userOf('viewer');
    const [acme, other] = await Promise.all(
      ['Acme', 'Other'].map((name) => makeTenant(app(), 'https://g.it/r', { name })),
    );
    if (!acme || !other) throw new Error('Two tenants were created');
    const own = '/api/notifications/preferences';
    const set = (body: object) => app().call('PUT', own, { token, body });
    const get = async () => (await app().call('GET', own, { token })).body;
    const inbox = async () => (await inboxOf(app(), token)).map(({ title }) => title);
    const report = ({ id, slug }: TenantAnswer, title: string) =>
      app().manager.app.notifications.notify({
        event: 'backup',
        severity: 'error',
        key: `backup/${newId()}`,
        title,
        text: '',
        link: '/tenants',
        tenants: [{ id, slug, name: slug, tags: [] }],
        at: new Date(),
      });
    const remove = ({ id }: TenantAnswer) => app().call('DELETE', `/api/tenants/${id}`);

    expect(await set({ tenant_ids: [newId()] })).toMatchObject({
      status: 400,
      body: { issues: [{ path: 'tenant_ids.0' }] },
    });
    const chosen = { severity: 'error', tenant_ids: [acme.id, other.id] };
    expect(await set(chosen)).toMatchObject({ status: 200, body: chosen });
    expect((await remove(other)).status).toBeLessThan(300);
    expect(await get()).toMatchObject({ severity: 'error', tenant_ids: [acme.id] });
    const third = await makeTenant(app(), 'https://g.it/r', { name: 'Third' });
    await report(acme, 'of a chosen one');
    await report(third, 'of another');
    expect(await inbox()).toEqual(['of a chosen one']);

    // Without any of those chosen, the user does not get the alerts of all others instead.
    await remove(acme);
    await report(third, 'of another again');
    expect(await get()).toMatchObject({ severity: null, tenant_ids: [] });
    await set({ email: 'none' });
    await report(third, 'of another after a change');
    expect(await inbox()).toEqual(['of a chosen one']);
    await set({ severity: 'error' });
    await report(third, 'of all');
    expect(await inbox()).toEqual(['of all', 'of a chosen one']);
  });
});
