import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { WebSocket } from 'ws';
import type { Alert } from '../../../src/features/notifications/alert.ts';
import { newId } from '../../../src/lib/ids.ts';
import { eachStoreApp } from '../../harness/app/each-store-app.ts';

const tenant = { id: 't1', slug: 'acme', name: 'Acme', tags: [] };
const alertOf = (changes: Partial<Alert> = {}): Alert => ({
  event: 'incident',
  severity: 'error',
  key: `incident/${newId()}/opened`,
  title: 'Acme is down',
  text: 'Its website does not answer.',
  link: '/incidents/1',
  tenants: [tenant],
  at: new Date(),
  ...changes,
});

interface Entry {
  id: string;
  title: string;
  read_at: string | null;
}
interface Inbox {
  entries: Entry[];
  total: number;
  unread: number;
}

eachStoreApp('the inbox', (app) => {
  const notify = (alert: Alert) => app().manager.app.notifications.notify(alert);
  const inboxOf = async (token: string, query = '') =>
    (await app().call<Inbox>('GET', `/api/inbox${query}`, { token })).body;
  const titlesOf = async (token: string) => (await inboxOf(token, '?limit=500')).entries.map(({ title }) => title);
  const hearsAll = async (role: 'viewer' | 'operator' | 'admin') => {
    const user = await app().userOf(role);
    const body = { severity: 'info' };
    await app().call('PUT', '/api/notifications/preferences', { token: user.token, body });
    return user;
  };

  test('gets an alert once, however often it is reported', async () => {
    const { token } = await hearsAll('viewer');
    const alert = alertOf({ title: 'Once' });
    const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => notify(alert)));
    expect(outcomes.map(({ status }) => status)).toEqual(Array(8).fill('fulfilled'));
    await notify({ ...alert, title: 'Twice' });
    expect(await inboxOf(token)).toMatchObject({
      entries: [
        {
          event: 'incident',
          severity: 'error',
          title: 'Once',
          text: alert.text,
          link: alert.link,
          tenants: [{ id: 't1', slug: 'acme', name: 'Acme' }],
          at: alert.at.toISOString(),
          read_at: null,
        },
      ],
      total: 1,
      unread: 1,
    });
  });

  test('holds by default errors for administrators, and nothing for others', async () => {
    const [admin, operator, viewer] = await Promise.all(
      (['admin', 'operator', 'viewer'] as const).map((role) => app().userOf(role)),
    );
    await notify(alertOf({ title: 'Critical', severity: 'critical' }));
    await notify(alertOf({ title: 'Warning', severity: 'warning' }));
    expect(await titlesOf(admin?.token ?? '')).toEqual(['Critical']);
    expect(await titlesOf(operator?.token ?? '')).toEqual([]);
    expect(await titlesOf(viewer?.token ?? '')).toEqual([]);
  });

  test('shows what the role may see, also after it was lowered, and sign-ins only to their user', async () => {
    const [admin, operator, viewer] = await Promise.all([hearsAll('admin'), hearsAll('operator'), hearsAll('viewer')]);
    await notify(alertOf({ title: 'Tenant' }));
    await notify(alertOf({ title: 'Disk', event: 'disk', tenants: [] }));
    await notify(alertOf({ title: 'Sign-in', event: 'sign_in', severity: 'info', tenants: [], userId: viewer.id }));
    await notify(alertOf({ title: 'Of no user', event: 'credentials', severity: 'critical', tenants: [] }));
    expect((await titlesOf(viewer.token)).sort()).toEqual(['Sign-in', 'Tenant']);
    expect((await titlesOf(operator.token)).sort()).toEqual(['Disk', 'Tenant']);
    expect((await titlesOf(admin.token)).sort()).toEqual(['Disk', 'Tenant']);
    await app().call('PUT', `/api/users/${operator.id}`, { body: { role: 'viewer' } });
    expect(await inboxOf(operator.token)).toMatchObject({ entries: [{ title: 'Tenant' }], total: 1, unread: 1 });
  });

  test('has pages, the newest first, and counts what is unread', async () => {
    const { token } = await hearsAll('viewer');
    for (let index = 1; index <= 5; index += 1) await notify(alertOf({ title: `${index}` }));
    const { entries } = await inboxOf(token, '?limit=2&offset=1');
    expect(entries.map(({ title }) => title)).toEqual(['4', '3']);
    const ids = entries.map(({ id }) => id);
    const read = await app().call('POST', '/api/inbox/read', { token, body: { ids: [...ids, newId()] } });
    expect(read).toMatchObject({ status: 200, body: { unread: 3 } });
    const unread = await inboxOf(token, '?unread=true');
    expect(unread).toMatchObject({ total: 3, unread: 3 });
    expect(unread.entries.map(({ title }) => title)).toEqual(['5', '2', '1']);
    expect((await app().call('POST', '/api/inbox/read', { token, body: { all: true } })).body).toEqual({ unread: 0 });
    expect((await inboxOf(token)).entries.every(({ read_at }) => read_at !== null)).toBe(true);
    for (const body of [{}, { ids: [] }, { all: false }, { ids, all: true }])
      expect((await app().call('POST', '/api/inbox/read', { token, body })).status).toBe(400);
  });

  test('of many users under parallel requests are not mixed, nor can one mark those of another', async () => {
    const users = await Promise.all(Array.from({ length: 5 }, () => app().userOf('viewer')));
    const own = (userId: string, index: number) =>
      alertOf({ event: 'credentials', severity: 'info', title: `${userId} ${index}`, tenants: [], userId });
    await Promise.all(users.flatMap(({ id }) => [0, 1, 2, 3].map((index) => notify(own(id, index)))));
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => users)
        .flat()
        .map(async ({ id, token }) => ({ id, titles: await titlesOf(token) })),
    );
    for (const { id, titles } of answers)
      expect(titles.toSorted()).toEqual([0, 1, 2, 3].map((index) => `${id} ${index}`));
    const [victim, ...others] = users;
    const stolen = (await inboxOf(victim?.token ?? '')).entries.map(({ id }) => id);
    await Promise.all(
      others.map(({ token }) => app().call('POST', '/api/inbox/read', { token, body: { ids: stolen } })),
    );
    expect(await inboxOf(victim?.token ?? '')).toMatchObject({ unread: 4 });
    for (const { token } of others) expect(await inboxOf(token)).toMatchObject({ unread: 4 });
  });

  test('announces changes without what they are', async () => {
    const { token } = await app().userOf('viewer');
    const { id } = await app().userOf('viewer');
    const socket = new WebSocket(`${app().url.replace('http', 'ws')}/ws/events`, ['bearer', token]);
    const messages: Record<string, unknown>[] = [];
    const arrived = new Promise<void>((resolve) => {
      socket.on('message', (data) => {
        messages.push(JSON.parse(String(data)));
        resolve();
      });
    });
    await new Promise((resolve) => socket.once('open', resolve));
    await notify(alertOf({ event: 'sign_in', title: 'Secret', tenants: [], userId: id }));
    await arrived;
    socket.close();
    expect(messages).toEqual([{ type: 'inbox', tenant_id: null, seq: expect.any(Number) }]);
  });

  test('is deleted with its user, and with age', async () => {
    const gone = await hearsAll('viewer');
    const { token } = await hearsAll('viewer');
    await notify(alertOf({ title: 'Old' }));
    expect((await app().call('DELETE', `/api/users/${gone.id}`)).status).toBe(200);
    await sleep(2);
    const before = new Date();
    await notify(alertOf({ title: 'New' }));
    expect(await titlesOf(token)).toEqual(['New', 'Old']);
    await app().manager.app.notifications.removeOlderThan(before);
    expect(await inboxOf(token)).toMatchObject({ entries: [{ title: 'New' }], total: 1 });
  });
});
