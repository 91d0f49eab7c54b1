import { join } from 'node:path';
import type { EventBus } from '../../adapters/events/bus.ts';
import type { WriteJournal } from '../../adapters/events/journal-entry.ts';
import type { Clock } from '../../lib/clock.ts';
import { messageOf } from '../../lib/errors.ts';
import type { Route } from '../../lib/http/routing/route.ts';
import type { Logger } from '../../lib/logger.ts';
import { ReplayStream } from '../../lib/streams/replay-stream.ts';
import { maxPageAgeMs, type Tenant, type TenantService } from '../tenants/tenants.ts';
import { type CheckDeps, type CheckOptions, type CheckResult, checkTenant } from './checks/checks.ts';
import { createProof, type ProveHealthy } from './checks/prove.ts';
import { evaluate, interpretHealth } from './checks/status-rules.ts';
import { createSweep } from './checks/sweep.ts';
import { createCheckHistory } from './history/history.ts';
import { createHistoryFile } from './history/history-file.ts';
import { HealthRecorder } from './history/recorder.ts';
import { changeEntry, detailsOf, needsWriting, notDeployedReport, reportOf } from './history/report.ts';
import { healthRoutes } from './routes.ts';
import type { HealthHistory, HealthReport } from './schema.ts';

export interface HealthDeps extends CheckDeps {
  tenants: Pick<TenantService, 'get' | 'find' | 'each' | 'setStatus' | 'recordHealth'>;
  settings: { read(key: 'health_check_timeout' | 'health_check_concurrency'): Promise<number> };
  events: EventBus;
  journal: WriteJournal;
  clock: Clock;
  logger: Logger;
  dataDirectory: string;
  /** Whether an operation works on the tenant: what is found meanwhile says nothing about its status. */
  isBusy(tenantId: string): boolean;
}

export interface Health {
  routes: Route[];
  /** The last check, or a new one where there is none. @throws AppError not_found */
  last(tenantId: string): Promise<HealthReport>;
  /** @throws AppError not_found */
  check(tenantId: string): Promise<HealthReport>;
  /** The last checks. @throws AppError not_found */
  history(tenantId: string): Promise<HealthHistory>;
  /** Checks all deployed tenants, one sweep at a time; resolves with how many. */
  runSweep(): Promise<number>;
  /** What the last check since the start found, as `health_details`; undefined where there was none. */
  lastDetails(tenantId: string): Record<string, string> | undefined;
  /** The tenant's `health_update` messages. @throws AppError not_found */
  stream(tenantId: string): Promise<ReplayStream>;
  proveHealthy: ProveHealthy;
  /** Takes up the last checks that an earlier manager kept; where they can't be read they begin anew. Call once, before the first check. */
  open(): Promise<void>;
  /** Keeps the last checks for the next manager. */
  saveHistory(): Promise<void>;
  /** To be told when a tenant's services were started anew: what is known is out of date, a new check is made at once. */
  recheck(tenantId: string): void;
  /** Ends sweeps and streams. */
  close(): Promise<void>;
}

type Origin = 'sweep' | 'demand';

/** Watches tenants: checks on demand and in sweeps, what follows from them, and the news of them. */
export function createHealth(deps: HealthDeps): Health {
  const { tenants, settings, events, journal, clock, logger } = deps;
  const streams = createHealthStreams();
  const history = createCheckHistory();
  const historyFile = createHistoryFile(join(deps.dataDirectory, 'health-history'));
  const lastReports = new Map<string, HealthReport>();
  const consecutiveFailures = new Map<string, number>();
  /** When something happened to a tenant, in monotonic ms: what a sweep read before is out of date. */
  const changedAt = new Map<string, number>();
  const notRecorded = (error: unknown): void =>
    logger.error({ message: messageOf(error) }, 'health checks could not be recorded');
  const recorder = new HealthRecorder({ write, onError: notRecorded });
  let opened = false;
  let closed = false;

  const timeoutMs = async (): Promise<number> => (await settings.read('health_check_timeout')) * 1000;

  async function check(tenant: Tenant, origin: Origin, options: CheckOptions): Promise<HealthReport> {
    const at = clock.now();
    if (!tenant.deployed) return notDeployedReport(tenant.id, at);
    const [began, busyBefore] = [performance.now(), deps.isBusy(tenant.id)];
    const result = await checkTenant(tenant, tenant.deployed, deps, { ...options, at });
    const disturbed = busyBefore || deps.isBusy(tenant.id) || changedSince(tenant.id, began);
    const { status } = disturbed ? ((await tenants.find(tenant.id)) ?? tenant) : tenant;
    const meaning = interpretHealth(result.overall, status, disturbed);
    const report = reportOf(tenant.id, { ...result, overall: meaning.overall }, at);
    // What a sweep sees of a tenant in the middle of a change is no news.
    if (closed || (origin === 'sweep' && disturbed)) return report;
    if (meaning.lasts) await keep(tenant, report, origin);
    else streams.publish(report);
    if (!disturbed) await applyResult(tenant, result, origin);
    return report;
  }

  const changedSince = (id: string, since: number): boolean => (changedAt.get(id) ?? Number.NEGATIVE_INFINITY) > since;

  async function keep(tenant: Tenant, report: HealthReport, origin: Origin): Promise<void> {
    const known = lastReports.get(tenant.id);
    // Of two checks side by side, the one begun later tells more.
    if (known && known.last_check > report.last_check) return;
    lastReports.set(tenant.id, report);
    history.add(report);
    streams.publish(report);
    const isNews = origin === 'demand' || report.overall_status !== tenant.healthStatus;
    if (isNews || needsWriting(tenant.healthDetails, report)) recorder.add(report);
    // What does not change the status can wait for the next write.
    if (isNews) await recorder.flush();
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
      else if (row.healthStatus !== report.overall_status) await journal(changeEntry(row, report));
    }
  }

  async function applyResult(tenant: Tenant, { units }: CheckResult, origin: Origin): Promise<void> {
    if (!units) return;
    const { id } = tenant;
    const row = (): number => consecutiveFailures.get(id) ?? 0;
    const asRead = evaluate(tenant.status, units, row(), origin);
    if (!asRead.change && asRead.consecutiveFailures === row()) return;
    // Something seems to follow: for that it must be as it was read.
    const now = await tenants.find(id);
    if (!now || closed) return;
    const verdict = evaluate(now.status, units, row(), origin);
    if (verdict.consecutiveFailures === 0) consecutiveFailures.delete(id);
    else consecutiveFailures.set(id, verdict.consecutiveFailures);
    if (verdict.change === 'error') {
      await tenants.setStatus(id, 'error', { from: ['running'], reason: `Found dead: ${units.reason}` });
    } else if (verdict.change === 'running') {
      await tenants.setStatus(id, 'running', { from: ['error'], reason: 'Both services are active again' });
    }
  }

  const sweep = createSweep<Tenant>({
    async begin() {
      const limit = await timeoutMs();
      return {
        concurrency: await settings.read('health_check_concurrency'),
        async check(read, signal) {
          const began = performance.now();
          const tenant = changedSince(read.id, began - maxPageAgeMs) ? await tenants.find(read.id) : read;
          if (!tenant?.deployed || deps.isBusy(tenant.id)) return { slow: false };
          await check(tenant, 'sweep', { timeoutMs: limit, signal });
          return { slow: performance.now() - began > limit / 2 };
        },
      };
    },
    items: () => tenants.each({ deployedOnly: true }),
    recheck: (id) => tenants.find(id),
    timeoutMs: 30_000,
    onError: (tenantId, error) => logger.error({ tenant: tenantId, message: messageOf(error) }, 'health check failed'),
  });

  const lookOnDemand = async (tenant: Tenant): Promise<HealthReport> =>
    check(tenant, 'demand', { timeoutMs: await timeoutMs() });

  function forget(tenantId: string): void {
    for (const known of [lastReports, consecutiveFailures, changedAt]) known.delete(tenantId);
    history.forget(tenantId);
  }

  function recheck(tenantId: string): void {
    lastReports.delete(tenantId);
    changedAt.set(tenantId, performance.now());
    void tenants
      .find(tenantId)
      .then((tenant) => (tenant && !closed ? lookOnDemand(tenant) : undefined))
      .catch((error: unknown) => logger.warn({ tenant: tenantId, message: messageOf(error) }, 'health check failed'));
  }

  const listening = [
    events.on('tenant_status', ({ tenant_id, status }) => {
      if (status !== 'deleted') return recheck(tenant_id);
      forget(tenant_id);
      streams.end(tenant_id);
    }),
    // One that ran before runs on as `running`.
    events.on('deployment', ({ tenant_id, status }) => {
      if (status !== 'queued' && status !== 'running') recheck(tenant_id);
    }),
  ];

  const checks = {
    async last(tenantId: string): Promise<HealthReport> {
      const tenant = await tenants.get(tenantId);
      return (tenant.deployed && lastReports.get(tenantId)) || lookOnDemand(tenant);
    },
    async check(tenantId: string): Promise<HealthReport> {
      return lookOnDemand(await tenants.get(tenantId));
    },
    history: async (tenantId: string) => ({
      tenant_id: tenantId,
      checks: history.of((await tenants.get(tenantId)).id),
    }),
  };

  return {
    ...checks,
    routes: healthRoutes(checks),
    async runSweep() {
      const begun = await sweep.run();
      await recorder.flush();
      return begun;
    },
    lastDetails(tenantId) {
      const report = lastReports.get(tenantId);
      return report && detailsOf(report);
    },
    stream: async (tenantId) => streams.of((await tenants.get(tenantId)).id),
    proveHealthy: createProof(deps),
    async open() {
      try {
        for await (const kept of historyFile.read()) history.restore(kept, clock.now());
      } catch (error) {
        logger.warn({ message: messageOf(error) }, 'earlier health checks can’t be read');
      }
      opened = true;
    },
    saveHistory: () => historyFile.write(history.all()),
    recheck,
    async close() {
      closed = true;
      for (const stop of listening) stop();
      await sweep.close();
      await recorder.flush().catch(notRecorded);
      // What was not read yet must not be written over.
      if (opened) await historyFile.write(history.all()).catch(notRecorded);
      streams.close();
    },
  };
}

/** The messages kept for a viewer that joins late or comes back. */
const ring = 100;

interface HealthStreams {
  of(tenantId: string): ReplayStream;
  publish(report: HealthReport): void;
  /** Ends a tenant's stream. */
  end(tenantId: string): void;
  close(): void;
}

/** One stream of `health_update` messages a tenant, made when somebody first asks for it: thousands are never looked at. */
function createHealthStreams(): HealthStreams {
  const tails = new Map<string, ReplayStream>();
  return {
    of(tenantId) {
      const tail = tails.get(tenantId) ?? new ReplayStream({ ring });
      tails.set(tenantId, tail);
      return tail;
    },
    publish({ tenant_id, overall_status, checks }) {
      tails.get(tenant_id)?.append({ type: 'health_update', tenant_id, overall_status, checks });
    },
    end(tenantId) {
      tails.get(tenantId)?.close();
      tails.delete(tenantId);
    },
    close() {
      for (const tail of tails.values()) tail.close();
      tails.clear();
    },
  };
}
