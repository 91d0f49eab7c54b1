import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createMaintenanceStore } from '../../../src/features/incidents/maintenance/store.ts';
import type { RuleBody } from '../../../src/features/notifications/rules/schema.ts';
import { addTenant } from '../../harness/data/tenant-row.ts';
import { eachDatabase } from '../../harness/servers/mariadb.ts';
import { type Receiver, startReceiver } from '../../harness/servers/receiver.ts';
import { admin, alertOf, openAlerting } from './alerting-parts.ts';

type Parts = Awaited<ReturnType<typeof openAlerting>>;

eachDatabase('alerts with channels', (newDatabase) => {
  const open: Parts[] = [];
  let receiver: Receiver;
  beforeAll(async () => {
    receiver = await startReceiver();
  });
  afterAll(async () => {
    await Promise.all(open.map(({ store }) => store.close()));
    await receiver.stop();
  });

  const signal = new AbortController().signal;
  const ruleOf = (changes: Partial<RuleBody>): RuleBody => ({
    enabled: true,
    events: [],
    severity: 'info',
    tags: [],
    tenant_ids: [],
    channel_ids: [],
    user_ids: [],
    digest_minutes: null,
    quiet_hours: null,
    ...changes,
  });

  /** A database with one channel, and a rule for it. */
  async function prepare(changes: Partial<RuleBody> = {}) {
    const databaseUrl = await newDatabase();
    const parts = await openAlerting(databaseUrl);
    open.push(parts);
    const channel = { kind: 'slack', name: 'Ops', enabled: true, config: { url: `${receiver.url}/hook` } } as const;
    const { id } = await parts.notifications.channels.create(channel, admin);
    await parts.notifications.rules.create(ruleOf({ channel_ids: [id], ...changes }), admin);
    receiver.received.length = 0;
    return { ...parts, databaseUrl, channelId: id };
  }
  /** What the channel received since the last call: the titles. */
  async function sent({ notifications }: Parts): Promise<string[]> {
    await notifications.sendDigests(signal);
    await notifications.outbox.deliverDue(signal);
    return receiver.received.splice(0).map(({ body }) => (JSON.parse(body) as { text: string }).text);
  }
  const keptIn = async ({ store }: Parts) => {
    const [counts] = await store.select<{ entries: number; items: number; deliveries: number }>(
      `SELECT (SELECT COUNT(*) FROM inbox_entries) AS entries, (SELECT COUNT(*) FROM digest_items WHERE delivery_key IS NULL) AS items,
        (SELECT COUNT(*) FROM notification_deliveries) AS deliveries`,
      {},
    );
    return { entries: Number(counts?.entries), items: Number(counts?.items), deliveries: Number(counts?.deliveries) };
  };

  test('send an error at once, and only once', async () => {
    const parts = await prepare();
    await Promise.all([1, 2, 3].map(() => parts.notifications.notify(alertOf('deployment/1/failed'))));
    expect(await sent(parts)).toEqual(['Error: Title of deployment/1/failed']);
    await parts.notifications.notify(alertOf('deployment/1/failed'));
    expect(await sent(parts)).toEqual([]);
  });

  test('collect the rest until the window ends, and say what is over by then', async () => {
    const parts = await prepare({ digest_minutes: 15 });
    const { time, notifications } = parts;
    const opened = alertOf('incident/1/opened', { event: 'incident', severity: 'warning', title: 'Acme is slow' });
    await notifications.notify(opened);
    await notifications.notify(alertOf('update/2/found', { event: 'update', severity: 'info' }));
    time.now = new Date('2026-11-25T20:11:00Z');
    await notifications.notify({ ...opened, key: 'incident/1/resolved', severity: 'info', at: time.now });
    expect(await sent(parts)).toEqual([]);
    time.now = new Date('2026-11-25T20:15:00Z');
    expect(await sent(parts)).toEqual(['Warning: 2 notifications, first: Acme is slow: recovered after 8 min']);
    expect(await sent(parts)).toEqual([]);
    expect(await keptIn(parts)).toMatchObject({ items: 0, deliveries: 1 });
    await notifications.notify(alertOf('update/3/found', { event: 'update', severity: 'info' }));
    time.now = new Date('2026-11-25T20:30:00Z');
    expect(await sent(parts)).toEqual(['Info: Title of update/3/found']);
  });

  test('wait for the end of quiet hours', async () => {
    const quiet_hours = { from: '20:00', to: '06:00', time_zone: 'UTC', except: 'critical' as const };
    const parts = await prepare({ quiet_hours });
    await parts.notifications.notify(alertOf('deployment/1/failed'));
    await parts.notifications.notify(alertOf('incident/2/opened', { event: 'incident', severity: 'critical' }));
    expect(await sent(parts)).toEqual(['Critical: Title of incident/2/opened']);
    parts.time.now = new Date('2026-11-26T06:00:00Z');
    expect(await sent(parts)).toEqual(['Error: Title of deployment/1/failed']);
  });

  test('report the end of an incident to those who heard of its beginning', async () => {
    const parts = await prepare({ severity: 'critical' });
    const opened = alertOf('incident/1/opened', { event: 'incident', severity: 'critical', title: 'Down' });
    await parts.notifications.notify(opened);
    await parts.notifications.notify(alertOf('incident/1/resolved', { severity: 'info', title: 'Up again' }));
    await parts.notifications.notify(alertOf('incident/2/resolved', { severity: 'info', title: 'Of another' }));
    // Up to four are sent at a time: the order is not certain.
    expect((await sent(parts)).map((title) => title.split(': ')[1]).sort()).toEqual(['Down', 'Up again']);
  });

  test('about tenants in a maintenance window are only in the inbox, but not those about accounts, fleets or other tenants', async () => {
    const parts = await prepare();
    const { store, time, notifications } = parts;
    await addTenant(store, 't1');
    await createMaintenanceStore(store).insert({
      id: 'window',
      tenantId: 't1',
      startsAt: new Date('2026-11-25T20:00:00Z'),
      endsAt: new Date('2026-11-25T21:00:00Z'),
      weekly: false,
      timeZone: 'UTC',
      reason: 'New disk',
      createdBy: 'admin',
      createdAt: time.now,
    });
    const other = { id: 't2', slug: 'other', name: 'Other', tags: [] };
    const [acme] = alertOf('').tenants;
    const both = acme ? [acme, other] : [];
    for (const event of ['deployment', 'backup', 'certificate', 'import', 'upgrade'] as const)
      await notifications.notify(alertOf(`${event}/quiet/failed`, { event }));
    expect(await sent(parts)).toEqual([]);
    expect((await keptIn(parts)).entries).toBe(5);
    await notifications.notify(alertOf('update/1', { event: 'update', tenants: both }));
    await notifications.notify(alertOf('fleet/1/failed', { event: 'fleet' }));
    // The announcer of incidents waits for the end of the window; that one ended is news in it, too.
    await notifications.notify(alertOf('incident/1/resolved', { event: 'incident', severity: 'error' }));
    expect((await sent(parts)).sort()).toEqual(
      ['fleet/1/failed', 'incident/1/resolved', 'update/1'].map((key) => `Error: Title of ${key}`),
    );
    const account = { event: 'credentials', userId: 'administrator', formerAddress: 'before@example.org' } as const;
    const mail = { host: '127.0.0.1', port: 1, security: 'none', username: '', password: '' } as const;
    const config = { ...mail, from: 'tenantry@example.org', recipients: [] };
    await notifications.channels.create({ kind: 'email', name: 'Mail', enabled: true, config }, admin);
    await notifications.notify(alertOf('credentials/1', account));
    expect((await keptIn(parts)).deliveries).toBe(4);
    time.now = new Date('2026-11-25T21:00:00Z');
    await notifications.notify(alertOf('deployment/loud/failed'));
    expect(await sent(parts)).toContain('Error: Title of deployment/loud/failed');
  });

  test('name their receivers: the inbox, messages at once and digests, before and after they are sent', async () => {
    const parts = await prepare({ digest_minutes: 15 });
    const { time, notifications } = parts;
    await notifications.notify(alertOf('incident/1/opened', { event: 'incident', severity: 'warning' }));
    await notifications.notify(alertOf('incident/10/opened', { event: 'incident' }));
    const due = new Date('2026-11-25T20:15:00Z');
    expect(await notifications.receipts('incident/1/')).toEqual([
      {
        key: 'incident/1/opened',
        at: time.now,
        users: [],
        deliveries: [{ channel: 'Ops', to: null, state: 'collected', at: due }],
      },
    ]);
    const atOnce = { channel: 'Ops', to: null, at: time.now };
    expect(await notifications.receipts('incident/10/')).toMatchObject([
      { users: ['admin'], deliveries: [{ ...atOnce, state: 'waiting' }] },
    ]);
    await sent(parts);
    expect(await notifications.receipts('incident/10/')).toMatchObject([
      { deliveries: [{ ...atOnce, state: 'delivered' }] },
    ]);
    time.now = due;
    await sent(parts);
    await notifications.notify(alertOf('incident/1/resolved', { event: 'incident', severity: 'info', at: due }));
    expect(await notifications.receipts('incident/1/')).toMatchObject([
      { key: 'incident/1/opened', deliveries: [{ channel: 'Ops', state: 'delivered', at: due }] },
      { key: 'incident/1/resolved', deliveries: [{ channel: 'Ops', state: 'collected' }] },
    ]);
    expect(await notifications.receipts('incident/2/')).toEqual([]);
  });

  test('are a few messages when hundreds come at once', async () => {
    const parts = await prepare();
    await parts.notifications.notify(alertOf('deployment/7/failed'));
    const alerts = Array.from({ length: 300 }, (_, index) => alertOf(`deployment/${index}/failed`));
    await parts.notifications.notify(...alerts, ...alerts);
    await Promise.all([parts.notifications.notify(...alerts), parts.notifications.notify(...alerts)]);
    expect(await sent(parts)).toHaveLength(5);
    parts.time.now = new Date('2026-11-25T20:04:00Z');
    expect(await sent(parts)).toEqual([expect.stringContaining('295 notifications')]);
    expect(await keptIn(parts)).toEqual({ entries: 300, items: 0, deliveries: 6 });
  });

  test('are one message an hour after the first when operations of many tenants fail for one reason', async () => {
    const parts = await prepare();
    const { time, notifications } = parts;
    const fail = (n: number, cause = 'backup/no space') =>
      notifications.notify(
        alertOf(`backup/t${n}/failed`, { event: 'backup', title: `Tenant ${n}: Backup failed`, cause, at: time.now }),
      );
    await fail(1);
    expect(await sent(parts)).toEqual(['Error: Tenant 1: Backup failed']);
    for (let n = 2; n <= 20; n += 1) {
      time.now = new Date(time.now.getTime() + 60_000);
      await fail(n);
      expect(await sent(parts)).toEqual([]);
    }
    await fail(21, 'backup/no database');
    expect(await sent(parts)).toEqual(['Error: Tenant 21: Backup failed']);
    time.now = new Date('2026-11-25T21:00:00Z');
    expect(await sent(parts)).toEqual(['Error: 19 notifications, first: Tenant 2: Backup failed']);
    time.now = new Date('2026-11-25T21:20:00Z');
    await fail(22);
    expect(await sent(parts)).toEqual([]);
    time.now = new Date('2026-11-25T22:00:00Z');
    expect(await sent(parts)).toEqual(['Error: Tenant 22: Backup failed']);
    time.now = new Date('2026-11-25T23:10:00Z');
    await fail(23);
    expect(await sent(parts)).toEqual(['Error: Tenant 23: Backup failed']);
  });

  test('survive kill -9, with no message and no entry twice after a repetition', async () => {
    const parts = await prepare();
    const script = join(import.meta.dirname, 'notifying-manager.ts');
    const child = spawn(process.execPath, ['--no-warnings', script, parts.databaseUrl, '400'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const stored: string[] = [];
    for await (const line of createInterface({ input: child.stdout })) {
      stored.push(line);
      if (stored.length === 37) child.kill('SIGKILL');
    }
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    expect(child.signalCode).toBe('SIGKILL');
    const before = await keptIn(parts);
    expect(before.entries).toBeGreaterThan(0);
    const total = 60;
    for (let index = 0; index < total; index += 1)
      await parts.notifications.notify(
        alertOf(`deployment/${index}/failed`, { severity: index % 2 === 0 ? 'error' : 'info' }),
      );
    const rows = await parts.store.select<{ key: string }>('SELECT alert_key AS `key` FROM alerts', {});
    const keys = rows.map(({ key }) => key);
    expect(keys).toEqual(expect.arrayContaining(stored));
    const { entries, items, deliveries } = await keptIn(parts);
    expect(items + deliveries).toBe(keys.length);
    // Administrators hear of errors: every second alert.
    expect(entries).toBe(Math.ceil(keys.length / 2));
  });
});
