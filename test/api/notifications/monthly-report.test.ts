import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createEventBus } from '../../../src/adapters/events/bus.ts';
import { createHistory } from '../../../src/features/history/history.ts';
import { createAlertSourceStore } from '../../../src/features/incidents/alert-sources/store.ts';
import { createAlertSources } from '../../../src/features/incidents/incidents.ts';
import { createLogger } from '../../../src/lib/logger.ts';
import { eachDatabase } from '../../harness/servers/mariadb.ts';
import { type MailServer, startMailServer } from '../../harness/servers/smtp.ts';
import { admin, openAlerting } from './alerting-parts.ts';

eachDatabase('the monthly report', (newDatabase) => {
  let mail: MailServer;
  let databaseUrl: string;
  let parts: Awaited<ReturnType<typeof openAlerting>>;
  beforeAll(async () => {
    mail = await startMailServer({ security: 'none' });
    databaseUrl = await newDatabase();
    parts = await openAlerting(databaseUrl);
  });
  afterAll(async () => {
    await parts.store.close();
    await mail.stop();
  });

  const tenant = { id: '0199f0a0-0000-7000-8000-000000000001', slug: 'acme', name: 'Acme', tags: [] };
  const logger = createLogger({ level: 'silent' });

  /** The parts of a manager that report, on the same store; each call is a start of the manager. */
  async function startReporting() {
    const { store, time, notifications } = parts;
    const clock = { now: () => time.now };
    const all = async function* () {
      yield tenant;
    };
    const history = createHistory({
      store,
      clock,
      logger,
      events: createEventBus(logger),
      tenants: { each: all, get: async () => tenant },
      settings: { read: async () => 99.5 },
      runtime: {},
      dataDirectory: '/nowhere',
    } as never);
    await history.open();
    const sources = createAlertSources({
      store,
      clock,
      logger,
      notify: notifications.notify,
      tenants: { each: all, find: async () => undefined },
      endedSince: async () => [],
      ofFleets: async () => new Set(),
      tenantsOfFleet: async () => [],
      entriesAfter: async () => [],
      lastEntry: async () => 0,
      reportText: history.reportText,
    } as never);
    await sources.open();
    /** Reports and sends what is due, and answers what arrived. */
    const arrived = async (): Promise<string[]> => {
      await sources.reportEvents();
      await notifications.sendDigests(new AbortController().signal);
      await notifications.outbox.deliverDue(new AbortController().signal);
      return mail.received.splice(0).map(({ to, text }) => `${to.join()} ${/^Subject: (.*)$/m.exec(text)?.[1]}`);
    };
    return { history, arrived };
  }

  async function createRule(recipient: string, changes: object): Promise<void> {
    const { channels, rules } = parts.notifications;
    const config = {
      host: '127.0.0.1',
      port: mail.port,
      security: 'none',
      from: 'tenantry@example.org',
      recipients: [recipient],
    } as const;
    const { id } = await channels.create({ kind: 'email', name: recipient, enabled: true, config }, admin);
    const usual = { enabled: true, tags: [], tenant_ids: [], user_ids: [], digest_minutes: null, quiet_hours: null };
    await rules.create({ ...usual, severity: 'error', events: [], channel_ids: [id], ...changes }, admin);
  }

  test('goes on the 1st to the channels of rules that name it, once, also after a restart', async () => {
    await createRule('board@example.org', { events: ['report'] });
    await createRule('ops@example.org', { severity: 'info' });
    const november = await startReporting();
    expect(await november.arrived()).toEqual([]);
    for (let minute = 0; minute < 10; minute += 1) {
      const up = { status: 'up', response_time_ms: 5, status_code: 200 };
      const found = {
        last_check: new Date(parts.time.now.getTime() + minute * 60_000).toISOString(),
        overall_status: minute === 3 ? 'unhealthy' : 'healthy',
        checks: { frontend: up, backend: up, database: { status: 'healthy', size_mb: 1, connections: null } },
      };
      november.history.record(tenant as never, found as never, {});
    }
    parts.time.now = new Date('2026-11-30T23:59:50Z');
    expect(await november.arrived()).toEqual([]);
    await november.history.close();

    parts.time.now = new Date('2026-12-01T00:00:05Z');
    const december = await startReporting();
    expect(await december.arrived()).toEqual(['board@example.org [Tenantry] Monthly report: availability in 2026-11']);
    expect(await december.arrived()).toEqual([]);
    await december.history.close();

    const restarted = await startReporting();
    expect(await restarted.arrived()).toEqual([]);
    // As if the manager had been killed before it stored that the month was reported.
    await createAlertSourceStore(parts.store).saveCursor('monthly report', '2026-10');
    expect(await restarted.arrived()).toEqual([]);
    await restarted.history.close();
    const [alert] = await parts.store.select<{ text: string }>(
      "SELECT text FROM alerts WHERE alert_key = 'report/2026-11'",
      {},
    );
    expect(alert?.text).toContain('Acme  90.000 %');
  });

  test('waits for the end of quiet hours, as a message of its own', async () => {
    const quiet_hours = { from: '22:00', to: '06:00', time_zone: 'UTC', except: 'critical' };
    await createRule('night@example.org', { events: ['report', 'import'], severity: 'info', quiet_hours });
    parts.time.now = new Date('2027-01-01T00:00:05Z');
    const january = await startReporting();
    expect(await january.arrived()).toEqual(['board@example.org [Tenantry] Monthly report: availability in 2026-12']);
    parts.time.now = new Date('2027-01-01T06:00:00Z');
    expect(await january.arrived()).toEqual(['night@example.org [Tenantry] Monthly report: availability in 2026-12']);
    await january.history.close();
  });
});
