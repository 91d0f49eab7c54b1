import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { metricsOf } from '../../../src/features/history/metrics.ts';
import { type App, startApp } from '../../harness/app/app.ts';
import { type FixtureRepository, makeFixtureRepository } from '../../harness/data/fixture-repository.ts';
import { deploy, makeTenant, type TenantAnswer, until } from '../../harness/data/tenants.ts';
import { eachDatabase } from '../../harness/servers/mariadb.ts';

interface History {
  step: number;
  at: number[];
  series: { name: string; unit: string; values: (number | null)[]; max: (number | null)[] }[];
}

interface Availability {
  last_24h: { checks: number; percent: number | null };
  strip: (number | null)[];
  month: { name: string; checks: number; percent: number | null; budget: number; used: number; left: number };
}

const thisMonth = (): string => new Date().toISOString().slice(0, 7);

eachDatabase('the history of measurements', (newDatabase) => {
  let app: App;
  let repository: FixtureRepository;
  let tenant: TenantAnswer;
  let viewer: string;

  beforeAll(async () => {
    app = await startApp({ environment: { DATABASE_URL: await newDatabase() }, healthTimeoutMs: 20_000 });
    repository = await makeFixtureRepository(`${app.directory}/repository`);
    tenant = await makeTenant(app, repository.path, { name: 'Bright Harbor' });
    expect(await deploy(app, tenant.id)).toMatchObject({ status: 'success' });
    viewer = (await app.userOf('viewer')).token;
    await measureAll();
  });
  afterAll(async () => {
    await app?.call('DELETE', `/api/tenants/${tenant.id}?remove_files=true`);
    await app?.stop();
  });

  /** What the schedules do in a minute. */
  async function measureAll(): Promise<void> {
    const { history } = app.manager.app;
    const { signal } = new AbortController();
    await app.call('POST', `/api/tenants/${tenant.id}/health-check`);
    for (let times = 0; times < 2; times += 1) {
      await history.measureUsage(signal);
      await history.measureNodes();
      history.measureManager();
    }
    await history.measureDisk(signal);
    await history.save();
  }

  const ask = async <T>(path: string, token?: string) => app.call<T>('GET', path, token ? { token } : {});
  const last = (history: History, name: string): number | null | undefined =>
    history.series.find((one) => one.name === name)?.values.findLast((value) => value !== null);

  test('has what checks and the engine found of a tenant', async () => {
    const { body } = await ask<History>(`/api/tenants/${tenant.id}/metrics?range=1h`, viewer);
    expect(body.step).toBe(10);
    expect(body.series.map(({ name }) => name)).toEqual(metricsOf.tenant.map(({ name }) => name));
    expect(body.at.length).toBeGreaterThan(0);
    for (const { values, max } of body.series)
      expect([values.length, max.length]).toEqual([body.at.length, body.at.length]);
    expect(last(body, 'tenantry_tenant_up')).toBe(1);
    expect(last(body, 'tenantry_tenant_backend_response_seconds')).toBeGreaterThan(0);
    expect(last(body, 'tenantry_tenant_memory_bytes')).toBeGreaterThan(1024 ** 2);
    expect(last(body, 'tenantry_tenant_cpu_cores')).toBeGreaterThanOrEqual(0);
    expect(last(body, 'tenantry_tenant_disk_bytes')).toBeGreaterThan(0);
  });

  test.each([
    ['24h', 300],
    ['7d', 3_600],
    ['30d', 3_600],
    ['1y', 86_400],
  ])('covers %s by periods of %i s', async (range, step) => {
    const { body } = await ask<History>(`/api/tenants/${tenant.id}/metrics?range=${range}`);
    expect(body.step).toBe(step);
    expect(body.at.every((at) => at % step === 0)).toBe(true);
    expect(last(body, 'tenantry_tenant_up')).toBe(1);
  });

  test('refuses a step that is not kept for the range', async () => {
    const { status, body } = await ask(`/api/tenants/${tenant.id}/metrics?range=24h&step=10`);
    expect(status).toBe(400);
    expect(JSON.stringify(body)).toContain('step');
    expect((await ask<History>(`/api/tenants/${tenant.id}/metrics?range=24h&step=900`)).body.step).toBe(900);
  });

  test('counts a restart of its services', async () => {
    expect((await app.call('POST', `/api/tenants/${tenant.id}/restart`)).status).toBe(200);
    const restarts = await until(
      async () => {
        await app.call('POST', `/api/tenants/${tenant.id}/health-check`);
        const { body } = await ask<History>(`/api/tenants/${tenant.id}/metrics?range=1h&step=3600`);
        const counted = body.series.find(({ name }) => name === 'tenantry_tenant_restarts')?.values ?? [];
        return counted.reduce((sum: number, count) => sum + (count ?? 0), 0);
      },
      (count) => count >= 2,
    );
    expect(restarts).toBe(2);
  });

  test('has the manager and its host, for operators', async () => {
    const { body: manager } = await ask<History>('/api/system/metrics?range=1h');
    expect(last(manager, 'tenantry_manager_memory_bytes')).toBeGreaterThan(10 * 1024 ** 2);
    expect(last(manager, 'tenantry_manager_event_loop_delay_seconds')).toBeGreaterThanOrEqual(0);
    expect(last(manager, 'tenantry_manager_response_seconds')).toBeGreaterThan(0);
    expect(last(manager, 'tenantry_manager_response_seconds')).toBeLessThan(20);
    const starts = manager.series.find(({ name }) => name === 'tenantry_manager_starts')?.values ?? [];
    expect(starts.reduce((sum: number, count) => sum + (count ?? 0), 0)).toBe(1);
    const { body: host } = await ask<History>('/api/system/nodes/local/metrics?range=1h');
    expect(last(host, 'tenantry_node_memory_bytes')).toBeGreaterThan(10 * 1024 ** 2);
    expect(last(host, 'tenantry_node_disk_free_bytes')).toBeGreaterThan(0);
    expect(last(host, 'tenantry_node_up')).toBe(1);
    expect((await ask('/api/system/metrics', viewer)).status).toBe(403);
  });

  test('gives the availability of a tenant, of the fleet and of a month', async () => {
    const { body } = await ask<Availability>(`/api/tenants/${tenant.id}/availability`, viewer);
    expect(body.last_24h.percent).toBe(100);
    expect(body.strip).toHaveLength(90);
    expect(body.strip.at(-1)).toBe(100);
    expect(body.month).toMatchObject({ name: thisMonth(), percent: 100, used: 0, left: body.month.budget });
    const fleet = await ask<{ fleet: { percent: number }; lowest: { tenant: { id: string } }[] }>(
      '/api/availability',
      viewer,
    );
    expect(fleet.body).toMatchObject({ fleet: { percent: 100 }, lowest: [{ tenant: { id: tenant.id } }] });
    const report = await ask(`/api/reports/availability?month=${thisMonth()}`, viewer);
    expect(report.body).toMatchObject({
      objective: 99.5,
      tenants: [{ tenant: { name: 'Bright Harbor' }, percent: 100 }],
    });
    expect(await app.manager.app.history.reportText(thisMonth())).toContain('Bright Harbor  100.000 %');
  });

  test('uses the objective that the setting names', async () => {
    await app.call('PUT', '/api/settings/availability_objective', { body: { value: '99.9' } });
    const { body } = await ask<Availability & { objective: number }>(`/api/tenants/${tenant.id}/availability`);
    expect(body.objective).toBe(99.9);
  });

  describe('at /metrics', () => {
    let exported: Set<string>;
    beforeAll(async () => {
      const { body } = await ask<{ text: string }>('/metrics');
      exported = new Set([...body.text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = '']) => name));
    });

    test('every metric has the same name', () => {
      for (const metrics of Object.values(metricsOf)) for (const { name } of metrics) expect(exported).toContain(name);
    });

    test('a tenant’s figures have its slug', async () => {
      const { body } = await ask<{ text: string }>('/metrics');
      expect(body.text).toContain(`tenantry_tenant_up{tenant="${tenant.slug}"} 1`);
    });

    test('every metric of the Grafana dashboard exists', async () => {
      const file = join(import.meta.dirname, '..', '..', '..', 'docs', 'grafana', 'tenantry.json');
      const { panels } = JSON.parse(await readFile(file, 'utf8')) as { panels: { targets: { expr: string }[] }[] };
      const named = panels.flatMap(({ targets }) => targets.flatMap(({ expr }) => expr.match(/\btenantry_\w+/g) ?? []));
      expect(named.length).toBeGreaterThanOrEqual(panels.length);
      // A histogram’s parts have its name and an ending.
      const missing = named.filter((name) => !exported.has(name.replace(/_(?:count|sum|bucket)$/, '')));
      expect(missing).toEqual([]);
    });
  });

  test('is removed with the tenant', async () => {
    const other = await makeTenant(app, repository.path, { name: 'Short' });
    app.manager.app.history.record(
      { id: other.id, slug: other.slug } as never,
      {
        tenant_id: other.id,
        overall_status: 'healthy',
        checks: {
          frontend: { status: 'down', response_time_ms: null, status_code: null },
          backend: { status: 'down', response_time_ms: null, status_code: null },
          database: { status: 'healthy', size_mb: null, connections: null },
          services: { frontend_service: 'active', backend_service: 'active' },
        },
        certificate: null,
        last_check: new Date().toISOString(),
      },
      {},
    );
    const exportedOf = async () =>
      (await ask<{ text: string }>('/metrics')).body.text.includes(`{tenant="${other.slug}"}`);
    expect(await exportedOf()).toBe(true);
    await app.call('DELETE', `/api/tenants/${other.id}`);
    await until(exportedOf, (there) => !there);
  });
});
