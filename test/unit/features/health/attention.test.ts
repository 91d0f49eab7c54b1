import { expect, test } from '@jest/globals';
import { type AttentionDeps, createAttention } from '../../../../src/features/health/attention/attention.ts';
import type { Tenant } from '../../../../src/features/tenants/tenant.ts';
import type { OperationSummary } from '../../../../src/lib/operations/operation.ts';

const now = new Date('2026-11-20T09:00:00Z');
const hoursAgo = (hours: number): Date => new Date(now.getTime() - hours * 3_600_000);
const daysAgo = (days: number): Date => hoursAgo(days * 24);

/** A running, healthy tenant, deployed a year ago. */
const tenant = (fields: Partial<Tenant> = {}): Tenant =>
  ({
    id: 'one',
    name: 'One',
    slug: 'one',
    status: 'running',
    healthStatus: 'healthy',
    healthDetails: null,
    healthSince: hoursAgo(1),
    deployedAt: daysAgo(365),
    deployed: { commit: 'c' },
    ...fields,
  }) as Tenant;

const failed = (fields: Partial<OperationSummary> = {}): OperationSummary => ({
  id: 'operation',
  subject: 'one',
  kind: 'deploy',
  status: 'failed',
  createdAt: hoursAgo(3),
  finishedAt: hoursAgo(2),
  error: { step: 'Dump database', message: 'no space left' },
  ...fields,
});

/** What is listed of one tenant with the given facts, of which a recent backup is the default. */
async function listed(of: Tenant, facts: Partial<AttentionDeps> & { outcomes?: OperationSummary[] } = {}) {
  const { outcomes = [], ...deps } = facts;
  const attention = createAttention({
    clock: { now: () => now },
    tenants: {
      async *each() {
        yield of;
      },
    },
    health: { lastFindings: () => undefined, recentPeriods: () => [] },
    lastCause: () => undefined,
    missingData: async () => new Map<string, string>(),
    unseenFaults: () => [],
    lastBackups: async () => new Map([['one', hoursAgo(5)]]),
    lastScheduledRuns: async () => new Map([['one', { at: hoursAgo(6), attempted: true }]]),
    lastStops: async () => new Map(),
    lastOutcomes: async () => outcomes,
    updateOf: () => null,
    ...deps,
  });
  return (await attention.collect()).items.map(({ kind, cause, since, operationId }) => ({
    kind,
    cause,
    since,
    operationId,
  }));
}

const none = async () => new Map<string, never>();

test('nothing of a healthy tenant with a recent backup', async () => {
  expect(await listed(tenant())).toEqual([]);
});

test.each([
  ['error', 'healthy', 'not_running', 'Its services do not run'],
  ['running', 'degraded', 'degraded', 'database: slow'],
  ['running', 'unhealthy', 'unhealthy', 'database: slow'],
] as const)('status %s and health %s: %s', async (status, healthStatus, kind, cause) => {
  const health = {
    lastFindings: () => ({ problems: ['database: slow'], certificate: undefined }),
    recentPeriods: () => [],
  };
  expect(await listed(tenant({ status, healthStatus }), { health })).toEqual([
    { kind, cause, since: hoursAgo(1), operationId: null },
  ]);
});

test('after a restart of the manager, the cause is what the last stored check found', async () => {
  const healthDetails = { frontend: 'up', backend: 'down', database: 'down', last_check: now.toISOString() };
  expect(await listed(tenant({ healthStatus: 'unhealthy', healthDetails }))).toEqual([
    expect.objectContaining({ kind: 'unhealthy', cause: 'backend: down; database: down' }),
  ]);
});

test('a certificate that expires, of a tenant that is otherwise healthy', async () => {
  const health = {
    lastFindings: () => ({ problems: [], certificate: 'expires in 5 days' }),
    recentPeriods: () => [],
  };
  for (const healthStatus of ['healthy', 'degraded'] as const)
    expect(await listed(tenant({ healthStatus }), { health })).toEqual([
      { kind: 'certificate', cause: 'expires in 5 days', since: null, operationId: null },
    ]);
});

test('a stopped tenant, by whom and since when, for seven days', async () => {
  const stopped = (username: string | null, createdAt: Date) =>
    listed(tenant({ status: 'stopped' }), { lastStops: async () => new Map([['one', { username, createdAt }]]) });
  expect(await stopped('ada', daysAgo(2))).toEqual([
    { kind: 'stopped', cause: 'ada stopped the services', since: daysAgo(2), operationId: null },
  ]);
  expect(await stopped(null, daysAgo(7))).toEqual([
    { kind: 'stopped', cause: 'Visitors see an error page', since: daysAgo(7), operationId: null },
  ]);
  expect(await stopped('ada', hoursAgo(7 * 24 + 1))).toEqual([]);
  expect(await listed(tenant({ status: 'stopped' }))).toEqual([]);
});

test('the tenants that are behind, without a release if it is not the same for all', async () => {
  const behind = async (releases: Record<string, string | null>) => {
    const attention = createAttention({
      clock: { now: () => now },
      tenants: {
        async *each() {
          for (const id of Object.keys(releases)) yield tenant({ id });
        },
      },
      health: { lastFindings: () => undefined, recentPeriods: () => [] },
      lastCause: () => undefined,
      missingData: async () => new Map<string, string>(),
      unseenFaults: () => [],
      lastBackups: none,
      lastScheduledRuns: none,
      lastStops: none,
      lastOutcomes: async () => [],
      updateOf: ({ id }) => releases[id] ?? null,
    });
    return (await attention.collect()).behind;
  };
  expect(await behind({ a: null, b: null })).toBeNull();
  expect(await behind({ a: 'v2', b: null, c: 'v2' })).toEqual({ count: 2, version: 'v2' });
  expect(await behind({ a: 'v2', b: 'v3' })).toEqual({ count: 2, version: null });
});

test('a failed backup with its cause, unless a later one was made', async () => {
  const outcomes = [failed({ kind: 'backup' })];
  expect(await listed(tenant(), { outcomes })).toEqual([
    { kind: 'backup_failed', cause: 'Dump database: no space left', since: hoursAgo(2), operationId: 'operation' },
  ]);
  const lastBackups = async () => new Map([['one', hoursAgo(1)]]);
  expect(await listed(tenant(), { outcomes, lastBackups })).toEqual([]);
});

test('a failed change, unless a later one of any kind succeeded', async () => {
  const success = { status: 'success', error: null } as const;
  const backup = failed({ kind: 'backup', createdAt: hoursAgo(1), ...success });
  const earlier = failed({ kind: 'upgrade', createdAt: hoursAgo(4), ...success });
  expect(await listed(tenant(), { outcomes: [earlier, failed(), backup] })).toEqual([
    expect.objectContaining({ kind: 'deployment_failed', operationId: 'operation' }),
  ]);
  const later = failed({ kind: 'move', createdAt: hoursAgo(1), ...success });
  expect(await listed(tenant(), { outcomes: [later, failed(), backup] })).toEqual([]);
});

test('what health checks do not see, of a healthy tenant alone', async () => {
  const unseenFaults = () => [{ code: 'dns_missing' as const, title: 'No address', since: hoursAgo(2) }];
  expect(await listed(tenant(), { unseenFaults })).toEqual([
    { kind: 'dns_missing', cause: 'No address', since: hoursAgo(2), operationId: null },
  ]);
  expect(await listed(tenant({ healthStatus: 'unhealthy' }), { unseenFaults })).toEqual([
    expect.objectContaining({ kind: 'unhealthy' }),
  ]);
});

test('a scheduled backup that was not made', async () => {
  const lastScheduledRuns = async () => new Map([['one', { at: hoursAgo(4), attempted: false }]]);
  expect(await listed(tenant(), { lastScheduledRuns })).toEqual([
    { kind: 'backup_missing', cause: 'The scheduled backup was not made', since: hoursAgo(4), operationId: null },
  ]);
});

test('no backup, or an old one, unless the schedule wants it so', async () => {
  const old = async () => new Map([['one', daysAgo(20)]]);
  const monthly = async () => new Map([['one', { at: daysAgo(21), attempted: true }]]);
  const kinds = async (facts: Partial<AttentionDeps>, of = tenant()) =>
    (await listed(of, facts)).map(({ cause }) => cause);
  expect(await kinds({ lastBackups: none, lastScheduledRuns: none })).toEqual(['There is no backup']);
  expect(await kinds({ lastBackups: none, lastScheduledRuns: none }, tenant({ deployedAt: hoursAgo(5) }))).toEqual([]);
  expect(await kinds({ lastBackups: old, lastScheduledRuns: none })).toEqual([
    'The last backup is more than eight days old',
  ]);
  expect(await kinds({ lastBackups: old, lastScheduledRuns: monthly })).toEqual([]);
});

test('the most urgent kind first, then the newest', async () => {
  const of = [
    tenant({ id: 'b', name: 'B', status: 'stopped' }),
    tenant({ id: 'c', name: 'C', healthStatus: 'unhealthy', healthSince: hoursAgo(5) }),
    tenant({ id: 'd', name: 'D', healthStatus: 'unhealthy', healthSince: hoursAgo(2) }),
    tenant({ id: 'e', name: 'E', status: 'error' }),
  ];
  const attention = createAttention({
    clock: { now: () => now },
    tenants: {
      async *each() {
        yield* of;
      },
    },
    health: { lastFindings: () => undefined, recentPeriods: () => [] },
    lastCause: () => undefined,
    missingData: async () => new Map<string, string>(),
    unseenFaults: () => [],
    lastBackups: async (ids) => new Map(ids.map((id) => [id, hoursAgo(1)])),
    lastScheduledRuns: none,
    lastStops: async () => new Map([['b', { username: null, createdAt: hoursAgo(1) }]]),
    lastOutcomes: async () => [failed({ subject: 'b' })],
    updateOf: ({ name }) => (name === 'B' || name === 'C' ? 'v2' : null),
  });
  const { items, behind } = await attention.collect();
  expect(items.map((item) => `${item.kind} ${item.tenant.name}`)).toEqual([
    'unhealthy D',
    'unhealthy C',
    'not_running E',
    'deployment_failed B',
    'stopped B',
  ]);
  expect(behind).toEqual({ count: 2, version: 'v2' });
});
