import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createAlertSources, createMaintenanceCheck } from '../../../src/features/incidents/incidents.ts';
import { createMaintenanceStore } from '../../../src/features/incidents/maintenance/store.ts';
import { addTenant } from '../../harness/data/tenant-row.ts';
import { eachDatabase } from '../../harness/servers/mariadb.ts';
import { openAlerting } from '../notifications/alerting-parts.ts';

eachDatabase('reminders of states that last', (newDatabase) => {
  const id = 't1';
  const startedAt = Date.parse('2026-11-25T20:00:00.000Z');
  const day = 1_440;
  const expiry = new Date(startedAt + 4 * day * 60_000);
  const states = { attention: [] as string[], isDrillMissing: false, lastDrill: null as Date | null };
  let parts: Awaited<ReturnType<typeof openAlerting>>;
  let minutes = 60;
  beforeAll(async () => {
    parts = await openAlerting(await newDatabase());
    await addTenant(parts.store, id);
  });
  afterAll(() => parts?.store.close());

  /** The part of a manager that reports states, on the same store; each call is a start of the manager. */
  function start() {
    const { store, time, notifications } = parts;
    const sources = createAlertSources({
      store,
      clock: { now: () => time.now },
      notify: notifications.notify,
      lastAlert: notifications.lastAlert,
      withdraw: notifications.withdraw,
      reminderMinutes: async () => minutes,
      tenants: {
        async *each() {
          yield { id, slug: 'acme', name: 'Acme', tags: [], gitRepo: 'r' };
        },
      },
      isInMaintenance: createMaintenanceCheck(store),
      attention: async () =>
        states.attention.map((kind) => ({ kind, tenant: { id }, cause: kind, since: new Date(startedAt) })),
      unseenFaults: () => [],
      missingDrills: async () => (states.isDrillMissing ? [{ tenantId: id, last: states.lastDrill }] : []),
      certificateOf: async () => ({ notAfter: expiry }),
      updateOf: () => 'v2.0.0',
    } as never);
    let seen = 0;
    /** Runs some minutes after the begin, and answers the titles of new alerts in the inbox. */
    return async (afterMinutes: number): Promise<string[]> => {
      time.now = new Date(startedAt + afterMinutes * 60_000);
      await sources.reportConditions();
      const rows = await store.select<{ title: string }>(
        'SELECT a.title FROM alerts a JOIN inbox_entries e ON e.alert_key = a.alert_key ORDER BY a.created_at, a.title',
        {},
      );
      const titles = rows.slice(seen).map(({ title }) => title);
      seen = rows.length;
      return titles;
    };
  }

  test('come once a day with the usual setting, while a state lasts and not after it', async () => {
    await parts.notifications.rules.setPreferences('administrator', { severity: 'info' });
    states.attention = ['backup_missing', 'certificate'];
    states.isDrillMissing = true;
    const at = start();
    expect(await at(0)).toEqual([
      'Acme: Backup missing',
      'Acme: Restore drill missing',
      'Acme: The certificate expires soon',
      'v2.0.0 is available for Acme',
    ]);
    expect(await at(day - 5)).toEqual([]);
    const reminders = [
      'Reminder: Acme: Backup missing',
      'Reminder: Acme: Restore drill missing',
      'Reminder: Acme: The certificate expires soon',
    ];
    expect(await at(day)).toEqual(reminders);
    // Each stage of the certificate is an alert of its own.
    const urgent = 'Acme: The certificate expires in less than three days';
    expect(await at(day + 65)).toEqual([urgent]);
    expect(await at(2 * day)).toEqual(reminders.slice(0, 2));
    states.attention = ['certificate'];
    states.isDrillMissing = false;
    expect(await at(3 * day)).toEqual([`Reminder: ${urgent}`]);
  });

  test('go on after a restart where they were, and not during maintenance', async () => {
    const at = start();
    await at(3 * day);
    expect(await at(4 * day - 5)).toEqual([]);
    expect(await at(4 * day)).toEqual(['Acme: The certificate has expired']);
    await createMaintenanceStore(parts.store).insert({
      id: 'window',
      tenantId: id,
      startsAt: new Date(startedAt + (5 * day - 10) * 60_000),
      endsAt: new Date(startedAt + (5 * day + 10) * 60_000),
      weekly: false,
      timeZone: 'UTC',
      reason: 'New disk',
      createdBy: 'admin',
      createdAt: new Date(startedAt),
    });
    const afterWindow = 5 * day + 10;
    expect(await at(5 * day)).toEqual([]);
    expect(await at(afterWindow)).toEqual(['Reminder: Acme: The certificate has expired']);
    minutes = 0;
    expect(await at(afterWindow + day)).toEqual([]);
    minutes = 2 * day;
    expect(await at(afterWindow + 2 * day - 1)).toEqual([]);
    expect(await at(afterWindow + 2 * day)).toEqual(['Reminder: Acme: The certificate has expired']);
    const restarted = start();
    await restarted(afterWindow + 2 * day + 1);
    expect(await restarted(afterWindow + 4 * day)).toEqual(['Reminder: Acme: The certificate has expired']);
  });

  test('that wait for a collected message are not sent after the end', async () => {
    const { store, notifications } = parts;
    const admin = { userId: null, username: 'tenantry' };
    const config = { url: 'https://hooks.example.org/never' };
    const { id: channel } = await notifications.channels.create(
      { kind: 'slack', name: 'Ops', enabled: true, config },
      admin,
    );
    const usual = { enabled: true, tags: [], tenant_ids: [], user_ids: [], events: [], quiet_hours: null };
    await notifications.rules.create(
      { ...usual, severity: 'info', digest_minutes: 1_440, channel_ids: [channel] },
      admin,
    );
    const waiting = async () =>
      (
        await store.select<{ title: string }>(
          'SELECT a.title FROM digest_items d JOIN alerts a ON a.alert_key = d.alert_key ORDER BY a.title',
          {},
        )
      ).map(({ title }) => title);
    minutes = 60;
    states.attention = [];
    states.isDrillMissing = true;
    states.lastDrill = new Date('2026-10-01T00:00:00.000Z');
    const at = start();
    await at(20 * day);
    await at(21 * day);
    expect(await waiting()).toEqual(['Acme: Restore drill missing', 'Reminder: Acme: Restore drill missing']);
    states.isDrillMissing = false;
    await at(21 * day + 5);
    expect(await waiting()).toEqual(['Acme: Restore drill missing']);
  });
});
