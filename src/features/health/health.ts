import type { Clock } from '../../kernel/clock.ts';
import { messageOf } from '../../kernel/errors.ts';
import type { Logger } from '../../kernel/logger.ts';
import type { Tail } from '../../kernel/streams/tail.ts';
import type { EventBus } from '../../platform/events/bus.ts';
import type { LogLevel, WriteJournal } from '../../platform/events/journal-entry.ts';
import type { Route } from '../../platform/http/route.ts';
import type { TenantService } from '../tenants/service.ts';
import type { Tenant } from '../tenants/tenant.ts';
import { type CheckDeps, type CheckResult, checkTenant } from './checks.ts';
import { createHealthStreams } from './health-streams.ts';
import { createProof, type ProveHealthy } from './prove.ts';
import { changeText, detailsOf, notDeployedReport, reportOf } from './report.ts';
import { healthRoutes } from './routes.ts';
import type { HealthReport } from './schema.ts';
import { judge } from './status-rules.ts';
import { createSweep } from './sweep.ts';

export interface HealthDeps extends CheckDeps {
  tenants: Pick<TenantService, 'get' | 'find' | 'each' | 'setStatus' | 'recordHealth'>;
  settings: { read(key: 'health_check_timeout' | 'health_check_concurrency'): Promise<number> };
  events: EventBus;
  journal: WriteJournal;
  clock: Clock;
  logger: Logger;
  /** Whether an operation works on the tenant: what is found meanwhile says nothing about its status. */
  isBusy(tenantId: string): boolean;
  /** @see SweepOptions.jitterMs (default 50) */
  jitterMs?: number;
}

export interface Health {
  routes: Route[];
  /** The last check, or a new one where there is none. @throws AppError not_found */
  last(tenantId: string): Promise<HealthReport>;
  /** @throws AppError not_found */
  check(tenantId: string): Promise<HealthReport>;
  /** Checks all deployed tenants, one sweep at a time; resolves with how many. */
  runSweep(): Promise<number>;
  /** The tenant's `health_update` messages. @throws AppError not_found */
  stream(tenantId: string): Promise<Tail>;
  proveHealthy: ProveHealthy;
  /** To be told when a tenant's services were started anew: what is known is out of date, a new check is made at once. */
  lookAgain(tenantId: string): void;
  /** Ends sweeps and streams. */
  close(): Promise<void>;
}

type Origin = 'sweep' | 'demand';

/** Watches tenants: checks on demand and in sweeps, what follows from them, and the news of them. */
export function createHealth(deps: HealthDeps): Health {
  const { tenants, settings, events, journal, clock, logger } = deps;
  const streams = createHealthStreams();
  const lastReports = new Map<string, HealthReport>();
  const deadSweeps = new Map<string, number>();
  let closed = false;

  const timeoutMs = async (): Promise<number> => (await settings.read('health_check_timeout')) * 1000;

  async function look(tenant: Tenant, origin: Origin, signal?: AbortSignal): Promise<HealthReport> {
    const at = clock.now();
    if (!tenant.deployed) return notDeployedReport(tenant.id, at);
    const busyBefore = deps.isBusy(tenant.id);
    const result = await checkTenant(tenant, tenant.deployed, deps, { timeoutMs: await timeoutMs(), signal });
    const report = reportOf(tenant.id, result, at);
    const now = await tenants.find(tenant.id);
    if (!now || closed) return report;
    const undisturbed = !busyBefore && !deps.isBusy(tenant.id);
    // What a sweep sees of a tenant in the middle of a change is no news.
    if (origin === 'sweep' && !undisturbed) return report;
    await keep(now, report);
    if (undisturbed) await conclude(now, result, origin);
    return report;
  }

  async function keep(tenant: Tenant, report: HealthReport): Promise<void> {
    const known = lastReports.get(tenant.id);
    // Of two checks side by side, the one begun later tells more.
    if (known && known.last_check > report.last_check) return;
    lastReports.set(tenant.id, report);
    streams.publish(report);
    if (!(await tenants.recordHealth(tenant.id, report.overall_status, detailsOf(report)))) return;
    await journal({
      level: levelOf(tenant, report),
      category: 'health_check',
      message: changeText(tenant, tenant.healthStatus, report),
      tenant,
      details: { overall_status: report.overall_status, checks: report.checks },
    });
  }

  async function conclude(tenant: Tenant, { units }: CheckResult, origin: Origin): Promise<void> {
    if (!units) return;
    const verdict = judge(tenant.status, units, deadSweeps.get(tenant.id) ?? 0, origin);
    if (verdict.deadSweeps === 0) deadSweeps.delete(tenant.id);
    else deadSweeps.set(tenant.id, verdict.deadSweeps);
    if (verdict.change === 'error') {
      await tenants.setStatus(tenant.id, 'error', { from: ['running'], reason: `Found dead: ${units.reason}` });
    } else if (verdict.change === 'running') {
      await tenants.setStatus(tenant.id, 'running', { from: ['error'], reason: 'Both services are active again' });
    }
  }

  const sweep = createSweep({
    async *tenantIds() {
      for await (const tenant of tenants.each({ deployedOnly: true })) yield tenant.id;
    },
    async check(tenantId, signal) {
      const tenant = await tenants.find(tenantId);
      if (!tenant?.deployed || deps.isBusy(tenantId)) return { slow: false };
      const began = performance.now();
      await look(tenant, 'sweep', signal);
      return { slow: performance.now() - began > (await timeoutMs()) / 2 };
    },
    concurrency: () => settings.read('health_check_concurrency'),
    jitterMs: deps.jitterMs ?? 50,
    patienceMs: 30_000,
    onError: (tenantId, error) => logger.error({ tenant: tenantId, message: messageOf(error) }, 'health check failed'),
  });

  function lookAgain(tenantId: string): void {
    lastReports.delete(tenantId);
    void tenants
      .find(tenantId)
      .then((tenant) => (tenant && !closed ? look(tenant, 'demand') : undefined))
      .catch((error: unknown) => logger.warn({ tenant: tenantId, message: messageOf(error) }, 'health check failed'));
  }

  const listening = [
    events.on('tenant_status', ({ tenant_id, status }) => {
      if (status !== 'deleted') return lookAgain(tenant_id);
      lastReports.delete(tenant_id);
      deadSweeps.delete(tenant_id);
      streams.end(tenant_id);
    }),
    // One that ran before runs on as `running`.
    events.on('deployment', ({ tenant_id, status }) => {
      if (status !== 'queued' && status !== 'running') lookAgain(tenant_id);
    }),
  ];

  const checks = {
    async last(tenantId: string): Promise<HealthReport> {
      const tenant = await tenants.get(tenantId);
      return (tenant.deployed && lastReports.get(tenantId)) || look(tenant, 'demand');
    },
    async check(tenantId: string): Promise<HealthReport> {
      return look(await tenants.get(tenantId), 'demand');
    },
  };

  return {
    ...checks,
    routes: healthRoutes(checks),
    runSweep: () => sweep.run(),
    stream: async (tenantId) => streams.of((await tenants.get(tenantId)).id),
    proveHealthy: createProof(deps),
    lookAgain,
    async close() {
      closed = true;
      for (const stop of listening) stop();
      await sweep.close();
      streams.close();
    },
  };
}

/** A tenant that somebody stopped is not ill. */
function levelOf(tenant: Tenant, { overall_status }: HealthReport): LogLevel {
  if (overall_status === 'healthy' || tenant.status === 'stopped') return 'info';
  return overall_status === 'degraded' ? 'warning' : 'error';
}
