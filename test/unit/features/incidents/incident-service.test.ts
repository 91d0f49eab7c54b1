import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { createEventBus } from '../../../../src/adapters/events/bus.ts';
import type { Store } from '../../../../src/adapters/store/store.ts';
import { openManagerStore } from '../../../../src/app/lifecycle/manager-store.ts';
import type { Cause, SystemCause } from '../../../../src/features/incidents/cause.ts';
import { createIncidents, type Incidents } from '../../../../src/features/incidents/incidents.ts';
import { createIncidentStore } from '../../../../src/features/incidents/store.ts';
import type { Alert } from '../../../../src/features/notifications/alert.ts';
import type { HealthStatus, Tenant } from '../../../../src/features/tenants/tenant.ts';
import { newId } from '../../../../src/lib/ids.ts';
import { createLogger } from '../../../../src/lib/logger.ts';
import { eachDatabase } from '../../../harness/servers/mariadb.ts';

eachDatabase('incidents of shared causes', (newDatabase) => {
  const logger = createLogger({ level: 'silent' });
  let store: Store;
  let now: Date;
  let causes: Map<string, Cause | 'not_failing' | null>;
  let diagnoses: number;
  let problems: SystemCause[];
  let alerts: Alert[];
  let tenants: Pick<Tenant, 'id' | 'slug' | 'name' | 'tags' | 'status'>[];
  let incidents: Incidents;
  let check: (tenantId: string, status: HealthStatus) => void;
  let refuse: boolean;
  let inCrashLoop: Set<string>;

  beforeAll(async () => {
    store = await openManagerStore(await newDatabase(), logger);
  });
  afterAll(() => store?.close());
  beforeEach(async () => {
    await store.sequelize.query('DELETE FROM incidents');
    now = new Date('2026-11-25T20:00:00.000Z');
    [causes, problems, alerts, refuse, diagnoses] = [new Map(), [], [], false, 0];
    inCrashLoop = new Set();
    tenants = Array.from({ length: 20 }, (_, index) => ({
      id: newId(),
      slug: `t${index}`,
      name: `Tenant ${index}`,
      tags: [],
      status: 'running',
    }));
    await start();
  });

  /** As a manager that starts on what is stored. */
  async function start(): Promise<void> {
    const find = async (id: string) => tenants.find((tenant) => tenant.id === id) as Tenant | undefined;
    incidents = createIncidents({
      store,
      logger,
      clock: { now: () => now },
      events: createEventBus(logger),
      writeAuditLog: async () => undefined,
      tenants: { find, get: async (id) => (await find(id)) as Tenant },
      settings: { read: async (key) => (key === 'incident_failures' ? 2 : 60) as never },
      health: {
        onCheck(listener) {
          check = listener;
          return () => undefined;
        },
        lastFindings: (id) => ({ problems: [], certificate: undefined, crashLoop: inCrashLoop.has(id) }),
      },
      async causeOf(id) {
        diagnoses += 1;
        return causes.get(id) ?? null;
      },
      async notify(alert) {
        if (refuse) throw new Error('The outbox is locked');
        alerts.push(alert);
      },
      isOfUnit: (code) => /^(unit_|uncaught|application_)/.test(code),
      receipts: async () => [],
      visibleTo: (_role, cause) => cause,
      systemCauses: async () => problems,
    });
    await incidents.open();
  }
  const pass = (seconds: number): void => {
    now = new Date(now.getTime() + seconds * 1_000);
  };
  /** A sweep over all tenants, and what is announced until the next one. */
  async function sweep(statusOf: (tenantId: string, index: number) => HealthStatus): Promise<void> {
    for (const [index, { id }] of tenants.entries()) check(id, statusOf(id, index));
    await incidents.settled();
    for (let seconds = 0; seconds < 60; seconds += 5) {
      await incidents.announceDue();
      pass(5);
    }
  }
  const rows = () => createIncidentStore(store);
  const stored = async () => (await rows().list({}, { limit: 100, offset: 0 })).items;
  const shared = (kind: string, name: string, code = 'lost'): Cause => ({
    code,
    title: `The ${kind} ${name} is lost`,
    scope: { kind, name },
    remedy: 'Start it again',
    severity: 'error',
    diagnosis: null,
  });
  const keys = () => alerts.map(({ key }) => key.replace(/^incident\/[^/]+\//, ''));

  test('twenty tenants on a lost node are one incident and one message that lists them, and one when they recovered', async () => {
    for (const { id } of tenants) causes.set(id, shared('node', 'n1'));
    // The node was lost in the middle of a sweep: half of the tenants fail one check earlier.
    await sweep((_, index) => (index < 10 ? 'healthy' : 'unhealthy'));
    await sweep(() => 'unhealthy');
    await sweep(() => 'unhealthy');
    expect(await stored()).toMatchObject([{ title: 'The node n1 is lost', severity: 'critical', status: 'open' }]);
    expect(alerts).toMatchObject([{ title: '20 tenants: The node n1 is lost', event: 'node', severity: 'critical' }]);
    expect(alerts[0]?.tenants.map(({ slug }) => slug).sort()).toEqual(tenants.map(({ slug }) => slug).sort());
    await sweep(() => 'healthy');
    await sweep((_, index) => (index === 0 ? 'unhealthy' : 'healthy'));
    expect((await stored())[0]?.status).toBe('open');
    for (const { id } of tenants) causes.set(id, 'not_failing');
    await sweep(() => 'degraded');
    await sweep(() => 'healthy');
    expect(await stored()).toMatchObject([{ status: 'resolved', closed: true }]);
    expect(keys()).toEqual(['opened', 'resolved']);
    expect(alerts[1]?.title).toBe('Recovered after 5 min: 20 tenants: The node n1 is lost');
  });

  test('tenants with their own causes have their own incidents', async () => {
    await sweep((_, index) => (index < 3 ? 'unhealthy' : 'healthy'));
    await sweep((_, index) => (index < 3 ? 'unhealthy' : 'healthy'));
    expect(await stored()).toHaveLength(3);
    expect(keys()).toEqual(['opened', 'opened', 'opened']);
  });

  test('a tenant that fails again within 30 minutes has one incident, and one message after its end was announced', async () => {
    const [a = '', b = ''] = tenants.map(({ id }) => id);
    const fail = async (status: HealthStatus, sweeps: number) => {
      for (let left = sweeps; left > 0; left -= 1) await sweep((id) => (id === a ? status : 'healthy'));
    };
    for (const code of ['unit_crashed', 'application_hangs', 'unit_killed', 'uncaught_exception']) {
      causes.set(a, shared('tenant', 't0', code));
      await fail('unhealthy', 2);
      await fail('healthy', 6);
    }
    expect(await stored()).toMatchObject([{ reopened: 3, status: 'resolved', closed: false }]);
    expect(keys()).toEqual(['opened', 'resolved', 'flapping/1']);
    expect(alerts.at(-1)?.title).toBe('Failed 2 times: Tenant 0: The tenant t0 is lost');
    // A killed manager goes on where it was.
    await incidents.close();
    await start();
    await fail('healthy', 30);
    expect(await stored()).toMatchObject([{ reopened: 3, status: 'resolved', closed: true }]);
    expect(keys()).toEqual(['opened', 'resolved', 'flapping/1', 'resolved']);
    const entries = await rows().entries((await stored())[0]?.id ?? '');
    expect(entries.filter(({ kind }) => kind === 'reopened')).toHaveLength(3);
    // Another tenant, another family and a return after longer are others.
    causes.set(b, shared('tenant', 't1', 'unit_crashed'));
    for (const _ of [1, 2]) await sweep((id) => (id === b ? 'unhealthy' : 'healthy'));
    await fail('healthy', 2);
    causes.set(a, shared('database_server', 's1', 'database_unreachable'));
    await fail('unhealthy', 2);
    await fail('healthy', 2);
    causes.set(a, shared('tenant', 't0', 'unit_crashed'));
    await fail('unhealthy', 2);
    expect((await stored()).map(({ causeCode, reopened }) => [causeCode, reopened])).toEqual([
      ['unit_crashed', 0],
      ['database_unreachable', 0],
      ['unit_crashed', 0],
      ['uncaught_exception', 3],
    ]);
  });

  test('a crash loop has ended when the tenant was well for five minutes, also after a restart of the manager', async () => {
    const [a = ''] = tenants.map(({ id }) => id);
    const sweeps = async (status: HealthStatus, times: number) => {
      for (let left = times; left > 0; left -= 1) await sweep((id) => (id === a ? status : 'healthy'));
    };
    const cause = shared('tenant', 't0', 'unit_crashed');
    const { code, title, scope } = cause;
    const found = {
      code: code as 'unit_crashed',
      title,
      confidence: 'certain' as const,
      scope: { ...scope, kind: 'tenant' as const },
    };
    const params = { unit: 'API', error: 'exit 3', restarts: '3', minutes: '4' };
    // The first diagnosis knows only that it crashes.
    causes.set(a, cause);
    await sweeps('unhealthy', 2);
    causes.set(a, { ...cause, diagnosis: { ...found, params, evidence: [], consequences: [], remedy: null } });
    await sweeps('unhealthy', 1);
    await sweeps('healthy', 4);
    await incidents.close();
    await start();
    await sweeps('healthy', 5);
    expect(await stored()).toMatchObject([{ status: 'open', causeParams: params }]);
    await sweeps('healthy', 2);
    expect(await stored()).toMatchObject([{ status: 'resolved' }]);
    expect(keys()).toEqual(['opened', 'resolved']);
  });

  test('one that is restarted again and again fails at once', async () => {
    const [a = ''] = tenants.map(({ id }) => id);
    causes.set(a, shared('tenant', 't0', 'unit_crashed'));
    inCrashLoop.add(a);
    await sweep((id) => (id === a ? 'unhealthy' : 'healthy'));
    expect(await stored()).toMatchObject([{ causeCode: 'unit_crashed', status: 'open' }]);
    expect(keys()).toEqual(['opened']);
  });

  test('the cause of each affected tenant is known until it recovers, except where only its checks are known', async () => {
    const [a = '', b = '', c = ''] = tenants.map(({ id }) => id);
    causes.set(a, shared('node', 'n1')).set(b, shared('tenant', 't1', 'unit_crashed'));
    for (const _ of [1, 2]) await sweep((id) => ([a, b, c].includes(id) ? 'unhealthy' : 'healthy'));
    expect(await rows().knownCauses()).toEqual(
      new Map([
        [a, 'lost'],
        [b, 'unit_crashed'],
      ]),
    );
    for (const _ of [1, 2]) await sweep((id) => (id === b ? 'unhealthy' : 'healthy'));
    expect(await rows().knownCauses()).toEqual(new Map([[b, 'unit_crashed']]));
  });

  test('a problem of the manager and its tenants share an incident, which ends when both have recovered', async () => {
    const [a] = tenants;
    const engine = shared('engine', 'docker');
    problems = [{ ...engine, severity: 'error', detail: 'No answer at /var/run/docker.sock' }];
    await incidents.checkSystem();
    expect(await stored()).toEqual([]);
    pass(30);
    await incidents.checkSystem();
    causes.set(a?.id ?? '', shared('engine', 'local', 'hangs'));
    await sweep((_, index) => (index === 0 ? 'unhealthy' : 'healthy'));
    expect(await stored()).toMatchObject([{ foundByManager: 'failing', detail: problems[0]?.detail }]);
    expect(await rows().members([(await stored())[0]?.id ?? ''])).toHaveLength(1);
    await sweep(() => 'healthy');
    await sweep(() => 'healthy');
    expect((await stored())[0]?.status).toBe('open');
    problems = [];
    await incidents.checkSystem();
    await incidents.checkSystem();
    await sweep(() => 'healthy');
    expect(await stored()).toMatchObject([{ status: 'resolved' }]);
    expect(keys().filter((key) => key === 'resolved')).toHaveLength(1);
  });

  test('a tenant that is degraded by a failing cause has an incident until the cause is gone', async () => {
    const [a] = tenants as [Tenant];
    const bad = (_: string, index: number): HealthStatus => (index === 0 ? 'degraded' : 'healthy');
    causes.set(a.id, shared('tenant', a.slug, 'database_refused'));
    await sweep(bad);
    expect(await stored()).toEqual([]);
    await sweep(bad);
    await sweep(bad);
    expect(await stored()).toMatchObject([{ causeCode: 'database_refused', severity: 'error' }]);
    causes.set(a.id, 'not_failing');
    // The same checks fail, so the cause is looked for from time to time.
    for (let count = 0; count < 10; count += 1) await sweep(bad);
    expect(await stored()).toMatchObject([{ status: 'resolved' }]);
    expect(keys()).toEqual(['opened', 'resolved']);
  });

  test('a degraded tenant without a failing cause has no incident, and is diagnosed rarely', async () => {
    for (const { id } of tenants) causes.set(id, 'not_failing');
    causes.set(tenants[0]?.id ?? '', { ...shared('proxy', 'nginx'), severity: 'info' });
    for (let count = 0; count < 9; count += 1) await sweep(() => 'degraded');
    expect(await stored()).toEqual([]);
    // The first time, and after 3 and 5 checks.
    expect(diagnoses).toBe(3 * tenants.length);
  });

  test('a tenant that turns from unhealthy to degraded by the same cause stays in its incident', async () => {
    const [a] = tenants as [Tenant];
    const all = (status: HealthStatus) => sweep((_, index) => (index === 0 ? status : 'healthy'));
    causes.set(a.id, shared('engine', 'docker'));
    await all('unhealthy');
    await all('unhealthy');
    causes.set(a.id, { ...shared('engine', 'docker'), severity: 'info' });
    for (let count = 0; count < 4; count += 1) await all('degraded');
    expect(await stored()).toMatchObject([{ status: 'open' }]);
    await all('healthy');
    await all('healthy');
    expect(keys()).toEqual(['opened', 'resolved']);
  });

  test('an incident that becomes more severe is announced once more', async () => {
    const [a] = tenants as [Tenant];
    const all = (status: HealthStatus) => sweep((_, index) => (index === 0 ? status : 'healthy'));
    causes.set(a.id, { ...shared('tenant', a.slug), severity: 'warning' });
    await all('degraded');
    await all('degraded');
    expect(alerts).toMatchObject([{ severity: 'warning' }]);
    causes.set(a.id, shared('tenant', a.slug));
    await all('unhealthy');
    await all('unhealthy');
    await all('unhealthy');
    expect(keys()).toEqual(['opened', 'escalated/error']);
    expect(alerts[1]?.title).toBe(`Now error: Tenant 0: The tenant ${a.slug} is lost`);
    causes.set(a.id, { ...shared('tenant', a.slug), severity: 'warning' });
    await all('degraded');
    expect(await stored()).toMatchObject([{ severity: 'error' }]);
  });

  test('a disk is a warning until it is full or affects a tenant, and then critical', async () => {
    const [a] = tenants as [Tenant];
    const disk = (severity: 'warning' | 'error') => ({
      ...shared('disk', '/data'),
      severity,
      detail: 'Only 1 MiB free',
    });
    const pending = async () => {
      await incidents.checkSystem();
      await sweep(() => 'healthy');
    };
    problems = [disk('warning')];
    await pending();
    await pending();
    expect(alerts).toMatchObject([{ event: 'disk', severity: 'warning' }]);
    problems = [disk('error')];
    await pending();
    expect(alerts.slice(1)).toMatchObject([{ event: 'disk', severity: 'critical' }]);
    expect(keys()).toEqual(['opened', 'escalated/critical']);

    problems = [{ ...shared('disk', '/volumes'), severity: 'warning', detail: 'Only 900 MiB free' }];
    await pending();
    await pending();
    causes.set(a.id, shared('disk', '/volumes', 'disk_full'));
    await sweep((_, index) => (index === 0 ? 'degraded' : 'healthy'));
    expect(alerts.at(-1)).toMatchObject({
      severity: 'critical',
      title: 'Tenant 0 also affected: The disk /volumes is lost',
    });
  });

  test('a better diagnosis changes the only tenant’s incident, and moves it where the cause has one', async () => {
    const [a, b] = tenants as [Tenant, Tenant];
    const isBad = (id: string): HealthStatus => (id === a.id || id === b.id ? 'unhealthy' : 'healthy');
    await sweep(isBad);
    await sweep(isBad);
    expect(await stored()).toHaveLength(2);
    for (const { id } of [a, b]) causes.set(id, shared('database_server', 'db1'));
    await sweep(isBad);
    const open = await rows().unresolved();
    expect(open).toMatchObject([{ title: 'The database_server db1 is lost' }]);
    const members = await rows().members([open[0]?.id ?? '']);
    expect(members.map(({ slug }) => slug).sort()).toEqual(['t0', 't1']);
    const kinds = (await rows().entries(open[0]?.id ?? '')).map(({ kind }) => kind);
    expect(kinds).toEqual(expect.arrayContaining(['opened', 'diagnosis_changed', 'joined']));
    // The one that it left is not announced as recovered.
    expect(keys()).not.toContain('resolved');
  });

  test('an announcement that was refused is repeated, also by another manager, with the same tenants', async () => {
    refuse = true;
    await sweep((_, index) => (index === 0 ? 'unhealthy' : 'healthy'));
    await sweep((_, index) => (index === 0 ? 'unhealthy' : 'healthy'));
    refuse = false;
    await start();
    await incidents.announceDue();
    await incidents.announceDue();
    expect(keys()).toEqual(['opened']);
    await sweep((_, index) => (index === 0 ? 'unhealthy' : 'healthy'));
    await sweep((_, index) => (index === 0 ? 'unhealthy' : 'healthy'));
    expect(await stored()).toHaveLength(1);
  });

  test('a tenant that was deleted while no manager ran ends its incident', async () => {
    await sweep((_, index) => (index === 0 ? 'unhealthy' : 'healthy'));
    await sweep((_, index) => (index === 0 ? 'unhealthy' : 'healthy'));
    tenants.shift();
    await start();
    expect(await stored()).toMatchObject([{ status: 'resolved' }]);
    const [member] = await rows().members([(await stored())[0]?.id ?? '']);
    expect(member).toMatchObject({ leftReason: 'deleted' });
  });
});
