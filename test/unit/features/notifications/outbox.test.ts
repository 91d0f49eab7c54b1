import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { createEventBus } from '../../../../src/adapters/events/bus.ts';
import { createSenders } from '../../../../src/adapters/notifications/senders.ts';
import { createNotifications, type Notifications } from '../../../../src/features/notifications/notifications.ts';
import type { NewDelivery } from '../../../../src/features/notifications/outbox/outbox.ts';
import { createLogger } from '../../../../src/lib/logger.ts';
import { createSecretBox } from '../../../../src/lib/secret-box.ts';
import { until } from '../../../harness/data/tenants.ts';
import { eachStore } from '../../../harness/servers/mariadb.ts';
import { type Receiver, startReceiver } from '../../../harness/servers/receiver.ts';

const actor = { userId: null, username: 'test' };
const signal = new AbortController().signal;
const hour = 3_600_000;
const secret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;

eachStore('outbox', (store) => {
  let receiver: Receiver;
  let other: Receiver;
  let now: Date;
  let notifications: Notifications;
  let ids: Record<'slack' | 'webhook' | 'other', string>;

  beforeAll(async () => {
    [receiver, other] = await Promise.all([startReceiver(), startReceiver()]);
  });
  afterAll(() => Promise.all([receiver.stop(), other.stop()]));

  /** As a manager that has just started has them. */
  const start = () =>
    createNotifications({
      store: store(),
      clock: { now: () => now },
      logger: createLogger({ level: 'silent' }),
      writeAuditLog: async () => undefined,
      events: createEventBus(createLogger({ level: 'silent' })),
      tenants: { namesOf: async () => new Map() },
      recipients: async () => [],
      isInMaintenance: async () => () => false,
      digestMinutes: async () => 60,
      secretBox: createSecretBox('k'.repeat(32)),
      senders: createSenders({ allowPrivate: true, timeoutMs: 1_500 }),
      linkTo: (path) => `https://tenantry.test${path}`,
    });

  beforeEach(async () => {
    await store().sequelize.getQueryInterface().bulkDelete('notification_channels', {});
    for (const { received } of [receiver, other]) received.splice(0);
    now = new Date('2026-11-25T20:00:00.000Z');
    notifications = start();
    const { channels } = notifications;
    const create = async (kind: 'slack' | 'webhook', url: string) => {
      const config = kind === 'slack' ? { url } : { url, secret };
      return (await channels.create({ kind, name: kind, enabled: true, config }, actor)).id;
    };
    ids = {
      slack: await create('slack', `${receiver.url}/slack`),
      webhook: await create('webhook', `${receiver.url}/webhook`),
      other: await create('slack', `${other.url}/other`),
    };
  });

  const delivery = (channelId: string, key: string, more: Partial<NewDelivery> = {}): NewDelivery => ({
    key,
    channelId,
    message: { title: key, text: '', url: 'https://tenantry.test/', severity: 'error', at: now, tenants: [] },
    notBefore: now,
    ...more,
  });
  const pass = (ms: number) => {
    now = new Date(now.getTime() + ms);
  };
  const log = async () => (await notifications.outbox.list({}, { limit: 50, offset: 0 })).items;
  const only = async () => {
    const [first, ...rest] = await log();
    expect(rest).toEqual([]);
    return first;
  };

  test('a key is sent once for each channel and recipient, however often it is enqueued', async () => {
    const { outbox } = notifications;
    const both = [delivery(ids.slack, 'a'), delivery(ids.webhook, 'a')];
    await outbox.enqueue(both);
    await outbox.enqueue([...both, delivery('00000000-0000-4000-8000-000000000000', 'a')]);
    expect(await outbox.deliverDue(signal)).toBe(2);
    await outbox.enqueue(both);
    expect(await outbox.deliverDue(signal)).toBe(0);
    expect(receiver.received.map(({ path }) => path).sort()).toEqual(['/slack', '/webhook']);
    await outbox.enqueue([delivery(ids.slack, 'a', { recipient: 'ada@example.org' })]);
    expect(await outbox.deliverDue(signal)).toBe(1);
  });

  test('what is enqueued in a transaction that fails is not sent', async () => {
    const { outbox } = notifications;
    const failing = store().transaction(async (transaction) => {
      await outbox.enqueue([delivery(ids.slack, 'a')], transaction);
      throw new Error('rolled back');
    });
    await expect(failing).rejects.toThrow('rolled back');
    await store().transaction((transaction) => outbox.enqueue([delivery(ids.slack, 'b')], transaction));
    expect(outbox.isWoken()).toBe(true);
    expect(await outbox.deliverDue(signal)).toBe(1);
    expect(await only()).toMatchObject({ key: 'b', state: 'delivered', outcome: '200: ok', attempts: 1 });
  });

  test('nothing is sent before its time', async () => {
    await notifications.outbox.enqueue([delivery(ids.slack, 'a', { notBefore: new Date(now.getTime() + hour) })]);
    expect(await notifications.outbox.deliverDue(signal)).toBe(0);
    expect(await notifications.outbox.pending(ids.slack)).toBe(1);
    pass(hour);
    expect(await notifications.outbox.deliverDue(signal)).toBe(1);
  });

  test('500, then 429 with Retry-After, then 200: delivered at the third attempt, with the same id', async () => {
    const { outbox } = notifications;
    await outbox.enqueue([delivery(ids.webhook, 'a')]);
    receiver.answer({ status: 500 }, { status: 429, headers: { 'retry-after': '120' } });
    await outbox.deliverDue(signal);
    expect(await only()).toMatchObject({ state: 'waiting', notBefore: new Date(now.getTime() + 10_000) });
    expect(await outbox.deliverDue(signal)).toBe(0);
    pass(10_000);
    await outbox.deliverDue(signal);
    expect(await only()).toMatchObject({ state: 'waiting', notBefore: new Date(now.getTime() + 120_000) });
    pass(119_000);
    expect(await outbox.deliverDue(signal)).toBe(0);
    pass(1_000);
    expect(await outbox.deliverDue(signal)).toBe(1);
    expect(await only()).toMatchObject({ state: 'delivered', attempts: 3, maybeTwice: false });
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(receiver.received).toHaveLength(3);
  });

  test('while a channel asks for a pause, its other deliveries wait too', async () => {
    const { outbox } = notifications;
    receiver.answer(...Array.from({ length: 4 }, () => ({ status: 429, headers: { 'retry-after': '30' } })));
    await outbox.enqueue(Array.from({ length: 12 }, (_, index) => delivery(ids.slack, `${index}`)));
    await outbox.deliverDue(signal);
    expect(receiver.received.length).toBeLessThanOrEqual(4);
    pass(30_000);
    expect(await outbox.deliverDue(signal)).toBe(12);
    expect(await outbox.pending()).toBe(0);
  });

  test.each(['99999999999999', '1e400', 'Fri, 31 Dec 9999 23:59:59 GMT'])(
    'an impossible pause (%s) ends neither the channel nor the list of deliveries',
    async (pause) => {
      const { outbox } = notifications;
      receiver.answer({ status: 503, headers: { 'retry-after': pause } });
      await outbox.enqueue([delivery(ids.slack, 'a')]);
      await outbox.deliverDue(signal);
      expect(await only()).toMatchObject({ state: 'waiting', notBefore: new Date(now.getTime() + 10_000) });
      pass(10_000);
      expect(await outbox.deliverDue(signal)).toBe(1);
    },
  );

  test('a refusal fails at once, and a user sends it again', async () => {
    const { outbox } = notifications;
    receiver.answer({ status: 404, body: 'no_service' });
    await outbox.enqueue([delivery(ids.slack, 'a')]);
    await outbox.deliverDue(signal);
    const failed = await only();
    expect(failed).toMatchObject({ state: 'failed', outcome: 'The service answered 404: no_service' });
    await outbox.retry(failed?.id ?? '');
    await expect(outbox.retry(failed?.id ?? '')).rejects.toMatchObject({ code: 'invalid_state' });
    expect(await outbox.deliverDue(signal)).toBe(1);
  });

  test('after a day of failures it gives up with the reason', async () => {
    const { outbox } = notifications;
    await outbox.enqueue([delivery(ids.slack, 'a')]);
    for (let rounds = 0; rounds < 40 && (await only())?.state === 'waiting'; rounds += 1) {
      receiver.answer({ status: 503, body: 'maintenance' });
      await outbox.deliverDue(signal);
      pass(hour);
    }
    expect(await only()).toMatchObject({
      state: 'failed',
      outcome: expect.stringMatching(/^The service answered 503: maintenance \(gave up after \d+ attempts\)$/),
    });
    expect(receiver.received.length).toBeGreaterThan(20);
  });

  test('a channel that hangs does not hold the others, also for what comes later', async () => {
    const { outbox } = notifications;
    receiver.answer('hang');
    await outbox.enqueue([delivery(ids.slack, 'slow'), delivery(ids.other, 'first')]);
    const running = outbox.deliverDue(signal);
    await until(
      async () => other.received.length,
      (count) => count === 1,
    );
    await outbox.enqueue([delivery(ids.other, 'second')]);
    await until(
      async () => other.received.length,
      (count) => count === 2,
    );
    expect((await log()).find(({ key }) => key === 'slow')?.state).toBe('sending');
    expect(await running).toBe(2);
    expect((await log()).find(({ key }) => key === 'slow')).toMatchObject({ state: 'waiting', maybeTwice: true });
  });

  test('what was being sent when the manager ended is sent again, and marked where it may arrive twice', async () => {
    receiver.answer('hang', 'hang');
    await notifications.outbox.enqueue([delivery(ids.slack, 'a'), delivery(ids.webhook, 'a')]);
    const interrupted = notifications.outbox.deliverDue(signal);
    await until(
      async () => receiver.received.length,
      (count) => count === 2,
    );
    const next = start();
    // The earlier one is still at it; its result finds nothing to change.
    expect(await next.outbox.deliverDue(signal)).toBe(2);
    const marks = Object.fromEntries((await log()).map(({ channelId, maybeTwice }) => [channelId, maybeTwice]));
    expect(marks).toEqual({ [ids.slack]: true, [ids.webhook]: false });
    const [first, second] = receiver.received.filter(({ path }) => path === '/webhook');
    expect(first?.headers['webhook-id']).toBe(second?.headers['webhook-id']);
    await interrupted;
    expect((await log()).map(({ state }) => state)).toEqual(['delivered', 'delivered']);
  });

  test('a disabled channel sends nothing, and says so', async () => {
    const { outbox, channels } = notifications;
    await outbox.enqueue([delivery(ids.slack, 'a')]);
    const config = { url: '***hidden***' };
    await channels.change(ids.slack, { kind: 'slack', name: 'slack', enabled: false, config }, actor);
    await outbox.deliverDue(signal);
    expect(await only()).toMatchObject({ state: 'failed', outcome: 'The channel is disabled' });
    expect(receiver.received).toEqual([]);
  });

  test('ended deliveries are removed after their retention, those with a channel at once', async () => {
    const { outbox, channels } = notifications;
    await outbox.enqueue([
      delivery(ids.slack, 'a'),
      delivery(ids.other, 'a', { notBefore: new Date(now.getTime() + hour) }),
    ]);
    await outbox.deliverDue(signal);
    await outbox.removeEndedBefore(new Date(now.getTime() + 1));
    expect((await log()).map(({ channelId }) => channelId)).toEqual([ids.other]);
    await channels.remove(ids.other, actor);
    expect(await log()).toEqual([]);
  });

  test('hundreds due at once are all delivered once', async () => {
    const { outbox } = notifications;
    await outbox.enqueue(
      Array.from({ length: 100 }, (_, at) => [delivery(ids.slack, `${at}`), delivery(ids.other, `${at}`)]).flat(),
    );
    expect(await outbox.deliverDue(signal)).toBe(200);
    expect([receiver.received.length, other.received.length]).toEqual([100, 100]);
  });
});
