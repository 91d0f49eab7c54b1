import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import express from 'express';
import { ConnectionRefusedError } from 'sequelize';
import request from 'supertest';
import { type AuditLogEntry, managerActor } from '../../../../src/adapters/events/audit-log-entry.ts';
import { createEventBus } from '../../../../src/adapters/events/bus.ts';
import { createProcessRuntime } from '../../../../src/adapters/runtimes/recorded/process/process-runtime.ts';
import type { Runtime, UnitLogLine, UnitSpec } from '../../../../src/adapters/runtimes/runtime.ts';
import { createTenantApi } from '../../../../src/adapters/tenant-api/tenant-api.ts';
import { createProof } from '../../../../src/features/health/checks/prove.ts';
import { recentLogs } from '../../../../src/features/services/recent-logs.ts';
import { actionAnswer, detailsAnswer } from '../../../../src/features/services/schema.ts';
import { createServices, type Services, type ServicesDeps } from '../../../../src/features/services/services.ts';
import { spaceOf, type Tenant } from '../../../../src/features/tenants/tenant.ts';
import { poll } from '../../../../src/lib/concurrency/poll.ts';
import { AppError, notFound } from '../../../../src/lib/errors.ts';
import { errorMiddleware } from '../../../../src/lib/http/responses/errors.ts';
import { serveTail } from '../../../../src/lib/http/responses/sse.ts';
import { mountRoutes } from '../../../../src/lib/http/routing/mount.ts';
import { newId } from '../../../../src/lib/ids.ts';
import { createLogger } from '../../../../src/lib/logger.ts';
import type { ReplayStream } from '../../../../src/lib/streams/replay-stream.ts';
import { patienceMs } from '../../../harness/patience.ts';
import { freePort } from '../../../harness/servers/ports.ts';

/**
 * An application that fails by its environment or a file, at startup or in its health check, after that many
 * milliseconds.
 */
const application = `
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
const { FAULT } = process.env;
if (process.env.CRASH) { console.error('refusing to start'); process.exit(3); }
process.on('SIGTERM', () => process.exit(0));
if (existsSync(FAULT)) setTimeout(() => process.exit(7), Number(readFileSync(FAULT, 'utf8')));
else setTimeout(() => createServer((request, response) => {
  if (request.url.startsWith('/say/')) { console.log(request.url.slice(5)); return response.end(); }
  response.end(JSON.stringify({ status: process.env.ILL || existsSync(FAULT + '.ill') ? 'ill' : 'healthy', colour: process.env.COLOUR }));
}).listen(Number(process.env.PORT), process.env.HOST, () => console.log('listening in ' + process.env.COLOUR)), Number(process.env.DELAY ?? 0));
`;

const logger = createLogger({ level: 'silent' });
const commit = 'c'.repeat(40);
const quiet = { log: () => undefined, signal: new AbortController().signal };
const tenantApi = createTenantApi();

let directory = '';
let runtime: Runtime;
const faultFile = (): string => join(directory, 'fault');
const breakApplication = (afterMs = 0): Promise<void> => writeFile(faultFile(), String(afterMs));
const repairApplication = (): Promise<void> => rm(faultFile(), { force: true });
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tenantry-services-'));
  await mkdir(join(directory, 'checkout'));
  await writeFile(join(directory, 'checkout', 'server.mjs'), application);
  runtime = createProcessRuntime({
    directory: join(directory, 'runtime'),
    importRoot: join(directory, 'imports'),
    logger,
    restartPauses: { firstMs: 100, maxDelayMs: 400, resetAfterMs: 60_000, giveUpAfter: 4 },
  });
  await runtime.open();
});

const tenants = new Map<string, Tenant>();
afterEach(async () => {
  await repairApplication();
  for (const tenant of tenants.values()) await runtime.removeTenant(spaceOf(tenant), { data: true });
  tenants.clear();
});
afterAll(async () => {
  await runtime.close();
  await tenantApi.close();
  await rm(directory, { recursive: true, force: true });
});

/** The feature over the real process runtime; `environment` is what a configuration change changes. */
async function world(fields: Partial<Tenant> = {}, changes: Partial<ServicesDeps> = {}) {
  const id = newId();
  const units = {
    api: { start: 'node server.mjs', port: 8000, health: '/api/health' },
    frontend: { start: 'node server.mjs', port: 3000, health: '/' },
  };
  const release = { key: 'services-test', commit, checkout: join(directory, 'checkout') };
  const tenant: Tenant = {
    id,
    name: 'Green',
    slug: `s-${id.slice(0, 8)}`,
    domain: 'a.example',
    apiDomain: 'b.example',
    status: 'running',
    healthStatus: 'unknown',
    healthDetails: null,
    healthSince: null,
    frontendPort: await freePort(),
    backendPort: await freePort(),
    directory: join(directory, id),
    databaseSlot: 0,
    lostData: null,
    gitRepo: null,
    notes: null,
    tags: [],
    createdAt: new Date(),
    deployedAt: new Date(),
    deployed: { version: null, ...release, units, database: null },
    ...fields,
  };
  tenants.set(id, tenant);
  // A process on a unit's port whose environment names another tenant, or none, delays the proof of its health by 5 s.
  const environment: Record<string, string> = { COLOUR: 'green', FAULT: faultFile(), TENANT_SLUG: tenant.slug };
  const auditLog: AuditLogEntry[] = [];
  const claims = new Set<string>();
  const specsOf = async (of: Tenant): Promise<UnitSpec[]> =>
    (['api', 'frontend'] as const).map((role) => ({
      tenant: spaceOf(of),
      role,
      release,
      // As a deployment describes it: the health page of a unit is not the runtime's concern.
      definition: { start: units[role].start, port: units[role].port },
      environment: { ...environment },
      hostPort: role === 'api' ? of.backendPort : of.frontendPort,
      limits: { memoryMb: 256, cpus: 1, pids: 64 },
    }));
  const services: Services = createServices({
    tenants: {
      async get(asked) {
        const found = tenants.get(asked);
        if (!found) throw notFound('tenant', asked);
        return found;
      },
      async setStatus(of, status, options) {
        const found = tenants.get(of);
        if (!found || found.status === status || options?.from?.includes(found.status) === false) return false;
        tenants.set(of, { ...found, status });
        return true;
      },
    },
    runtime,
    assertData: async () => undefined,
    rebuild: async () => undefined,
    specsOf,
    bringUpDatabase: async () => undefined,
    writeEnvironment: async () => async () => undefined,
    keptLines: async () => [],
    diagnoseStarted: async () => undefined,
    proveHealthy: createProof({ runtime, tenantApi, intervalMs: 100 }),
    engine: {
      async exclusive(of, name, work) {
        if (claims.has(of)) throw new AppError('operation_in_progress', `in the way of ${name}`);
        claims.add(of);
        return work().finally(() => claims.delete(of));
      },
    },
    recheck: () => undefined,
    writeAuditLog: async (entry) => void auditLog.push(entry),
    logger,
    events: createEventBus(logger),
    startTimeoutMs: 60_000,
    healthTimeoutMs: () => 15_000,
    logGraceMs: 200,
    ...changes,
  });
  return {
    services,
    environment,
    auditLog,
    id,
    status: () => tenants.get(id)?.status,
    async deploy() {
      await runtime.prepareRelease({ ...release, units }, quiet);
      for (const spec of await specsOf(tenant)) await runtime.stage(spec, quiet);
      await runtime.activate(spaceOf(tenant), quiet);
      await createProof({ runtime, tenantApi })(
        tenant,
        { version: null, ...release, units, database: null },
        quiet,
        10_000,
      );
      await runtime.commit(spaceOf(tenant));
    },
    ask: async (path: string) => (await fetch(`http://127.0.0.1:${tenant.backendPort}${path}`)).text().catch(() => ''),
  };
}

const both = (state: 'active' | 'inactive') => ({ frontend: state, backend: state });

/** The messages of a stream of server-sent events, up to `count`. */
const messagesOf = async (response: Response, count: number): Promise<Record<string, unknown>[]> => {
  const found: Record<string, unknown>[] = [];
  let text = '';
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    text += Buffer.from(chunk).toString();
    found.splice(0, found.length, ...[...text.matchAll(/^data: (.*)$/gm)].map((match) => JSON.parse(match[1] ?? '')));
    if (found.length >= count) break;
  }
  return found;
};

describe('start, stop, restart', () => {
  test('each action works, and is idempotent', async () => {
    const { services, id, status, deploy, auditLog } = await world();
    await deploy();
    for (const _turn of [1, 2]) {
      expect(actionAnswer.strict().parse(await services.stop(id, managerActor))).toEqual({
        message: 'Services stopped',
        services: both('inactive'),
      });
      expect(status()).toBe('stopped');
      expect(await services.status(id)).toEqual({ api: 'inactive', frontend: 'inactive' });
    }
    for (const _turn of [1, 2]) {
      expect(await services.start(id, managerActor)).toEqual({ message: 'Services started', services: both('active') });
      expect(status()).toBe('running');
    }
    expect(await services.restart(id, managerActor)).toEqual({
      message: 'Services restarted',
      services: both('active'),
    });
    expect(await services.status(id)).toEqual({ api: 'active', frontend: 'active' });
    expect(auditLog.at(-1)).toMatchObject({
      level: 'info',
      category: 'audit',
      message: 'tenantry restarted the services',
      tenant: { id },
    });
  });

  test('before the first deployment: 409; a running operation is named first', async () => {
    const { services, id } = await world({ deployed: null, status: 'pending' });
    await expect(services.start(id, managerActor)).rejects.toMatchObject({ code: 'not_deployed' });
    await expect(services.stop(id, managerActor)).rejects.toMatchObject({ code: 'not_deployed' });
    await expect(services.logs(id, { lines: 10, timestamps: true })).rejects.toMatchObject({ code: 'not_deployed' });
    await expect(services.logStream(id, undefined)).rejects.toMatchObject({ code: 'not_deployed' });
    expect(await services.status(id)).toEqual({ api: 'inactive', frontend: 'inactive' });
    await expect(services.start(newId(), managerActor)).rejects.toMatchObject({ code: 'not_found' });
  });

  test('rejects a second operation', async () => {
    const { services, id, deploy } = await world();
    await deploy();
    const restarting = services.restart(id, managerActor);
    await poll(async () => true, { timeoutMs: 10 });
    await expect(services.stop(id, managerActor)).rejects.toMatchObject({ code: 'operation_in_progress' });
    await restarting;
  });

  test('start and restart apply a changed configuration', async () => {
    const { services, id, deploy, environment, ask } = await world();
    await deploy();
    environment.COLOUR = 'red';
    await services.start(id, managerActor);
    expect(await ask('/')).toContain('red');
    await services.stop(id, managerActor);
    environment.COLOUR = 'blue';
    await services.start(id, managerActor);
    expect(await ask('/')).toContain('blue');
    environment.COLOUR = 'grey';
    await services.restart(id, managerActor);
    expect(await ask('/')).toContain('grey');
  });

  test.each(['CRASH', 'ILL'])(
    'rolls back a configuration that does not start (%s): the previous services run again',
    async (flaw) => {
      const { services, id, deploy, environment, ask, status, auditLog } = await world(
        {},
        { healthTimeoutMs: () => 5_000 },
      );
      await deploy();
      environment[flaw] = 'yes';
      environment.COLOUR = 'red';
      const failure = await services.restart(id, managerActor).catch((error: unknown) => error);
      expect(failure).toMatchObject({
        code: 'tenant_error',
        message: expect.stringMatching(
          /^The restart of .* failed: .*(exited with code 3|says it is "ill").*\. The previous configuration is in use again, and its services run$/,
        ),
      });
      expect(
        await poll(async () => ((await ask('/').catch(() => '')).includes('green') ? true : undefined), {
          timeoutMs: patienceMs,
        }),
      ).toBe(true);
      expect(status()).toBe('running');
      expect(auditLog.at(-1)).toMatchObject({ level: 'error', category: 'audit' });
    },
  );

  test('a stopped tenant that does not start gets the status error', async () => {
    const { services, id, deploy, environment, status } = await world();
    await deploy();
    await services.stop(id, managerActor);
    environment.CRASH = 'yes';
    await expect(services.start(id, managerActor)).rejects.toMatchObject({
      code: 'tenant_error',
      message: expect.stringMatching(/\. The previous configuration is in use again, and its services stay stopped$/),
    });
    expect(status()).toBe('error');
    expect(await services.status(id)).toEqual({ api: 'inactive', frontend: 'inactive' });
    expect((await services.stop(id, managerActor)).services).toEqual(both('inactive'));
    expect(status()).toBe('stopped');
  });

  test('a start ends when the tenant answers', async () => {
    const { services, id, deploy, environment, ask } = await world();
    environment.DELAY = '2500';
    await deploy();
    await services.stop(id, managerActor);
    await services.start(id, managerActor);
    expect(await ask('/')).toContain('green');
    await services.restart(id, managerActor);
    expect(await ask('/')).toContain('green');
  });

  test('an unhealthy tenant stays started', async () => {
    const { services, id, deploy, status } = await world({}, { answerTimeoutMs: 1_000 });
    await deploy();
    await services.stop(id, managerActor);
    await writeFile(`${faultFile()}.ill`, '');
    expect((await services.start(id, managerActor)).services).toEqual(both('active'));
    expect(status()).toBe('running');
    await rm(`${faultFile()}.ill`);
  });

  test('fails the start when unchanged units exit, with the reason', async () => {
    const { services, id, deploy, status } = await world();
    await deploy();
    await services.stop(id, managerActor);
    await breakApplication();
    const failure = await services.start(id, managerActor).catch((error: unknown) => error);
    await repairApplication();
    expect(failure).toMatchObject({ code: 'tenant_error', message: expect.stringContaining('exited with code 7') });
    expect(status()).toBe('error');
    // The runtime keeps trying: now it succeeds.
    await services.start(id, managerActor);
    expect(status()).toBe('running');
  });

  test('a tenant keeps the status error if the restored services do not stay up either', async () => {
    const { services, id, deploy, environment, status } = await world();
    await deploy();
    await breakApplication(150);
    await expect(services.restart(id, managerActor)).rejects.toMatchObject({ code: 'tenant_error' });
    expect(status()).toBe('error');
    environment.COLOUR = 'red';
    await expect(services.restart(id, managerActor)).rejects.toMatchObject({ code: 'tenant_error' });
    await repairApplication();
    expect(status()).toBe('error');
  });

  test('an unavailable engine does not change the tenant’s status', async () => {
    const gone: Runtime = {
      ...runtime,
      isLive: async () => {
        throw new AppError('runtime_unavailable', 'the engine is gone');
      },
    };
    const { services, id, status } = await world({ status: 'stopped' }, { runtime: gone });
    await expect(services.start(id, managerActor)).rejects.toMatchObject({ code: 'runtime_unavailable' });
    expect(status()).toBe('stopped');
  });

  test('reports an unavailable store as such, not as a failure of the tenant', async () => {
    const away = new ConnectionRefusedError(new Error('connect ECONNREFUSED'));
    const lost: Runtime = {
      ...runtime,
      stop: async () => {
        throw away;
      },
    };
    const { services, id } = await world({}, { runtime: lost });
    await expect(services.stop(id, managerActor)).rejects.toBe(away);
  });

  test('reports a stop that hangs, which remains the tenant’s operation', async () => {
    const release = Promise.withResolvers<void>();
    const hanging: Runtime = { ...runtime, stop: () => release.promise };
    const { services, id } = await world({}, { runtime: hanging, actionTimeoutMs: 100 });
    await expect(services.stop(id, managerActor)).rejects.toMatchObject({
      code: 'runtime_unavailable',
      message: expect.stringContaining('It continues in the background'),
    });
    await expect(services.stop(id, managerActor)).rejects.toMatchObject({ code: 'operation_in_progress' });
    release.resolve();
  });
});

describe('service details', () => {
  test('report what runs, its resource usage, and whether the configuration is current', async () => {
    const { services, id, deploy, environment } = await world();
    await deploy();
    const one = {
      state: 'active',
      started_at: expect.any(String),
      reason: null,
      gave_up: false,
      commit,
      cpu_percent: expect.any(Number),
      memory_bytes: expect.any(Number),
      memory_limit_bytes: null,
    };
    const found = detailsAnswer.strict().parse(await services.details(id));
    expect(found).toEqual({ tenant_id: id, applied: 'current', services: { frontend: one, backend: one } });
    expect(found.services.backend.memory_bytes).toBeGreaterThan(1024 ** 2);
    environment.COLOUR = 'red';
    expect((await services.details(id)).applied).toBe('pending_restart');
    await services.restart(id, managerActor);
    expect((await services.details(id)).applied).toBe('current');
    await services.stop(id, managerActor);
    const off = { ...one, state: 'inactive', started_at: null, cpu_percent: null, memory_bytes: null };
    expect(await services.details(id)).toMatchObject({ applied: 'current', services: { frontend: off, backend: off } });
  });

  test('a service that crashes reports the reason; unknown values are null', async () => {
    const blind: Runtime = {
      ...runtime,
      usage: async () => {
        throw new Error('no figures');
      },
    };
    const { services, id, deploy } = await world({}, { runtime: blind });
    await deploy();
    expect((await services.details(id)).services.backend).toMatchObject({ state: 'active', memory_bytes: null });
    await breakApplication();
    await services.restart(id, managerActor).catch(() => undefined);
    const { backend } = (await services.details(id)).services;
    await repairApplication();
    expect(backend).toMatchObject({ state: 'inactive', reason: 'exited with code 7', started_at: null });
  });

  test('before the first deployment; without an engine', async () => {
    const { services, id } = await world({ deployed: null, status: 'pending' });
    expect(await services.details(id)).toMatchObject({
      applied: 'not_deployed',
      services: { frontend: { state: 'inactive', commit: null } },
    });
    const gone: Runtime = {
      ...runtime,
      inspect: async () => {
        throw new AppError('runtime_unavailable', 'the engine is gone');
      },
    };
    const other = await world({}, { runtime: gone });
    await expect(other.services.details(other.id)).rejects.toMatchObject({ code: 'runtime_unavailable' });
  });
});

describe('over HTTP', () => {
  test('responses match their schemas, queries are validated, a followed log is a stream', async () => {
    const { services, id, deploy } = await world();
    await deploy();
    const principal = { userId: newId(), username: 'operator', role: 'operator' as const, mustChangePassword: false };
    const app = express()
      .use(mountRoutes(services.routes, { authenticate: async () => principal, checkAnswers: true }))
      .use(errorMiddleware(logger));
    const base = `/api/tenants/${id}`;
    expect((await request(app).post(`${base}/services/stop`)).body.services).toEqual(both('inactive'));
    expect((await request(app).get(`${base}/services/status`)).body).toEqual({ api: 'inactive', frontend: 'inactive' });
    expect((await request(app).post(`${base}/services/start`)).body).toEqual({
      message: 'Services started',
      services: both('active'),
    });
    expect((await request(app).post(`${base}/restart`)).status).toBe(200);
    expect((await request(app).get(`${base}/services`)).body).toMatchObject({ tenant_id: id, applied: 'current' });

    const logs = await request(app).get(`${base}/logs`).query({ service: 'frontend', lines: 1, timestamps: 'false' });
    expect(logs.body).toEqual({ tenant_id: id, service: 'frontend', logs: 'listening in green' });
    const timed = await request(app).get(`${base}/logs`).query({ service: 'frontend', lines: 1 });
    expect(timed.body.logs).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z listening in green$/);
    expect((await request(app).get(`${base}/logs`)).body.service).toBeNull();
    for (const query of [{ lines: 10_001 }, { lines: 0 }, { service: 'database' }, { follow: 'perhaps' }]) {
      expect((await request(app).get(`${base}/logs`).query(query)).body.code).toBe('validation_error');
    }

    const server = createServer(app);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const abort = new AbortController();
    const stream = await fetch(`${address}${base}/logs?service=backend&follow=true`, { signal: abort.signal });
    expect(stream.headers.get('content-type')).toContain('text/event-stream');
    expect((await messagesOf(stream, 1))[0]).toMatchObject({
      type: 'log',
      service: 'backend',
      seq: expect.any(Number),
    });
    abort.abort();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    services.close();
  });
});

describe('logs', () => {
  test('one service, and both with names; each line has its time unless disabled', async () => {
    const { services, id, deploy, ask } = await world();
    await deploy();
    for (const word of ['one', 'two', 'three']) await ask(`/say/${word}`);
    const last = await poll(
      async () => {
        const text = await services.logs(id, { service: 'backend', lines: 2, timestamps: false });
        return text === 'two\nthree' ? text : undefined;
      },
      { timeoutMs: patienceMs },
    );
    expect(last).toBe('two\nthree');
    const both = (timestamps: boolean) => services.logs(id, { lines: 3, timestamps });
    expect((await both(false)).split('\n').slice(-2)).toEqual(['[backend] two', '[backend] three']);
    const timed = (await both(true)).split('\n');
    const times = timed.map((line) => /^(\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z) \[(backend|frontend)\] ./.exec(line)?.[1]);
    expect(times).toEqual([expect.any(String), expect.any(String), expect.any(String)]);
    expect(times).toEqual(times.toSorted());
  });

  /** Logs with a second of 2026-11-22T08:00 for each line; null: a line without a time. */
  const timedLogs = (lines: Record<string, [second: number | null, message: string, node?: string][]>) => ({
    async *logs({ role }: { role: string }, { lines: count }: { lines: number }): AsyncGenerator<UnitLogLine> {
      for (const [second, message, node] of lines[role]?.slice(-count) ?? []) {
        const time = second === null ? undefined : new Date(Date.UTC(2026, 10, 22, 8, 0, second));
        yield { stream: 'stdout', message, time, node };
      }
    },
  });
  const byTurns = {
    api: [
      [1, 'started'],
      [3, 'query'],
      [3, 'answer'],
      [9, 'stopped'],
    ],
    frontend: [
      [null, 'of an older manager'],
      [2, 'page'],
      [2, 'style'],
      [8, 'gone'],
    ],
  } satisfies Parameters<typeof timedLogs>[0];

  test('merges the last lines of both services by time; a line without a time keeps its position', async () => {
    const space = { id: '1', slug: 'x', directory: '/' };
    const text = (lines: number, timestamps: boolean) => recentLogs(timedLogs(byTurns), space, { lines, timestamps });
    expect((await text(7, false)).split('\n')).toEqual([
      '[backend] started',
      '[frontend] page',
      '[frontend] style',
      '[backend] query',
      '[backend] answer',
      '[frontend] gone',
      '[backend] stopped',
    ]);
    expect((await text(100, true)).split('\n').slice(0, 2)).toEqual([
      '[frontend] of an older manager',
      '2026-11-22T08:00:01.000Z [backend] started',
    ]);
  });

  test('names the node of each line where units move between nodes', async () => {
    const moved = timedLogs({
      api: [
        [1, 'before', 'node-1'],
        [2, 'after', 'node-2'],
      ],
      frontend: [],
    });
    const space = { id: '1', slug: 'x', directory: '/' };
    expect(await recentLogs(moved, space, { lines: 9, timestamps: false })).toBe(
      '[backend] [node-1] before\n[backend] [node-2] after',
    );
    expect(await recentLogs(moved, space, { lines: 1, timestamps: true, service: 'backend' })).toBe(
      '2026-11-22T08:00:02.000Z [node-2] after',
    );
  });

  test('merges both followed services by time, each message with its time', async () => {
    const { services, id } = await world({}, { runtime: { ...runtime, ...timedLogs(byTurns) } });
    const tail = await services.logStream(id, undefined);
    const seen: { message: string; timestamp: string | null }[] = [];
    for await (const batch of tail.follow(0, new AbortController().signal))
      seen.push(...batch.map(({ json }) => JSON.parse(json)));
    expect(seen.map(({ message }) => message)).toEqual([
      'of an older manager',
      'started',
      'page',
      'style',
      'query',
      'answer',
      'gone',
      'stopped',
    ]);
    expect(seen.slice(0, 2).map(({ timestamp }) => timestamp)).toEqual([null, '2026-11-22T08:00:01.000Z']);
    services.close();
  });

  test('follows both services over HTTP through a restart, in one stream', async () => {
    const { services, id, deploy, ask } = await world();
    await deploy();
    const tails: ReplayStream[] = [];
    const server = createServer(async (request, response) => {
      const tail = await services.logStream(id, undefined);
      tails.push(tail);
      await serveTail(request, response, tail);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const abort = new AbortController();
    const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, {
      signal: abort.signal,
    });
    const reading = messagesOf(response, 4);
    await ask('/say/hello');
    await services.restart(id, managerActor);
    const messages = await reading;
    abort.abort();
    const first = Number(messages[0]?.seq);
    expect(messages.map((message) => message.seq)).toEqual(messages.map((_, index) => first + index));
    expect(messages.every((message) => message.type === 'log' && message.stream === 'stdout')).toBe(true);
    expect(messages).toContainEqual(expect.objectContaining({ service: 'backend', message: 'hello' }));
    expect(messages).toContainEqual(expect.objectContaining({ service: 'frontend', message: 'listening in green' }));
    // The only viewer has left.
    expect(await poll(async () => tails[0]?.closed || undefined, { timeoutMs: patienceMs, intervalMs: 20 })).toBe(true);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    services.close();
  });

  /** A runtime that records which logs are followed. */
  function countingRuntime(): Runtime & { followed: string[]; say(message: string): void } {
    const followed: string[] = [];
    const listeners = new Set<(message: string) => void>();
    return {
      ...runtime,
      followed,
      say: (message) => {
        for (const listener of listeners) listener(message);
      },
      async *logs({ role }, { signal }) {
        followed.push(role);
        const queue = ['old'];
        let wake = (): void => undefined;
        const listener = (message: string): void => {
          queue.push(`${role} ${message}`);
          wake();
        };
        listeners.add(listener);
        signal.addEventListener('abort', () => wake());
        while (!signal.aborted) {
          const message = queue.shift();
          if (message !== undefined) yield { stream: 'stderr', message, time: undefined };
          else
            await new Promise<void>((resolve) => {
              wake = resolve;
            });
        }
        listeners.delete(listener);
        followed.splice(followed.indexOf(role), 1);
      },
    };
  }

  test('follows a log once for all viewers, and stops when they have left', async () => {
    const counting = countingRuntime();
    const { services, id } = await world({}, { runtime: counting });
    const abort = new AbortController();
    const seen: string[][] = [];
    const viewers = await Promise.all(
      ['backend', 'backend', undefined, undefined]
        .map(async (service, index) => {
          const tail = await services.logStream(id, service);
          seen[index] = [];
          for await (const batch of tail.follow(0, abort.signal))
            seen[index]?.push(...batch.map(({ json }) => JSON.parse(json).message));
        })
        .map((viewer) => ({ viewer })),
    );
    await poll(async () => (counting.followed.length === 2 ? true : undefined), {
      timeoutMs: patienceMs,
      intervalMs: 20,
    });
    expect([...counting.followed].sort()).toEqual(['api', 'frontend']);
    counting.say('hello');
    await poll(async () => (seen.every((messages) => messages.includes('api hello')) ? true : undefined), {
      timeoutMs: patienceMs,
      intervalMs: 20,
    });
    expect(seen[1]).toEqual(['old', 'api hello']);
    expect(seen[2]?.toSorted()).toEqual(['api hello', 'frontend hello', 'old', 'old']);
    abort.abort();
    await Promise.all(viewers.map(({ viewer }) => viewer));
    expect(
      await poll(async () => (counting.followed.length === 0 ? true : undefined), {
        timeoutMs: patienceMs,
        intervalMs: 20,
      }),
    ).toBe(true);
  });

  test('a viewer who returns after the end of the stream misses nothing', async () => {
    const counting = countingRuntime();
    const { services, id } = await world({}, { runtime: counting });
    const first = await services.logStream(id, 'backend');
    for await (const [message] of first.follow(0, new AbortController().signal)) {
      expect(message?.json).toContain('old');
      break;
    }
    counting.say('two');
    // Without viewers, the stream ends.
    expect(await poll(async () => (first.closed ? true : undefined), { timeoutMs: patienceMs, intervalMs: 20 })).toBe(
      true,
    );
    const second = await services.logStream(id, 'backend');
    expect(second).not.toBe(first);
    const abort = new AbortController();
    for await (const batch of second.follow(first.lastSeq, abort.signal)) {
      expect(batch.map(({ json }) => JSON.parse(json))).toEqual([
        { type: 'log', service: 'backend', message: 'old', stream: 'stderr', timestamp: null, seq: expect.any(Number) },
      ]);
      // The gap shows that the stream is new, even to a viewer of an earlier manager.
      expect(JSON.parse(batch[0]?.json ?? '').seq).toBeGreaterThan(first.lastSeq + 1);
      abort.abort();
    }
    services.close();
  });

  test('a log with ten thousand existing lines reaches its viewers completely; a stalled viewer blocks no one', async () => {
    const count = 60_000;
    const flooding: Runtime = {
      ...runtime,
      // More than a stream buffers for slow viewers, without a pause.
      async *logs({ role }) {
        for (let at = 1; at <= (role === 'api' ? count : 0); at += 1)
          yield { stream: 'stdout', message: `${at} ${'x'.repeat(200)}`, time: undefined };
      },
    };
    const { services, id } = await world({}, { runtime: flooding });
    const tail = await services.logStream(id, 'backend');
    const seen: number[] = [];
    for await (const batch of tail.follow(0, new AbortController().signal)) seen.push(...batch.map(({ seq }) => seq));
    expect(seen).toHaveLength(count);
    expect((seen.at(-1) ?? 0) - (seen[0] ?? 0)).toBe(count - 1);

    const again = await services.logStream(id, 'backend');
    const stuck = again.watch(0, { take: () => false, end: () => undefined });
    expect(await poll(async () => (again.lastSeq > count + 10_000 ? true : undefined), { timeoutMs: patienceMs })).toBe(
      true,
    );
    stuck.stop();
    services.close();
  });

  test('rejects an unknown service', async () => {
    const { services, id } = await world();
    await expect(services.logStream(id, 'database')).rejects.toMatchObject({ code: 'validation_error' });
  });
});
