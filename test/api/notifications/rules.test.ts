import { expect, test } from '@jest/globals';
import { newId } from '../../../src/lib/ids.ts';
import { eachStoreApp } from '../../harness/app/each-store-app.ts';

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

  test('leave each user to choose what to hear', async () => {
    const [admin, viewer] = await Promise.all([app().userOf('admin'), app().userOf('viewer')]);
    const own = '/api/notifications/preferences';
    const get = async (token: string) => (await app().call('GET', own, { token })).body;
    const usual = { events: [], tags: [], email: 'account', quiet_hours: null };
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
});
