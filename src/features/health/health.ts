import { join } from 'node:path';
import type { z } from 'zod';
import type { Runtime } from '../../adapters/runtimes/runtime.ts';
import { messageOf } from '../../lib/errors.ts';
import type { Route } from '../../lib/http/routing/route.ts';
import { ReplayStream } from '../../lib/streams/replay-stream.ts';
import { type HealthStatus, maxPageAgeMs, type Tenant } from '../tenants/tenants.ts';
import { type CheckResult, checkTenant, type HealthDeps, type UnitStarts } from './checks/checks.ts';
import { CrashLoops } from './checks/crash-loops.ts';
import { createProof, type ProveHealthy } from './checks/prove.ts';
import type { CheckOptions } from './checks/site-checks.ts';
import { evaluate, interpretHealth } from './checks/status-rules.ts';
import { createSweep } from './checks/sweep.ts';
import { createCheckHistory, type HealthPeriod } from './history/history.ts';
import { createHistoryFile } from './history/history-file.ts';
import { HealthRecorder } from './history/recorder.ts';
import { changeEntry, detailsOf, needsWriting, notDeployedReport, problemsOf, reportOf } from './history/report.ts';
import { healthRoutes } from './routes.ts';
import type { HealthHistory, HealthReport, healthStream } from './schema.ts';

export type { HealthDeps, UnitStarts } from './checks/checks.ts';
export type { HealthReport } from './schema.ts';

/** Called with each recorded check of a deployed tenant. */
export type ReportListener = (tenant: Tenant, report: HealthReport, started: UnitStarts) => void;

export interface Health {
  routes: Route[];
  /** The last check, or a new one if there is none. @throws AppError not_found */
  last(tenantId: string): Promise<HealthReport>;
  /** @throws AppError not_found */
  check(tenantId: string): Promise<HealthReport>;
  /** A check of the tenant as given, also during an operation; it is not recorded, and changes nothing. */
  examine(tenant: Tenant): Promise<HealthReport>;
  /** The last checks. @throws AppError not_found */
  history(tenantId: string): Promise<HealthHistory>;
  /** Checks all deployed tenants, one sweep at a time. @returns the number of checked tenants */
  runSweep(): Promise<number>;
  /** The last check since startup as `health_details`; undefined if there was none. */
  lastDetails(tenantId: string): Record<string, string> | undefined;
  /** What the last check since startup found wrong; undefined if there was none. */
  lastFindings(
    tenantId: string,
  ): { problems: string[]; certificate: string | undefined; crashLoop?: boolean } | undefined;
  /** The last two hours of all tenants' checks, by five minutes. */
  recentPeriods(): HealthPeriod[];
  /** Response time of the website in the last check since startup; null: no check or no answer. */
  responseMs(tenantId: string): number | null;
  /** The tenant's `health_update` messages. @throws AppError not_found */
  stream(tenantId: string): Promise<ReplayStream>;
  /**
   * Calls the listener after each check that no operation disturbed. `unknown`: the tenant is stopped on purpose.
   * @returns the function that ends it
   */
  onCheck(listener: (tenantId: string, status: HealthStatus) => void): () => void;
  onReport(listener: ReportListener): void;
  proveHealthy: ProveHealthy;
  /** The same for units of another runtime. */
  proveHealthyOn(runtime: Runtime): ProveHealthy;
  /** Restores the stored checks; if that fails, the history starts empty. Call it once, before the first check. */
  open(): Promise<void>;
  /** Stores the last checks across a restart. */
  saveHistory(): Promise<void>;
  /** Discards the last check and runs a new one. Call it after a tenant's services were restarted. */
  recheck(tenantId: string): void;
  /** Ends sweeps and streams. */
  close(): Promise<void>;
}

type Origin = 'sweep' | 'demand';

/** Checks tenants on demand and in sweeps, updates their status, and publishes changes. */
export function createHealth(deps: HealthDeps): Health {
  const { tenants, settings, events, writeAuditLog, clock, logger } = deps;
  const streams = createHealthStreams();
  const history = createCheckHistory();
  const crashLoops = new CrashLoops();
  const historyFile = createHistoryFile(join(deps.dataDirectory, 'health-history'));
  const reportListeners: ReportListener[] = [];
  const lastReports = new Map<string, HealthReport>();
  const consecutiveFailures = new Map<string, number>();
  /** When a tenant last changed, in monotonic ms: data that a sweep read earlier is outdated. */
  const changedAt = new Map<string, number>();
  const notRecorded = (error: unknown): void =>
    logger.error({ message: messageOf(error) }, 'health checks could not be recorded');
  const recorder = new HealthRecorder({ write, onError: notRecorded });
  const listeners = new Set<(tenantId: string, status: HealthStatus) => void>();
  let opened = false;
  let closed = false;

  const timeoutMs = async (): Promise<number> => (await settings.read('health_check_timeout')) * 1000;

  async function check(tenant: Tenant, origin: Origin, options: CheckOptions): Promise<HealthReport> {
    const at = clock.now();
    if (!tenant.deployed) return notDeployedReport(tenant.id, at);
    const [startedAt, busyBefore] = [performance.now(), deps.engine.isBusy(tenant.id)];
    const result = await checkTenant(tenant, tenant.deployed, deps, { ...options, at, crashLoops });
    const disturbed = busyBefore || deps.engine.isBusy(tenant.id) || changedSince(tenant.id, startedAt);
    const { status } = disturbed ? ((await tenants.find(tenant.id)) ?? tenant) : tenant;
    const health = interpretHealth(result.overall, status, disturbed);
    const report = reportOf(tenant.id, { ...result, overall: health.overall }, at);
    // A sweep ignores tenants that change during their check.
    if (closed || (origin === 'sweep' && disturbed)) return report;
    if (health.temporary) streams.publish(report);
    else await record(tenant, report, origin, result.started);
    if (!disturbed) await applyResult(tenant, result, origin);
    // A stopped tenant is known to be so.
    else if (status !== 'stopped') return report;
    for (const listener of listeners) listener(tenant.id, report.overall_status);
    return report;
  }

  const changedSince = (id: string, since: number): boolean => (changedAt.get(id) ?? Number.NEGATIVE_INFINITY) > since;

  async function record(tenant: Tenant, report: HealthReport, origin: Origin, started: UnitStarts): Promise<void> {
    const known = lastReports.get(tenant.id);
    // Of two concurrent checks, the one that started later counts.
    if (known && known.last_check > report.last_check) return;
    lastReports.set(tenant.id, report);
    history.add(report);
    for (const listener of reportListeners) listener(tenant, report, started);
    streams.publish(report);
    const isChange = origin === 'demand' || report.overall_status !== tenant.healthStatus;
    if (isChange || needsWriting(tenant.healthDetails, report)) recorder.add(report);
    // Reports without a change can wait for the next batch.
    if (isChange) await recorder.flush();
  }

  async function write(reports: readonly HealthReport[]): Promise<void> {
    const found = reports.map((report) => ({
      id: report.tenant_id,
      status: report.overall_status,
      details: detailsOf(report),
    }));
    const before = new Map((await tenants.recordHealth(found)).map((row) => [row.id, row]));
    for (const report of reports) {
      const row = before.get(report.tenant_id);
      if (!row) forget(report.tenant_id);
      else if (row.healthStatus !== report.overall_status) await writeAuditLog(changeEntry(row, report));
    }
  }

  async function applyResult(tenant: Tenant, { units }: CheckResult, origin: Origin): Promise<void> {
    if (!units) return;
    const { id } = tenant;
    const failures = (): number => consecutiveFailures.get(id) ?? 0;
    const preliminary = evaluate(tenant.status, units, failures(), origin);
    if (!preliminary.change && preliminary.consecutiveFailures === failures()) return;
    // Something would change: evaluate again with the tenant's current status.
    const now = await tenants.find(id);
    if (!now || closed) return;
    const result = evaluate(now.status, units, failures(), origin);
    if (result.consecutiveFailures === 0) consecutiveFailures.delete(id);
    else consecutiveFailures.set(id, result.consecutiveFailures);
    if (result.change === 'error') {
      await tenants.setStatus(id, 'error', { from: ['running'], reason: `Services are not running: ${units.reason}` });
    } else if (result.change === 'running') {
      await tenants.setStatus(id, 'running', { from: ['error'], reason: 'Both services are active again' });
    }
  }

  const sweep = createSweep<Tenant>({
    async begin() {
      const limit = await timeoutMs();
      return {
        concurrency: await settings.read('health_check_concurrency'),
        async check(read, signal) {
          const startedAt = performance.now();
          const tenant = changedSince(read.id, startedAt - maxPageAgeMs) ? await tenants.find(read.id) : read;
          if (!tenant?.deployed || deps.engine.isBusy(tenant.id)) return { slow: false };
          await check(tenant, 'sweep', { timeoutMs: limit, signal });
          return { slow: performance.now() - startedAt > limit / 2 };
        },
      };
    },
    items: () => tenants.each({ deployedOnly: true }),
    reload: (id) => tenants.find(id),
    timeoutMs: 30_000,
    onError: (tenantId, error) => logger.error({ tenant: tenantId, message: messageOf(error) }, 'health check failed'),
  });

  const checkOnDemand = async (tenant: Tenant): Promise<HealthReport> =>
    check(tenant, 'demand', { timeoutMs: await timeoutMs() });

  function forget(tenantId: string): void {
    for (const known of [lastReports, consecutiveFailures, changedAt]) known.delete(tenantId);
    history.forget(tenantId);
    crashLoops.forget(tenantId);
  }

  function recheck(tenantId: string): void {
    lastReports.delete(tenantId);
    changedAt.set(tenantId, performance.now());
    void tenants
      .find(tenantId)
      .then((tenant) => (tenant && !closed ? checkOnDemand(tenant) : undefined))
      .catch((error: unknown) => logger.warn({ tenant: tenantId, message: messageOf(error) }, 'health check failed'));
  }

  const subscriptions = [
    events.on('tenant_status', ({ tenant_id, status }) => {
      if (status !== 'deleted') return recheck(tenant_id);
      forget(tenant_id);
      streams.end(tenant_id);
    }),
    events.on('synthetic_checks', ({ tenant_id }) => recheck(tenant_id)),
    // A redeployment leaves the status `running`, so there is no status event.
    events.on('deployment', ({ tenant_id, status }) => {
      if (status !== 'queued' && status !== 'running') recheck(tenant_id);
    }),
  ];

  const checks = {
    async last(tenantId: string): Promise<HealthReport> {
      const tenant = await tenants.get(tenantId);
      return (tenant.deployed && lastReports.get(tenantId)) || checkOnDemand(tenant);
    },
    async check(tenantId: string): Promise<HealthReport> {
      return checkOnDemand(await tenants.get(tenantId));
    },
    history: async (tenantId: string) => ({
      tenant_id: tenantId,
      checks: history.of((await tenants.get(tenantId)).id),
    }),
  };

  return {
    ...checks,
    routes: healthRoutes(checks),
    async examine(tenant) {
      const at = clock.now();
      if (!tenant.deployed) return notDeployedReport(tenant.id, at);
      const result = await checkTenant(tenant, tenant.deployed, deps, { timeoutMs: await timeoutMs(), at, crashLoops });
      const { overall } = interpretHealth(result.overall, tenant.status, false);
      return reportOf(tenant.id, { ...result, overall }, at);
    },
    async runSweep() {
      const checked = await sweep.run();
      await recorder.flush();
      return checked;
    },
    responseMs(tenantId) {
      const checks = lastReports.get(tenantId)?.checks;
      const page = checks?.proxy ?? checks?.frontend;
      return page?.status === 'up' ? page.response_time_ms : null;
    },
    lastFindings(tenantId) {
      const report = lastReports.get(tenantId);
      if (!report) return undefined;
      const crashLoop = report.checks.services.crash_loop !== undefined;
      return { problems: problemsOf(report), certificate: report.certificate?.error, crashLoop };
    },
    recentPeriods: () => history.periods({ now: clock.now(), count: 24, lengthMs: 5 * 60_000 }),
    lastDetails(tenantId) {
      const report = lastReports.get(tenantId);
      return report && detailsOf(report);
    },
    stream: async (tenantId) => streams.of((await tenants.get(tenantId)).id),
    onCheck(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    onReport: (listener) => void reportListeners.push(listener),
    proveHealthy: createProof(deps),
    proveHealthyOn: (runtime) => createProof({ runtime, tenantApi: deps.tenantApi }),
    async open() {
      try {
        for await (const stored of historyFile.read()) history.restore(stored, clock.now());
      } catch (error) {
        logger.warn({ message: messageOf(error) }, 'could not read the stored health checks');
      }
      opened = true;
    },
    saveHistory: () => historyFile.write(history.all()),
    recheck,
    async close() {
      closed = true;
      for (const stop of subscriptions) stop();
      await sweep.close();
      await recorder.flush().catch(notRecorded);
      // Don't overwrite a file that was not read.
      if (opened) await historyFile.write(history.all()).catch(notRecorded);
      streams.close();
    },
  };
}

/** Messages kept for viewers that join late or reconnect. */
const replayedMessages = 100;

interface HealthStreams {
  of(tenantId: string): ReplayStream;
  publish(report: HealthReport): void;
  /** Ends a tenant's stream. */
  end(tenantId: string): void;
  close(): void;
}

/** One stream of `health_update` messages for each tenant, created on demand: most tenants never have a viewer. */
function createHealthStreams(): HealthStreams {
  const streams = new Map<string, ReplayStream>();
  return {
    of(tenantId) {
      const stream = streams.get(tenantId) ?? new ReplayStream({ ring: replayedMessages });
      streams.set(tenantId, stream);
      return stream;
    },
    publish({ tenant_id, overall_status, checks }) {
      streams.get(tenant_id)?.append({
        type: 'health_update',
        tenant_id,
        overall_status,
        checks,
      } satisfies z.input<typeof healthStream.health_update>);
    },
    end(tenantId) {
      streams.get(tenantId)?.close();
      streams.delete(tenantId);
    },
    close() {
      for (const stream of streams.values()) stream.close();
      streams.clear();
    },
  };
}
