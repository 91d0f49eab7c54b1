import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import express from 'express';
import request from 'supertest';
import type { DatabaseCheck } from '../../../../src/adapters/databases/tenant-database.ts';
import type { AuditLogEntry } from '../../../../src/adapters/events/audit-log-entry.ts';
import { createEventBus } from '../../../../src/adapters/events/bus.ts';
import type { UnitRole, UnitState } from '../../../../src/adapters/runtimes/runtime.ts';
import { createTenantApi } from '../../../../src/adapters/tenant-api/tenant-api.ts';
import { CrashWatch, ServerErrorWatch } from '../../../../src/features/health/checks/startup-watch.ts';
import { evaluate } from '../../../../src/features/health/checks/status-rules.ts';
import { createHealth, type HealthDeps } from '../../../../src/features/health/health.ts';
import { healthHistory, healthReport } from '../../../../src/features/health/schema.ts';
import type { Tenant } from '../../../../src/features/tenants/tenant.ts';
import { systemClock } from '../../../../src/lib/clock.ts';
import { poll } from '../../../../src/lib/concurrency/poll.ts';
import { notFound } from '../../../../src/lib/errors.ts';
import { errorMiddleware } from '../../../../src/lib/http/responses/errors.ts';
import { mountRoutes } from '../../../../src/lib/http/routing/mount.ts';
import { newId } from '../../../../src/lib/ids.ts';
import { createLogger } from '../../../../src/lib/logger.ts';
import { patienceMs } from '../../../harness/patience.ts';

const commit = 'a'.repeat(40);
const logger = createLogger({ level: 'silent' });
const active: UnitState = { state: 'active', commit, reason: null, gaveUp: false, startedAt: new Date() };
const crashed: UnitState = { state: 'inactive', commit, reason: 'exited with code 3', gaveUp: false, startedAt: null };
const stopped: UnitState = { ...crashed, reason: null };

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

async function listen(listener: RequestListener): Promise<number> {
  const server: Server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanups.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return (server.address() as AddressInfo).port;
}

const healthyBackend: RequestListener = (request, response) => {
  if (request.url === '/api/health') response.end('{"status":"healthy"}');
  else response.writeHead(request.url === '/docs' ? 200 : 404).end('page');
};
const page: RequestListener = (_request, response) => response.end('page');
const hanging: RequestListener = () => undefined;

function tenantOf(fields: Partial<Tenant> = {}): Tenant {
  const id = newId();
  return {
    id,
    name: 'Green Party',
    slug: `t-${id.slice(0, 8)}`,
    domain: 'a.example',
    apiDomain: 'b.example',
    status: 'running',
    healthStatus: 'unknown',
    healthDetails: null,
    healthSince: null,
    frontendPort: 1,
    backendPort: 1,
    directory: '/nowhere',
    databaseSlot: 0,
    lostData: null,
    gitRepo: null,
    notes: null,
    tags: [],
    createdAt: new Date(),
    deployedAt: new Date(),
    deployed: {
      version: 'v1.0.0',
      commit,
      key: `x-${commit}`,
      checkout: '/nowhere',
      units: {
        api: { port: 8000, health: '/api/health', probe: '/docs' },
        frontend: { port: 3000, health: '/' },
      },
      database: 'mariadb-shared',
    },
    ...fields,
  };
}

/** Health with in-memory tenants, units whose state the test sets, and real HTTP. */
function world(tenants: Tenant[], changes: Partial<HealthDeps> = {}) {
  const byId = new Map(tenants.map((tenant) => [tenant.id, tenant]));
  const units = new Map<string, UnitState>();
  const auditLog: AuditLogEntry[] = [];
  const busy = new Set<string>();
  const events = createEventBus(logger);
  const tenantApi = createTenantApi();
  const database: DatabaseCheck = { status: 'healthy', size_mb: 1.5, connections: 2 };
  const state = {
    database,
    databaseHangs: false,
    /** Check timeout in seconds; long, so that a busy machine does not look like a tenant that does not answer. */
    limit: 20,
    runtimeError: undefined as Error | undefined,
    writes: 0,
    /** Outdated tenants that a sweep reads. */
    outOfDate: undefined as Iterable<Tenant> | undefined,
  };
  const health = createHealth({
    site: { probe: async () => undefined, certificateOf: async () => null },
    userSteps: { finding: async () => undefined },
    tenants: {
      async get(id) {
        const tenant = byId.get(id);
        if (!tenant) throw notFound('tenant', id);
        return tenant;
      },
      find: async (id) => byId.get(id),
      async *each() {
        yield* state.outOfDate ?? byId.values();
      },
      async setStatus(id, status, options) {
        const tenant = byId.get(id);
        if (!tenant || tenant.status === status || options?.from?.includes(tenant.status) === false) return false;
        byId.set(id, { ...tenant, status });
        events.publish({ type: 'tenant_status', tenant_id: id, status });
        return true;
      },
      async recordHealth(found) {
        state.writes += 1;
        return found.flatMap(({ id, status, details }) => {
          const tenant = byId.get(id);
          if (!tenant) return [];
          byId.set(id, { ...tenant, healthStatus: status, healthDetails: details });
          return [tenant];
        });
      },
    },
    runtime: {
      async inspect({ tenant, role }) {
        if (state.runtimeError) throw state.runtimeError;
        return units.get(`${tenant.id}/${role}`) ?? active;
      },
      address: async (_unit, port) => ({ host: '127.0.0.1', port }),
    },
    databaseOf: async () => ({
      check: () => (state.databaseHangs ? new Promise(() => undefined) : Promise.resolve(state.database)),
    }),
    tenantApi,
    settings: { read: async (key) => (key === 'health_check_timeout' ? state.limit : 8) },
    events,
    writeAuditLog: async (entry) => void auditLog.push(entry),
    clock: systemClock,
    logger,
    // Nothing is stored there unless `open` is called.
    dataDirectory: tmpdir(),
    engine: { isBusy: (id) => busy.has(id) },
    ...changes,
  });
  cleanups.push(async () => {
    await health.close();
    await tenantApi.close();
  });
  const set = (tenant: Tenant, unit: UnitState, roles: UnitRole[] = ['api', 'frontend']): void => {
    for (const role of roles) units.set(`${tenant.id}/${role}`, unit);
  };
  return { health, byId, set, state, auditLog, busy, events };
}

async function soundTenant(fields: Partial<Tenant> = {}): Promise<Tenant> {
  return tenantOf({ frontendPort: await listen(page), backendPort: await listen(healthyBackend), ...fields });
}

describe('one check', () => {
  test('reports a healthy tenant with the specified fields', async () => {
    const tenant = await soundTenant();
    const { health, byId } = world([tenant]);
    const report = healthReport.strict().parse(await health.check(tenant.id));
    expect(report).toEqual({
      tenant_id: tenant.id,
      overall_status: 'healthy',
      checks: {
        frontend: { status: 'up', response_time_ms: expect.any(Number), status_code: 200 },
        backend: { status: 'up', response_time_ms: expect.any(Number), status_code: 200 },
        database: { status: 'healthy', size_mb: 1.5, connections: 2 },
        services: { frontend_service: 'active', backend_service: 'active' },
      },
      certificate: null,
      last_check: expect.any(String),
    });
    expect(byId.get(tenant.id)?.healthDetails).toEqual({
      frontend: 'up',
      backend: 'up',
      database: 'healthy',
      last_check: report.last_check,
    });
  });

  test('over HTTP', async () => {
    const tenant = await soundTenant();
    const { health } = world([tenant]);
    const principal = { userId: newId(), username: 'o', role: 'operator' as const, mustChangePassword: false };
    const app = express()
      .use(mountRoutes(health.routes, { authenticate: async () => principal, checkAnswers: true }))
      .use(errorMiddleware(logger));
    const checked = await request(app).post(`/api/tenants/${tenant.id}/health-check`);
    expect([checked.status, checked.body.overall_status]).toEqual([200, 'healthy']);
    expect((await request(app).get(`/api/tenants/${tenant.id}/health`)).body).toEqual(checked.body);
    expect((await request(app).get(`/api/tenants/${newId()}/health`)).status).toBe(404);
  });

  test('keeps the last 120, oldest first, until the tenant is deleted', async () => {
    const tenant = await soundTenant();
    const { health, state, set, events } = world([tenant]);
    const principal = { userId: newId(), username: 'v', role: 'viewer' as const, mustChangePassword: false };
    const app = express()
      .use(mountRoutes(health.routes, { authenticate: async () => principal, checkAnswers: true }))
      .use(errorMiddleware(logger));
    const read = async () =>
      healthHistory.strict().parse((await request(app).get(`/api/tenants/${tenant.id}/health/history`)).body).checks;
    expect(await read()).toEqual([]);
    await health.check(tenant.id);
    state.database = { status: 'unhealthy', size_mb: null, connections: null, error: 'gone' };
    for (let turn = 0; turn < 118; turn += 1) await health.check(tenant.id);
    set(tenant, stopped);
    const last = await health.check(tenant.id);
    const times = { frontend_ms: expect.any(Number), backend_ms: expect.any(Number), proxy_ms: null };
    const first = await read();
    expect(first).toHaveLength(120);
    expect(first[0]).toEqual({ at: expect.any(String), overall_status: 'healthy', ...times });
    expect(first.at(-1)).toEqual({ at: last.last_check, overall_status: 'unhealthy', ...times });
    await health.check(tenant.id);
    const then = await read();
    expect([then.length, then[0]?.overall_status]).toEqual([120, 'degraded']);
    expect(then.slice(0, -1)).toEqual(first.slice(1));
    events.publish({ type: 'tenant_status', tenant_id: tenant.id, status: 'deleted' });
    expect(await read()).toEqual([]);
    expect((await request(app).get(`/api/tenants/${newId()}/health/history`)).status).toBe(404);
  });

  test('a restarted manager restores the checks of the last day; a damaged file means an empty history', async () => {
    const tenant = await soundTenant({ frontendPort: 1 });
    const dataDirectory = await mkdtemp(join(tmpdir(), 'tenantry-history-'));
    cleanups.unshift(() => rm(dataDirectory, { recursive: true, force: true }));
    const started = async (changes: Partial<HealthDeps> = {}) => {
      const { health } = world([tenant], { dataDirectory, ...changes });
      await health.open();
      return { health, checks: async () => (await health.history(tenant.id)).checks };
    };
    const first = await started();
    await first.health.check(tenant.id);
    const found = await first.checks();
    expect(found).toMatchObject([{ overall_status: 'unhealthy', frontend_ms: null, backend_ms: expect.any(Number) }]);
    await first.health.close();

    const second = await started();
    expect(await second.checks()).toEqual(found);
    await second.health.check(tenant.id);
    expect(await second.checks()).toEqual([...found, expect.anything()]);
    // Killed: writes nothing on exit.
    await second.health.saveHistory();
    expect(await (await started()).checks()).toEqual(await second.checks());

    const dayLater = { now: () => new Date(Date.now() + 25 * 3_600_000) };
    expect(await (await started({ clock: dayLater })).checks()).toEqual([]);
    await writeFile(join(dataDirectory, 'health-history'), `{"tenant_id":"${tenant.id}","checks":[["?"]]}`);
    expect(await (await started()).checks()).toEqual([]);
  });

  test('a page that does not answer has no response time', async () => {
    const tenant = await soundTenant({ frontendPort: 1 });
    const { health } = world([tenant]);
    await health.check(tenant.id);
    expect((await health.history(tenant.id)).checks).toEqual([
      {
        at: expect.any(String),
        overall_status: 'unhealthy',
        frontend_ms: null,
        backend_ms: expect.any(Number),
        proxy_ms: null,
      },
    ]);
  });

  test('returns the last check until the status changes', async () => {
    const tenant = await soundTenant();
    const { health, events } = world([tenant]);
    const first = await health.last(tenant.id);
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(await health.last(tenant.id)).toEqual(first);
    events.publish({ type: 'tenant_status', tenant_id: tenant.id, status: 'running' });
    expect((await health.last(tenant.id)).last_check).not.toBe(first.last_check);
  });

  test('a tenant that was never deployed is unknown, with everything down', async () => {
    const tenant = tenantOf({ deployed: null, status: 'pending' });
    const { health } = world([tenant]);
    const report = healthReport.parse(await health.last(tenant.id));
    expect(report.overall_status).toBe('unknown');
    expect(report.checks.frontend).toEqual({
      status: 'down',
      response_time_ms: null,
      status_code: null,
      error: 'not deployed',
    });
    expect(report.checks.database).toMatchObject({ status: 'down', error: 'not deployed' });
    await expect(health.check(newId())).rejects.toMatchObject({ code: 'not_found' });
  });

  test('degraded: the database or the documentation page fails, with the reason', async () => {
    const tenant = await soundTenant();
    const { health, state } = world([tenant]);
    state.database = { status: 'unhealthy', size_mb: null, connections: null, error: 'connection refused' };
    expect(await health.check(tenant.id)).toMatchObject({
      overall_status: 'degraded',
      checks: { database: { error: 'connection refused' } },
    });

    const undocumented = await soundTenant({
      backendPort: await listen((request, response) =>
        request.url === '/docs' ? response.writeHead(500).end() : healthyBackend(request, response),
      ),
    });
    const other = world([undocumented]);
    const report = await other.health.check(undocumented.id);
    expect(report).toMatchObject({
      overall_status: 'degraded',
      checks: { backend: { status: 'up', error: '/docs: answered 500' } },
    });
  });

  test('unhealthy: everything hangs, but the check still ends', async () => {
    const port = await listen(hanging);
    const tenant = tenantOf({ frontendPort: port, backendPort: port });
    const { health, state } = world([tenant]);
    state.databaseHangs = true;
    state.limit = 0.3;
    const report = await health.check(tenant.id);
    expect(report).toMatchObject({
      overall_status: 'unhealthy',
      checks: {
        frontend: { status: 'down', status_code: null, error: 'no answer within 300 ms' },
        backend: { status: 'down', error: 'no answer within 300 ms' },
        database: { status: 'unhealthy', error: expect.stringContaining('no answer') },
      },
    });
  });

  test('an unavailable runtime does not change the tenant’s status', async () => {
    const tenant = await soundTenant();
    const { health, state, byId } = world([tenant]);
    state.runtimeError = new Error('the engine is gone');
    for (let turn = 0; turn < 4; turn += 1) await health.runSweep();
    expect(await health.check(tenant.id)).toMatchObject({
      overall_status: 'degraded',
      checks: { services: { error: expect.stringContaining('the engine is gone') } },
    });
    expect(byId.get(tenant.id)?.status).toBe('running');
  });

  test('a database that only the application can access is as healthy as the application', async () => {
    const tenant = await soundTenant();
    const { health, state } = world([tenant]);
    state.database = { status: 'healthy', size_mb: null, connections: null, unseen: true };
    expect((await health.check(tenant.id)).checks.database).toEqual({
      status: 'healthy',
      size_mb: null,
      connections: null,
    });
    const silent = tenantOf({ frontendPort: tenant.frontendPort });
    const other = world([silent]);
    other.state.database = state.database;
    expect((await other.health.check(silent.id)).checks.database).toMatchObject({
      status: 'unhealthy',
      error: expect.any(String),
    });
  });

  test('a site that does not answer through the proxy is unhealthy; the tenant’s status does not change', async () => {
    const tenant = await soundTenant();
    const proxy = { status: 'down', response_time_ms: null, status_code: null, error: 'a.example: refused' } as const;
    const { health, byId } = world([tenant], {
      site: { probe: async () => proxy, certificateOf: async () => null },
    });
    const report = await health.check(tenant.id);
    expect(report).toMatchObject({ overall_status: 'unhealthy', checks: { proxy, frontend: { status: 'up' } } });
    expect(byId.get(tenant.id)).toMatchObject({ status: 'running', healthDetails: { proxy: 'down' } });
  });

  test.each([
    [30, 60, 'healthy', undefined],
    [80, 10, 'degraded', /^it expires at \d{4}-.* and has not been renewed$/],
    [90, -1, 'degraded', /^it has expired$/],
  ])('a certificate %d days old with %d left: %s', async (age, left, overall, error) => {
    const tenant = await soundTenant();
    const at = (days: number) => new Date(Date.now() + days * 86_400_000);
    const certificate = { notBefore: at(-age), notAfter: at(left), daysLeft: left, issuer: 'An Authority' };
    const { health } = world([tenant], {
      site: {
        probe: async () => ({ status: 'up', response_time_ms: 3, status_code: 200 }),
        certificateOf: async () => certificate,
      },
    });
    const report = healthReport.strict().parse(await health.check(tenant.id));
    expect(report.overall_status).toBe(overall);
    expect(report.certificate).toEqual({
      not_after: certificate.notAfter.toISOString(),
      days_left: left,
      issuer: 'An Authority',
      ...(error ? { error: expect.stringMatching(error) } : {}),
    });
  });

  test('publishes updates to the stream and logs changes', async () => {
    const tenant = await soundTenant();
    const { health, state, auditLog } = world([tenant]);
    const tail = await health.stream(tenant.id);
    await health.check(tenant.id);
    await health.check(tenant.id);
    state.database = { status: 'unhealthy', size_mb: null, connections: null, error: 'connection refused' };
    const last = await health.check(tenant.id);
    tail.close();
    const messages: unknown[] = [];
    for await (const batch of tail.follow(0, new AbortController().signal))
      messages.push(...batch.map(({ json }) => JSON.parse(json)));
    expect(messages).toHaveLength(3);
    expect(messages[2]).toEqual({
      type: 'health_update',
      tenant_id: tenant.id,
      overall_status: 'degraded',
      checks: last.checks,
      seq: 3,
    });
    expect(auditLog.map(({ level, category, message }) => [level, category, message])).toEqual([
      ['info', 'health_check', `Health of ${tenant.slug}: unknown → healthy`],
      ['warning', 'health_check', `Health of ${tenant.slug}: healthy → degraded (database: connection refused)`],
    ]);
  });
});

describe('a tenant whose services are stopped on purpose', () => {
  test.each(['stopped', 'pending'] as const)('is unknown, not unhealthy, when it is %s', async (status) => {
    const tenant = tenantOf({ status, healthStatus: 'healthy' });
    const { health, set, byId, auditLog } = world([tenant]);
    set(tenant, stopped);
    await health.runSweep();
    expect((await health.check(tenant.id)).overall_status).toBe('unknown');
    expect(byId.get(tenant.id)?.healthStatus).toBe('unknown');
    expect((await health.history(tenant.id)).checks.map((check) => check.overall_status)).toEqual([
      'unknown',
      'unknown',
    ]);
    expect(auditLog.map(({ level, message }) => [level, message])).toEqual([
      ['info', `Health of ${tenant.slug}: healthy → unknown (services are stopped on purpose)`],
    ]);
  });

  test.each(['sweep', 'demand'] as const)('is unknown when it is stopped during a check (%s)', async (origin) => {
    const tenant = await soundTenant({
      healthStatus: 'healthy',
      backendPort: await listen((_request, response) => {
        if (byId.get(tenant.id)?.status === 'running') {
          set(tenant, stopped);
          byId.set(tenant.id, { ...tenant, status: 'stopped' });
          events.publish({ type: 'tenant_status', tenant_id: tenant.id, status: 'stopped' });
        }
        response.writeHead(503).end();
      }),
    });
    const { health, set, byId, auditLog, events } = world([tenant]);
    if (origin === 'sweep') await health.runSweep();
    else expect((await health.check(tenant.id)).overall_status).toBe('unknown');
    const known = await poll(async () => (byId.get(tenant.id)?.healthStatus === 'unknown' ? true : undefined), {
      timeoutMs: patienceMs,
      intervalMs: 5,
    });
    expect(known).toBe(true);
    await health.runSweep();
    expect(auditLog.map(({ message }) => message)).toEqual([
      `Health of ${tenant.slug}: healthy → unknown (services are stopped on purpose)`,
    ]);
  });

  test('keeps its health during an operation; a check during it reports unknown', async () => {
    const tenant = tenantOf({ healthStatus: 'healthy' });
    const { health, set, byId, busy, auditLog } = world([tenant]);
    const tail = await health.stream(tenant.id);
    busy.add(tenant.id);
    set(tenant, stopped);
    expect((await health.check(tenant.id)).overall_status).toBe('unknown');
    await health.runSweep();
    expect(byId.get(tenant.id)?.healthStatus).toBe('healthy');
    expect((await health.history(tenant.id)).checks).toEqual([]);
    expect(auditLog).toEqual([]);
    busy.delete(tenant.id);
    await health.runSweep();
    expect(byId.get(tenant.id)?.healthStatus).toBe('unhealthy');
    tail.close();
    const shown: string[] = [];
    for await (const batch of tail.follow(0, new AbortController().signal))
      shown.push(...batch.map(({ json }) => (JSON.parse(json) as { overall_status: string }).overall_status));
    expect(shown).toEqual(['unknown', 'unhealthy']);
  });
});

describe('sweeps', () => {
  test('hanging tenants delay neither the others nor the next sweep', async () => {
    const [dead, front, back] = [await listen(hanging), await listen(page), await listen(healthyBackend)];
    const sound = Array.from({ length: 60 }, () => tenantOf({ frontendPort: front, backendPort: back }));
    const ill = Array.from({ length: 16 }, () => tenantOf({ frontendPort: dead, backendPort: dead }));
    const { health, byId, state } = world([...ill, ...sound]);
    state.limit = 1.5;
    expect(await health.runSweep()).toBe(76);
    const stamps = (tenants: Tenant[]) => tenants.map(({ id }) => health.lastDetails(id)?.last_check ?? '');
    const began = new Date().toISOString();
    const second = health.runSweep();
    const seen = await poll(async () => (stamps(sound).every((stamp) => stamp > began) ? true : undefined), {
      timeoutMs: patienceMs,
      intervalMs: 10,
    });
    expect(seen).toBe(true);
    // By now, only some of the hanging tenants have been checked.
    expect(stamps(ill).filter((stamp) => stamp > began).length).toBeLessThan(ill.length);
    await second;
    expect([...byId.values()].filter((tenant) => tenant.healthStatus === 'healthy')).toHaveLength(60);
    expect([...byId.values()].filter((tenant) => tenant.healthStatus === 'unhealthy')).toHaveLength(16);
  });

  test('run one at a time: a second call joins the first', async () => {
    let asked = 0;
    const backendPort = await listen((request, response) => {
      if (request.url === '/api/health') asked += 1;
      healthyBackend(request, response);
    });
    const { health } = world([await soundTenant({ backendPort })]);
    await Promise.all([health.runSweep(), health.runSweep()]);
    expect(asked).toBe(1);
  });

  test('never exceed the concurrency', async () => {
    let now = 0;
    let most = 0;
    const backendPort = await listen((request, response) => {
      if (request.url !== '/api/health') return response.end();
      now += 1;
      most = Math.max(most, now);
      setTimeout(() => {
        now -= 1;
        response.end('{"status":"healthy"}');
      }, 20);
    });
    const frontendPort = await listen(page);
    const { health } = world(Array.from({ length: 50 }, () => tenantOf({ frontendPort, backendPort })));
    await health.runSweep();
    expect(most).toBeLessThanOrEqual(8);
    expect(most).toBeGreaterThan(3);
  });

  const longAgo = '2020-01-01T00:00:00.000Z';

  test('write many tenants in one statement, and a change immediately', async () => {
    const [frontendPort, backendPort] = [await listen(page), await listen(healthyBackend)];
    const tenants = Array.from({ length: 40 }, () =>
      tenantOf({ frontendPort, backendPort, healthStatus: 'healthy', healthDetails: null }),
    );
    const { health, state, byId, auditLog } = world(tenants);
    expect(health.responseMs(tenants[0]?.id ?? '')).toBeNull();
    await health.runSweep();
    expect([...byId.values()].every(({ healthDetails }) => healthDetails?.backend === 'up')).toBe(true);
    expect(state.writes).toBeLessThan(10);
    expect(auditLog).toEqual([]);

    // Unchanged results are not written for a while; the last check is still in memory.
    const [kept, writes] = [[...byId.values()], state.writes];
    await health.runSweep();
    expect(state.writes).toBe(writes);
    for (const { id, healthDetails } of kept) {
      const last = health.lastDetails(id);
      expect(last).toMatchObject({ frontend: 'up', backend: 'up' });
      expect(health.responseMs(id)).toBeGreaterThanOrEqual(0);
      expect(String(last?.last_check) > String(healthDetails?.last_check)).toBe(true);
      byId.set(id, { ...(byId.get(id) as Tenant), healthDetails: { ...healthDetails, last_check: longAgo } });
    }
    await health.runSweep();
    expect(state.writes).toBeGreaterThan(writes);
    expect([...byId.values()].every(({ healthDetails }) => String(healthDetails?.last_check) > longAgo)).toBe(true);

    const port = await listen(hanging);
    const ill = tenantOf({ frontendPort: port, backendPort: port, healthStatus: 'healthy' });
    const other = world([ill]);
    other.state.limit = 0.3;
    const sweep = other.health.runSweep();
    const logged = await poll(async () => (other.auditLog.length > 0 ? true : undefined), {
      timeoutMs: patienceMs,
      intervalMs: 5,
    });
    expect(logged).toBe(true);
    expect(other.byId.get(ill.id)?.healthStatus).toBe('unhealthy');
    await sweep;
  });

  test('reload a tenant that was deployed again since it was read', async () => {
    const now = await soundTenant();
    const unused = await listen((_request, response) => response.writeHead(503).end());
    const { health, state, byId, events } = world([now]);
    state.outOfDate = [{ ...now, backendPort: unused }];
    events.publish({ type: 'tenant_status', tenant_id: now.id, status: 'running' });
    await health.runSweep();
    expect(byId.get(now.id)?.healthStatus).toBe('healthy');
  });

  test('forget a tenant that was deleted during its check', async () => {
    let asked = false;
    const tenant = await soundTenant({
      backendPort: await listen((_request, response) => {
        if (!asked) byId.delete(tenant.id);
        asked = true;
        response.end('{"status":"healthy"}');
      }),
    });
    const { health, byId, auditLog } = world([tenant]);
    expect(await health.runSweep()).toBe(1);
    expect(asked).toBe(true);
    expect(auditLog).toEqual([]);
    await expect(health.last(tenant.id)).rejects.toMatchObject({ code: 'not_found' });
  });

  test('three consecutive failures: error; both services active again: running', async () => {
    const tenant = await soundTenant();
    const { health, set, byId } = world([tenant]);
    set(tenant, crashed, ['api']);
    await health.runSweep();
    await health.runSweep();
    await health.check(tenant.id);
    await health.check(tenant.id);
    expect(byId.get(tenant.id)?.status).toBe('running');
    await health.runSweep();
    expect(byId.get(tenant.id)?.status).toBe('error');
    set(tenant, active);
    await health.runSweep();
    expect(byId.get(tenant.id)?.status).toBe('running');
  });

  test('given up by the runtime: error immediately', async () => {
    const tenant = await soundTenant();
    const { health, set, byId } = world([tenant]);
    set(tenant, { ...crashed, gaveUp: true }, ['frontend']);
    await health.check(tenant.id);
    expect(byId.get(tenant.id)?.status).toBe('error');
  });

  test('keep the status of a stopped tenant and of one with a running operation', async () => {
    const [idle, deploying] = [await soundTenant({ status: 'stopped' }), await soundTenant()];
    const { health, set, byId, busy } = world([idle, deploying]);
    busy.add(deploying.id);
    set(idle, stopped);
    set(deploying, crashed);
    for (let turn = 0; turn < 4; turn += 1) await health.runSweep();
    expect(byId.get(idle.id)?.status).toBe('stopped');
    expect(byId.get(deploying.id)?.status).toBe('running');
    expect(byId.get(deploying.id)?.healthStatus).toBe('unknown');
  });

  test('closing ends a hanging sweep', async () => {
    const port = await listen(hanging);
    const tenants = Array.from({ length: 50 }, () => tenantOf({ frontendPort: port, backendPort: port }));
    const { health, state } = world(tenants, {
      settings: { read: async (key) => (key === 'health_check_timeout' ? 60 : 2) },
    });
    let read = 0;
    state.outOfDate = (function* () {
      for (const tenant of tenants) {
        read += 1;
        yield tenant;
      }
    })();
    const sweep = health.runSweep();
    await new Promise((resolve) => setTimeout(resolve, 50));
    await health.close();
    await sweep;
    expect(read).toBeLessThan(5);
  });
});

describe('status rules', () => {
  const found = { bothActive: false, gaveUp: false, reason: 'x' };
  test.each([
    ['pending', found, 2, 'sweep', { change: undefined, consecutiveFailures: 0 }],
    ['stopped', { ...found, gaveUp: true }, 2, 'sweep', { change: undefined, consecutiveFailures: 0 }],
    ['running', found, 0, 'sweep', { change: undefined, consecutiveFailures: 1 }],
    ['running', found, 1, 'demand', { change: undefined, consecutiveFailures: 1 }],
    ['running', found, 2, 'sweep', { change: 'error', consecutiveFailures: 0 }],
    ['running', { ...found, gaveUp: true }, 0, 'demand', { change: 'error', consecutiveFailures: 0 }],
    ['running', { ...found, bothActive: true }, 2, 'sweep', { change: undefined, consecutiveFailures: 0 }],
    ['error', found, 0, 'sweep', { change: undefined, consecutiveFailures: 0 }],
    ['error', { ...found, bothActive: true }, 0, 'demand', { change: 'running', consecutiveFailures: 0 }],
  ] as const)('%s, %j after %i, %s', (status, units, consecutiveFailures, origin, verdict) => {
    expect(evaluate(status, units, consecutiveFailures, origin)).toEqual(verdict);
  });
});

describe('proof', () => {
  const work = () => {
    const lines: string[] = [];
    const abort = new AbortController();
    return { lines, abort, log: (line: string) => void lines.push(line), signal: abort.signal };
  };
  const releaseOf = (tenant: Tenant) => {
    if (!tenant.deployed) throw new Error('not deployed');
    return tenant.deployed;
  };

  test('waits for a tenant that starts slowly', async () => {
    let calls = 0;
    const backendPort = await listen((request, response) => {
      calls += 1;
      if (calls < 3) response.writeHead(503).end('{"status":"starting"}');
      else healthyBackend(request, response);
    });
    const tenant = await soundTenant({ backendPort });
    const { health } = world([tenant]);
    const during = work();
    await health.proveHealthy(tenant, releaseOf(tenant), during, 10_000);
    expect(during.lines[0]).toBe(`Not healthy yet: ${tenant.slug}-api /api/health: answered 503`);
    expect(during.lines.at(-1)).toMatch(/^Healthy after/);
  });

  test('reports the last problem on timeout', async () => {
    const tenant = await soundTenant({
      frontendPort: await listen((_request, response) => response.writeHead(500).end()),
    });
    const { health } = world([tenant]);
    await expect(health.proveHealthy(tenant, releaseOf(tenant), work(), 700)).rejects.toThrow(
      `${tenant.slug} is not healthy after 1 s: ${tenant.slug}-frontend /: answered 500`,
    );
  });

  test('fails for another commit, at the runtime or in the response', async () => {
    const other = 'b'.repeat(40);
    const tenant = await soundTenant();
    const { health, set } = world([tenant]);
    set(tenant, { ...active, commit: other }, ['frontend']);
    await expect(health.proveHealthy(tenant, releaseOf(tenant), work(), 400)).rejects.toThrow(`runs commit ${other}`);

    const impostor = await soundTenant({
      backendPort: await listen((_request, response) => response.end(`{"status":"healthy","commit":"${other}"}`)),
    });
    const elsewhere = world([impostor]);
    await expect(elsewhere.health.proveHealthy(impostor, releaseOf(impostor), work(), 400)).rejects.toThrow(
      `answers as commit ${other}`,
    );
  });

  test('fails immediately for a unit that the runtime gave up, with the reason', async () => {
    const tenant = await soundTenant();
    const { health, set } = world([tenant]);
    set(tenant, { ...crashed, gaveUp: true }, ['api']);
    await expect(health.proveHealthy(tenant, releaseOf(tenant), work(), 3_600_000)).rejects.toThrow(
      `${tenant.slug}-api does not stay up: exited with code 3`,
    );
  });

  test('fails for a unit that answers only with 5xx for 30 s, with the status code', async () => {
    // Ten seconds pass with each request.
    let now = 0;
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => now);
    const tenant = await soundTenant({
      backendPort: await listen((_request, response) => {
        now += 10_000;
        response.writeHead(503).end('{"status":"unhealthy"}');
      }),
    });
    const { health } = world([tenant]);
    await expect(health.proveHealthy(tenant, releaseOf(tenant), work(), 3_600_000))
      .rejects.toThrow(`${tenant.slug}-api /api/health answered only with 503 for 30 s`)
      .finally(() => clock.mockRestore());
    expect(now).toBe(40_000);
  });

  test('ends when its signal aborts', async () => {
    const tenant = tenantOf({ backendPort: await listen(hanging) });
    const { health } = world([tenant]);
    const during = work();
    const proving = health.proveHealthy(tenant, releaseOf(tenant), during, 30_000);
    setTimeout(() => during.abort.abort(new Error('Cancelled')), 50);
    await expect(proving).rejects.toThrow('Cancelled');
  });
});

describe('server error watch', () => {
  test('reports a unit that answers only with 5xx for 30 s, also with different codes', () => {
    const watch = new ServerErrorWatch();
    const seen = [0, 10_000, 29_999, 30_000].map((now, turn) => watch.observe(500 + turn, 1, now));
    expect(seen).toEqual([undefined, undefined, undefined, 30]);
  });

  test.each([
    ['another status', 404, 1],
    ['no answer', null, 1],
    ['another start', 503, 2],
  ])('%s in between restarts the timer', (_what, answer, start) => {
    const watch = new ServerErrorWatch();
    watch.observe(503, 1, 0);
    watch.observe(answer, start, 20_000);
    expect(watch.observe(503, start, 40_000)).toBeUndefined();
    expect(watch.observe(503, start, 70_000)).toBeDefined();
  });
});

describe('crash watch', () => {
  const at = (seconds: number): UnitState => ({ ...active, startedAt: new Date(seconds * 1000) });

  test('ignores one bad start', () => {
    const watch = new CrashWatch();
    expect(watch.observe(at(0), 0)).toBeUndefined();
    expect(watch.observe(crashed, 500)).toBeUndefined();
    for (let now = 1_500; now < 60_000; now += 500) expect(watch.observe(at(1.5), now)).toBeUndefined();
    expect(watch.observe(crashed, 60_000)).toBeUndefined();
  });

  test('reports three crashes', () => {
    const watch = new CrashWatch();
    const reported = [at(0), crashed, at(1), crashed, at(3), crashed].map((state, turn) =>
      watch.observe(state, turn * 700),
    );
    expect(reported).toEqual([undefined, undefined, undefined, undefined, undefined, 'exited with code 3']);
  });

  test('reports starts too short to be noticed, by the elapsed time', () => {
    const watch = new CrashWatch();
    expect(watch.observe(crashed, 0)).toBeUndefined();
    expect(watch.observe(crashed, 7_000)).toBeUndefined();
    expect(watch.observe(crashed, 8_000)).toBe('exited with code 3');
  });

  test('does not report a stopped unit', () => {
    const watch = new CrashWatch();
    for (let now = 0; now < 60_000; now += 1_000) expect(watch.observe(stopped, now)).toBeUndefined();
  });

  test('does not report a unit that has not ended: it waits for a node or its image', () => {
    const watch = new CrashWatch();
    const waiting = { ...crashed, reason: 'Not started: no suitable node', waiting: true };
    for (let now = 0; now < 60_000; now += 1_000) expect(watch.observe(waiting, now)).toBeUndefined();
  });
});
