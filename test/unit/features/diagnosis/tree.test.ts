import { describe, expect, test } from '@jest/globals';
import type { RuntimeNode } from '../../../../src/adapters/runtimes/nodes.ts';
import type { UnitState } from '../../../../src/adapters/runtimes/runtime.ts';
import type {
  Facts,
  FleetTenant,
  HealthFinding,
  PageFinding,
  UnitFacts,
} from '../../../../src/features/diagnosis/facts/facts.ts';
import type { Reading } from '../../../../src/features/diagnosis/facts/reading.ts';
import { diagnose, diagnoseStart, unseenFaultsIn } from '../../../../src/features/diagnosis/tree/tree.ts';
import type { Tenant } from '../../../../src/features/tenants/tenants.ts';

const at = new Date('2026-11-20T12:00:00Z');
const earlier = (minutes: number): Date => new Date(at.getTime() - minutes * 60_000);
const known = <T>(value: T, source = 'Test'): Reading<T> => ({ source, at, known: true, value });
const unknown = <T>(reason: string, source = 'Test'): Reading<T> => ({ source, at, known: false, reason });

const up: PageFinding = { status: 'up', status_code: 200 };
const refused: PageFinding = { status: 'down', status_code: null, error: 'connection refused', problem: 'refused' };
const active: UnitState = { state: 'active', commit: 'c', reason: null, gaveUp: false, startedAt: earlier(60) };
const crashed: UnitState = {
  ...active,
  state: 'inactive',
  startedAt: null,
  reason: 'exited with code 3',
  restarts: 4,
  lastExit: { code: 3, signal: null, outOfMemory: false, startedAt: earlier(2), at: earlier(1) },
};
const unplaced: UnitState = {
  ...active,
  ...{ state: 'inactive', startedAt: null, waiting: true, obstacle: 'no_node' },
  reason: 'Not started: no suitable node (insufficient resources on 3 nodes)',
};
const unit = (state: UnitState): UnitFacts => ({
  state: known(state),
  log: known(undefined),
  lastLines: known([]),
  portHolder: known(undefined),
  usage: known(undefined),
});

const tenant = {
  id: 'one',
  slug: 'one',
  status: 'running',
  frontendPort: 3001,
  backendPort: 3002,
  deployed: { version: 'v2', commit: 'c', database: 'mariadb-shared' },
} as Tenant;

const self: FleetTenant = { slug: 'one', commit: 'c', isUnhealthy: true, cause: undefined };
const failing = (slug: string, cause?: string, commit = 'c'): FleetTenant => ({ ...self, slug, commit, cause });
const well = (slug: string, commit = 'c'): FleetTenant => ({ ...failing(slug, undefined, commit), isUnhealthy: false });

/** A healthy tenant's facts, with changes. */
const facts = (changes: Partial<Facts> = {}): Facts => ({
  at,
  tenant,
  busy: false,
  forwarded: false,
  engine: known({ available: true }, 'Docker'),
  databaseAheadMs: known(undefined),
  nodes: known([]),
  disks: known([{ place: '/data', bytes: 10 ** 10 }]),
  health: known({ overall: 'healthy', pages: { api: up, frontend: up }, proxy: up, database: { status: 'healthy' } }),
  units: { api: unit(active), frontend: unit(active) },
  release: known(true),
  site: {
    proxy: known({ available: true }),
    state: known('in_sync'),
    certificate: known(null),
    dns: known([]),
    selfRedirect: known(undefined),
  },
  apiKey: known('accepted'),
  operations: known([]),
  changes: known([]),
  failedStart: known(undefined),
  stop: known(undefined),
  fleet: known([self]),
  ...changes,
});

const sick = unhealthy({ database: { status: 'unhealthy', error: 'connection refused', problem: 'unreachable' } });
const appDown = unhealthy({});

/** A finding of a tenant whose API and proxy refuse connections, with changes. */
function unhealthy(changes: Partial<HealthFinding>): Reading<HealthFinding> {
  const pages = { api: refused, frontend: up };
  return known({ overall: 'unhealthy', pages, proxy: refused, database: { status: 'healthy' }, ...changes });
}
const apiCrashed = { api: unit(crashed), frontend: unit(active) };

describe('the first cause', () => {
  const full = known([{ place: '/data', bytes: 4096 }]);
  const away = known({ available: false as const, reason: 'no socket' }, 'Docker');

  test.each<[string, Partial<Facts>]>([
    ['engine_unavailable', { health: sick, units: apiCrashed, disks: full, engine: away }],
    ['disk_full', { health: sick, units: apiCrashed, disks: full }],
    ['operation_running', { health: sick, units: apiCrashed, busy: true }],
    ['database_unreachable', { health: sick, units: apiCrashed }],
    ['no_suitable_node', { health: sick, units: { api: unit(unplaced), frontend: unit(crashed) } }],
    ['unit_crashed', { health: appDown, units: apiCrashed }],
    ['not_listening', { health: appDown }],
    ['unit_unreachable', { health: appDown, forwarded: true }],
    ['stopped', { health: appDown, tenant: { ...tenant, status: 'stopped' } }],
    ['not_deployed', { health: appDown, tenant: { ...tenant, deployed: null } }],
  ])('is %s', (code, changes) => {
    expect(diagnose(facts(changes)).cause?.code).toBe(code);
  });
});

describe('the cause of a release that a change has just started', () => {
  const proxied = { proxied: true, hasNewDatabase: false };

  test('is that of an unhealthy tenant, with a remedy for after the rollback', () => {
    const full = known([{ place: '/data', bytes: 4096 }]);
    const found = (changes: Partial<Facts>) => diagnoseStart(facts(changes), proxied);
    expect(found({ health: appDown, units: apiCrashed })).toMatchObject({
      code: 'unit_crashed',
      confidence: 'certain',
    });
    expect(found({ health: sick })?.remedy?.text).toMatch(/^Start the database server/);
    expect(found({ health: sick, disks: full })?.remedy).toEqual({
      text: 'Delete old backups or enlarge the disk, then try again.',
      action: null,
      link: null,
    });
    const late = unhealthy({ pages: { api: { ...refused, problem: 'late' }, frontend: up } });
    expect(found({ health: late })).toMatchObject({
      code: 'application_hangs',
      remedy: { text: 'See the operation’s log for its last words.', action: null },
    });
  });

  test.each(['healthy', 'degraded'] as const)('is not one that leaves it %s', (overall) => {
    const health = unhealthy({ overall });
    expect(diagnoseStart(facts({ health, units: apiCrashed }), proxied)).toBeUndefined();
  });

  test('is not the missing database that the application has not come to make', () => {
    const health = unhealthy({ database: { status: 'unhealthy', problem: 'missing' } });
    const found = (hasNewDatabase: boolean) =>
      diagnoseStart(facts({ health, units: apiCrashed }), { proxied: true, hasNewDatabase })?.code;
    expect([found(false), found(true)]).toEqual(['database_missing', 'unit_crashed']);
  });

  test('is one of the reverse proxy only if the site is proven, too', () => {
    const health = unhealthy({ pages: { api: up, frontend: up } });
    expect(diagnoseStart(facts({ health }), proxied)?.code).toBe('proxy_unavailable');
    expect(diagnoseStart(facts({ health }), { proxied: false, hasNewDatabase: false })).toBeUndefined();
  });
});

test('a service that does not answer its health check is started again, until that is given up', () => {
  const title = (gaveUp: boolean) => {
    const unhealthy: UnitState = { ...crashed, lastExit: undefined, obstacle: 'unhealthy', gaveUp };
    return diagnose(facts({ health: appDown, units: { api: unit(unhealthy), frontend: unit(active) } })).cause?.title;
  };
  expect([title(false), title(true)]).toEqual([
    'The API does not answer its health check, and is started again and again',
    'The API did not answer its health check, and is not started any more',
  ]);
});

test.each([
  ['late', 6, 'database_slow'],
  ['late', 4, 'application_hangs'],
  ['refused', 6, 'not_listening'],
])('a page that is %s, with a query of %i s, is %s', (problem, seconds, code) => {
  const health = known({
    overall: 'unhealthy' as const,
    pages: { api: { ...refused, problem }, frontend: up },
    proxy: up,
    database: { status: 'healthy', size_mb: 12, connections: 3, longest_query_s: seconds },
  });
  expect(diagnose(facts({ health })).cause?.code).toBe(code);
});

test('nothing of a healthy tenant, whatever else there is: a busy engine, an old crash', () => {
  expect(diagnose(facts())).toMatchObject({ cause: null, known: true });
  expect(
    diagnose(facts({ busy: true, units: { api: unit({ ...active, restarts: 3 }), frontend: unit(active) } })),
  ).toMatchObject({
    cause: null,
    known: true,
  });
});

const degraded = {
  overall: 'degraded' as const,
  pages: { api: up, frontend: up },
  proxy: up,
  database: { status: 'healthy' },
};

test('a failed step of a user comes before what visitors do not notice yet', () => {
  const steps = { status: 'down' as const, check: 'Find a person', at: at.toISOString() };
  const failing = known({ ...degraded, userSteps: steps });
  const expiring = known({ notBefore: earlier(80 * 1_440), notAfter: earlier(-1_440), wrongNames: [] });
  const site = { ...facts().site, certificate: expiring };
  expect(diagnose(facts({ health: failing, site, apiKey: known('refused') })).cause?.code).toBe('user_steps_failed');
  expect(diagnose(facts({ health: known(degraded), site })).cause?.code).toBe('certificate_expiring');
});

test('is not known rather than guessed', () => {
  expect(diagnose(facts({ health: known(degraded) }))).toMatchObject({ cause: null, known: false, evidence: [] });
  const database = { status: 'down', error: 'no answer' };
  expect(diagnose(facts({ health: known({ ...degraded, database }) }))).toMatchObject({
    cause: null,
    evidence: [{ fact: 'The database’s check: no answer', source: 'Test' }],
  });
  expect(diagnose(facts({ health: unknown('no answer within 8000 ms') }))).toMatchObject({
    cause: null,
    known: false,
    evidence: [{ fact: 'Unknown: no answer within 8000 ms', source: 'Test' }],
  });
  expect(diagnose(facts()).evidence).toEqual([]);
});

test('a fact that cannot be read is evidence as such', () => {
  const { cause } = diagnose(facts({ health: appDown, engine: unknown('no answer within 8000 ms', 'Docker') }));
  expect(cause).toMatchObject({
    code: 'engine_unavailable',
    evidence: [{ fact: 'Unknown: no answer within 8000 ms' }],
  });
});

test('names the version when all its tenants have the cause, and offers the one before', () => {
  const operation = { id: 'x', subject: 'one', kind: 'deploy', status: 'success' as const, error: null };
  const operations = known([
    { ...operation, createdAt: earlier(30), finishedAt: earlier(29), version: 'v2' },
    { ...operation, createdAt: earlier(9_000), finishedAt: earlier(8_999), version: 'v1' },
  ]);
  const fleet = known([self, failing('two', 'unit_crashed'), failing('three', 'unit_crashed'), well('four', 'd')]);
  const { cause } = diagnose(facts({ health: appDown, units: apiCrashed, operations, fleet }));
  expect(cause).toMatchObject({
    scope: { kind: 'version', name: 'v2' },
    remedy: { action: 'rollback', text: 'Deploy v1 again, which ran before, and fix v2.' },
  });
  expect(cause?.evidence.at(-1)?.fact).toBe('3 of 3 tenants of v2 have this cause, 0 of 1 of other versions');
});

test.each<[string, FleetTenant[], string, string[]]>([
  ['only it', [well('two')], 'tenant', []],
  ['another cause', [failing('two', 'database_missing')], 'tenant', []],
  [
    'some',
    [failing('two', 'unit_crashed'), failing('three', 'application_hangs'), failing('four', 'unit_crashed', 'd')],
    'tenant',
    ['2 of 3 tenants of v2 have this cause, 1 of 1 of other versions'],
  ],
  [
    'some, and some whose cause is not known',
    [failing('two', 'unit_crashed'), failing('three')],
    'version',
    [
      '2 of 3 tenants of v2 have this cause, 0 of 0 of other versions',
      'Unhealthy tenants of v2 whose cause is not known yet: 1',
    ],
  ],
])('counts the tenants of its version with the same cause: %s', (_, others, kind, counted) => {
  const { cause } = diagnose(facts({ health: appDown, units: apiCrashed, fleet: known([self, ...others]) }));
  expect(cause?.scope.kind).toBe(kind);
  expect(cause?.evidence.map(({ fact }) => fact).filter((fact) => fact.includes('tenants of'))).toEqual(counted);
});

test('counts the tenants of its node with the same cause', () => {
  const node = { hostname: 'node2', tenants: ['one', 'two', 'three'] } as RuntimeNode;
  const fleet = known([self, failing('two', 'unit_crashed', 'd'), well('three'), failing('four', 'unit_crashed', 'd')]);
  const { cause } = diagnose(facts({ health: appDown, units: apiCrashed, nodes: known([node]), fleet }));
  expect(cause?.scope.kind).toBe('tenant');
  expect(cause?.evidence.at(-1)?.fact).toBe('2 of 3 tenants on the node node2 have this cause');
});

test('clocks that differ are evidence where a certificate or a key is concerned', () => {
  const clocks = {
    engine: known({ available: true as const, clockAheadMs: 45_000 }, 'Docker'),
    databaseAheadMs: known(-3_600_000, 'Database server'),
  };
  const later = known({ notBefore: earlier(-60), notAfter: earlier(-9_000), wrongNames: [] }, 'Certificate');
  const certificate = { ...facts().site, certificate: later };
  const found = diagnose(facts({ ...clocks, site: certificate })).cause;
  expect(found).toMatchObject({ code: 'certificate_not_yet_valid' });
  expect(found?.evidence.map(({ fact, source }) => [source, fact])).toEqual([
    ['Certificate', expect.stringContaining('valid from')],
    ['Docker', 'The clock of the container engine is 45 s ahead of the manager’s'],
    ['Database server', 'The clock of the database server is 1 h behind the manager’s'],
  ]);
  expect(diagnose(facts({ ...clocks, apiKey: known('refused') })).cause?.evidence).toHaveLength(3);
  const crashed = diagnose(facts({ ...clocks, health: appDown, units: apiCrashed })).cause?.evidence ?? [];
  expect(crashed.filter(({ fact }) => /clock/.test(fact))).toEqual([]);
});

test('the last change is a hint, with its time', () => {
  const changes = known([{ what: 'Configuration of one changed by ada', at: earlier(5) }], 'Audit log');
  const { cause } = diagnose(facts({ health: appDown, units: apiCrashed, changes }));
  expect(cause?.evidence).toContainEqual({
    fact: 'The last change: Configuration of one changed by ada',
    source: 'Audit log',
    at: earlier(5).toISOString(),
  });
});

test('what the checks of a healthy tenant do not see is known for each fault, unless its fact could not be read', () => {
  const stateOf = (changes: Partial<Facts>) => Object.fromEntries(unseenFaultsIn(facts(changes)));
  const none = { dns_missing: 'none', dns_elsewhere: 'none', redirects_to_itself: 'none', api_key_refused: 'none' };
  const unread = { dns_missing: 'unknown', dns_elsewhere: 'unknown' };
  const redirect = (selfRedirect: Reading<string | undefined>) => ({ site: { ...facts().site, selfRedirect } });
  const dns = (state: string) => ({
    site: { ...facts().site, dns: known([{ name: 'a.example', state, addresses: ['192.0.2.1'] }]) },
  });
  expect(stateOf({})).toEqual(none);
  expect(stateOf({ health: appDown })).toEqual({
    ...unread,
    redirects_to_itself: 'unknown',
    api_key_refused: 'unknown',
  });
  expect(stateOf(redirect(unknown('no answer')))).toEqual({ ...none, redirects_to_itself: 'unknown' });
  const title = 'The site redirects to itself, so browsers give up';
  expect(stateOf(redirect(known('https://a.example/')))).toEqual({ ...none, redirects_to_itself: { title } });
  expect(diagnose(facts(redirect(known('https://a.example/'))))).toMatchObject({
    cause: { code: 'redirects_to_itself', evidence: [{ fact: 'https://a.example/' }] },
  });
  expect(stateOf({ ...dns('missing'), apiKey: known('refused') })).toEqual({
    dns_missing: { title: 'The host name a.example has no address' },
    dns_elsewhere: 'none',
    redirects_to_itself: 'none',
    api_key_refused: { title: 'The application refuses the manager’s API key' },
  });
  expect(stateOf(dns('unknown'))).toEqual({ ...none, ...unread });
  expect(stateOf({ site: { ...facts().site, dns: unknown('no answer') } })).toEqual({ ...none, ...unread });
  expect(stateOf({ apiKey: known('not_asked') })).toEqual({ ...none, api_key_refused: 'unknown' });
});
