import { describe, expect, test } from '@jest/globals';
import type { UnitUsage } from '../../../../src/adapters/runtimes/runtime.ts';
import type { HealthReport } from '../../../../src/features/health/health.ts';
import type { Values } from '../../../../src/features/history/metrics.ts';
import { createDownTime, createStartCounter, figuresOf } from '../../../../src/features/history/sampling/checks.ts';
import { createLatest } from '../../../../src/features/history/sampling/latest.ts';
import { createUsageSampler } from '../../../../src/features/history/sampling/usage.ts';
import type { Tenant } from '../../../../src/features/tenants/tenant.ts';

const up = { status: 'up', response_time_ms: 250, status_code: 200 } as const;
const down = { status: 'down', response_time_ms: 5_000, status_code: null } as const;
const report = (fields: Partial<HealthReport> = {}): HealthReport => ({
  tenant_id: 'a',
  overall_status: 'healthy',
  checks: {
    frontend: up,
    backend: down,
    database: { status: 'healthy', size_mb: 2, connections: 3 },
    services: { frontend_service: 'active', backend_service: 'active' },
  },
  certificate: null,
  last_check: '2026-11-25T12:00:00.000Z',
  ...fields,
});

describe('the figures of a check', () => {
  test('have times of pages that answered only', () => {
    expect(figuresOf(report())).toEqual({
      tenantry_tenant_up: 1,
      tenantry_tenant_frontend_response_seconds: 0.25,
      tenantry_tenant_backend_response_seconds: null,
      tenantry_tenant_proxy_response_seconds: null,
      tenantry_tenant_database_bytes: 2 * 1024 ** 2,
      tenantry_tenant_database_connections: 3,
    });
  });

  test.each([
    ['healthy', 1],
    ['degraded', 1],
    ['unhealthy', 0],
    ['unknown', null],
  ] as const)('%s counts as %s', (overall_status, expected) => {
    expect(figuresOf(report({ overall_status })).tenantry_tenant_up).toBe(expected);
  });
});

test('starts are counted from the second check, also after a time of not running', () => {
  const starts = createStartCounter();
  const [first, second] = [new Date(1_000), new Date(2_000)];
  expect(starts.count('a', { api: first, frontend: first })).toBeNull();
  expect(starts.count('a', { api: first, frontend: first })).toBe(0);
  expect(starts.count('a', { frontend: first })).toBe(0);
  expect(starts.count('a', { api: second, frontend: first })).toBe(1);
  expect(starts.count('a', { api: first, frontend: second })).toBe(2);
  expect(starts.count('b', { api: first })).toBeNull();
});

test('time without service is that before each failed check', () => {
  const down = createDownTime();
  const at = (seconds: number) => new Date(seconds * 1_000);
  expect(down.measure('a', at(100), 0)).toBe(0);
  expect(down.measure('a', at(160), 0)).toBe(60);
  expect(down.measure('a', at(220), 1)).toBe(0);
  expect(down.measure('a', at(280), null)).toBeNull();
  expect(down.measure('a', at(340), 0)).toBe(60);
  // A check that ended late, and one after a long pause.
  expect(down.measure('a', at(300), 0)).toBe(0);
  expect(down.measure('a', at(340 + 86_400), 0)).toBe(3_600);
});

describe('the usage of services', () => {
  const tenant = (id: string, status: Tenant['status'] = 'running') =>
    ({ id, slug: id, directory: '/', status }) as Tenant;
  async function* each() {
    yield tenant('a');
    yield tenant('stopped', 'stopped');
    yield tenant('silent');
  }
  /** What the engine reports of the units of `a`. */
  let usage: Record<string, UnitUsage | undefined> = {};
  const sampler = createUsageSampler({
    tenants: { each },
    runtime: {
      usage: async ({ tenant: { id }, role }) => {
        if (id === 'silent') throw new Error('no answer');
        return usage[role];
      },
    },
  });
  const measure = async () => {
    const found: [string, Values<'tenant'>][] = [];
    await sampler.run(({ id }, values) => found.push([id, values]), new AbortController().signal);
    return found;
  };
  const of = (cpuMs: number): UnitUsage => ({ cpuMs, memoryBytes: 100, memoryLimitBytes: null });

  test('is the sum of both services; processor time from the second time on', async () => {
    usage = { api: of(1_000), frontend: of(500) };
    expect(await measure()).toEqual([['a', { tenantry_tenant_memory_bytes: 200, tenantry_tenant_cpu_cores: null }]]);
    usage = { api: of(1_010), frontend: of(520) };
    const [[, { tenantry_tenant_cpu_cores: cores }] = ['', {}]] = await measure();
    expect(cores).toBeGreaterThan(0);
    expect(cores).toBeLessThan(1);
    // A service that was restarted counts from zero again.
    usage = { api: of(5), frontend: of(530) };
    expect((await measure())[0]?.[1].tenantry_tenant_cpu_cores).toBeNull();
    usage = {};
    expect(await measure()).toEqual([]);
  });
});

describe('the last figures', () => {
  const at = new Date('2026-11-25T12:00:00Z');
  test('are gone when they are old, and with their subject', () => {
    const latest = createLatest();
    latest.set('tenant', 'a', 'ash', at, { tenantry_tenant_up: 1, tenantry_tenant_memory_bytes: null });
    expect(latest.of('tenant', 'tenantry_tenant_up', at)).toEqual([{ labels: { tenant: 'ash' }, value: 1 }]);
    expect(latest.of('tenant', 'tenantry_tenant_memory_bytes', at)).toEqual([]);
    expect(latest.of('tenant', 'tenantry_tenant_up', new Date(at.getTime() + 16 * 60_000))).toEqual([]);
    latest.forget('tenant', 'a');
    expect(latest.of('tenant', 'tenantry_tenant_up', at)).toEqual([]);
  });

  test('of restarts are their sum', () => {
    const latest = createLatest();
    for (const count of [1, 0, 2]) latest.set('tenant', 'a', 'ash', at, { tenantry_tenant_restarts: count });
    expect(latest.of('tenant', 'tenantry_tenant_restarts', at)[0]?.value).toBe(3);
  });
});
