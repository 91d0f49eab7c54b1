import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Store } from '../../../../src/adapters/store/store.ts';
import { openManagerStore } from '../../../../src/app/lifecycle/manager-store.ts';
import { createAlertSources, reportedFaults } from '../../../../src/features/incidents/incidents.ts';
import type { Alert } from '../../../../src/features/notifications/alert.ts';
import type { Tenant } from '../../../../src/features/tenants/tenant.ts';
import { createLogger } from '../../../../src/lib/logger.ts';
import type { OperationSummary } from '../../../../src/lib/operations/operation.ts';
import { eachDatabase } from '../../../harness/servers/mariadb.ts';

eachDatabase('alerts about operations and states that last', (newDatabase) => {
  const logger = createLogger({ level: 'silent' });
  const now = new Date('2026-11-25T20:00:00.000Z');
  const tenant = { id: 't1', slug: 'acme', name: 'Acme', tags: [], gitRepo: 'r' } as unknown as Tenant;
  let store: Store;
  beforeAll(async () => {
    store = await openManagerStore(await newDatabase(), logger);
  });
  afterAll(() => store?.close());

  /** Sources of alerts about one tenant, and what they handed over. */
  async function sources({
    ended = [] as string[],
    isInMaintenance = () => false,
    fault = (): { code: string; since: Date }[] => [{ code: 'dns_missing', since: now }],
    isDeleted = () => false,
    at = () => now,
    subjects = ['t1'],
    failureOf = (_subject: string) => 'no answer',
  }) {
    const alerts: Alert[] = [];
    const found = createAlertSources({
      store,
      logger,
      clock: { now: at },
      notify: async (...handed) => void alerts.push(...handed),
      writeAuditLog: async () => undefined,
      tenants: {
        find: async (id) => ({ ...tenant, id }),
        async *each() {
          if (!isDeleted()) yield tenant;
        },
      },
      endedSince: async () =>
        subjects.flatMap((subject) =>
          ended.map((kind) => {
            const error = { step: 'Start', message: failureOf(subject) };
            const times = { createdAt: now, finishedAt: now };
            return { id: `${subject}/${kind}`, subject, kind, status: 'failed', error, ...times } as OperationSummary;
          }),
        ),
      ofFleets: async () => new Set<string>(),
      tenantsOfFleet: async () => [],
      isInMaintenance: async () => isInMaintenance,
      entriesAfter: async () => [],
      lastEntry: async () => 0,
      reportText: async () => '',
      attention: async () =>
        ['backup_missing', 'certificate', 'dns_missing'].map((kind) => ({
          kind,
          tenant: { id: 't1' },
          cause: kind,
          since: now,
        })),
      unseenFaults: fault,
      drillVerdict: 'the comparison',
      missingDrills: async () => [],
      certificateOf: async () => ({ notAfter: new Date('2026-12-01T00:00:00.000Z') }),
      updateOf: () => 'v2.0.0',
      lastAlert: async (prefix) => alerts.findLast(({ key }) => key.startsWith(prefix)),
      withdraw: async () => undefined,
      reminderMinutes: async () => 60,
    });
    await found.open();
    return { found, alerts };
  }
  const titles = (alerts: readonly Alert[]) => alerts.map(({ title, severity }) => `${severity} ${title}`);

  test('name failed upgrades, backups and drills', async () => {
    const { found, alerts } = await sources({ ended: ['upgrade', 'backup', 'drill'] });
    await found.reportEvents();
    expect(titles(alerts)).toEqual([
      'error Acme: Upgrade failed',
      'error Acme: Backup failed',
      'error Acme: Restore drill failed',
    ]);
  });

  test('say what failed operations of several tenants have in common', async () => {
    const causesOf = async (...messages: string[]) => {
      const subjects = messages.map((_, index) => `t${index}`);
      const failureOf = (subject: string) => messages[Number(subject.slice(1))] ?? '';
      const { found, alerts } = await sources({ ended: ['backup'], subjects, failureOf });
      await found.reportEvents();
      return new Set(alerts.map(({ cause }) => cause));
    };
    const oneEach = [
      "Access denied for user 'tenantry_1a2b3c4d5e6f7a8b9c0d'@'172.18.0.5' of acme",
      "Access denied for user 'tenantry_ffffeeeeddddccccbbbb'@'172.18.0.6' of acme",
    ];
    expect(await causesOf(...oneEach)).toEqual(new Set(["backup/Start/ Access denied for user ''@'' of "]));
    const backups = ['550e8400-e29b-41d4-a716-446655440000', '018f4b0e-7c3a-7e9b-8f00-0123456789ab'];
    expect((await causesOf(...backups.map((id) => `The backup ${id} is not complete`))).size).toBe(1);
    expect((await causesOf('Port 20001 is in use', 'Port 20003 is in use')).size).toBe(1);
    expect((await causesOf('A query runs for 37 s (pid 812)', 'A query runs for 4 s (pid 97)')).size).toBe(1);
    expect((await causesOf('Exit code 1', 'Exit code 137', 'status 503', 'SMTP_HOST is not set')).size).toBe(4);
  });

  test('name missing backups, certificates that expire, faults of healthy tenants and updates, once', async () => {
    const { found, alerts } = await sources({});
    await found.reportConditions();
    await found.reportConditions();
    expect(titles(alerts)).toEqual([
      'warning Acme: Backup missing',
      'warning Acme: The certificate expires soon',
      'error Acme: dns_missing',
      'info v2.0.0 is available for Acme',
    ]);
  });

  const faultOf = (since: Date) => [{ code: 'dns_missing', since }];

  test('say which faults of healthy tenants last, also after reminders', async () => {
    const { found, alerts } = await sources({});
    await found.reportConditions();
    const fault = { tenantId: 't1', code: 'dns_missing', since: now, title: 'dns_missing', isOver: false };
    expect(reportedFaults(alerts)).toEqual([fault]);
    const [opened] = alerts.filter(({ key }) => key.startsWith('unseen_fault/'));
    const title = `Reminder: ${opened?.title}`;
    expect(reportedFaults([{ key: `${opened?.key}/reminder/2`, title }, ...alerts])).toEqual([fault]);
  });

  test('say once that a fault of a healthy tenant has ended, also in a maintenance window', async () => {
    let [faults, at, isCovered] = [faultOf(now), now, false];
    const { found, alerts } = await sources({ fault: () => faults, at: () => at, isInMaintenance: () => isCovered });
    await found.reportConditions();
    isCovered = true;
    await found.reportConditions();
    expect(alerts).toHaveLength(4);
    faults = [];
    at = new Date(now.getTime() + 2 * 3_600_000);
    await found.reportConditions();
    isCovered = false;
    await found.reportConditions();
    const news = alerts.filter(({ key }) => key.startsWith('unseen_fault/')).slice(1);
    expect(titles(news)).toEqual(['info Recovered after 2 h: Acme: dns_missing']);
    expect(reportedFaults(alerts.toReversed())).toEqual([]);
  });

  test('say nothing of the end of a deleted tenant’s fault', async () => {
    let [faults, isDeleted] = [faultOf(now), false];
    const { found, alerts } = await sources({ fault: () => faults, isDeleted: () => isDeleted });
    await found.reportConditions();
    [faults, isDeleted] = [[], true];
    await found.reportConditions();
    expect(alerts.filter(({ key }) => key.startsWith('unseen_fault/'))).toHaveLength(1);
  });

  test('wait for the end of a maintenance window', async () => {
    let isCovered = true;
    const { found, alerts } = await sources({ isInMaintenance: () => isCovered });
    await found.reportConditions();
    expect(alerts).toEqual([]);
    isCovered = false;
    await found.reportConditions();
    expect(alerts).toHaveLength(4);
  });
});
