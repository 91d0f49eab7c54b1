import type { EventBus } from '../../adapters/events/bus.ts';
import type { Runtime } from '../../adapters/runtimes/runtime.ts';
import type { Store } from '../../adapters/store/store.ts';
import type { Clock } from '../../lib/clock.ts';
import { messageOf } from '../../lib/errors.ts';
import type { Logger } from '../../lib/logger.ts';
import type { ReportListener } from '../health/health.ts';
import type { Tenant, Tenants } from '../tenants/tenants.ts';
import { type AvailabilityDeps, createAvailability } from './availability/availability.ts';
import { availabilityReportText } from './availability/report-text.ts';
import { createMeasurements } from './measurements.ts';
import { type Metric, metricsOf, subjectKinds, type Values } from './metrics.ts';
import { createRecorder } from './recorder.ts';
import { historyRoutes } from './routes.ts';
import { createDownTime, createStartCounter, figuresOf } from './sampling/checks.ts';
import { createDiskSampler } from './sampling/disk.ts';
import { createManagerSampler, createNodeSampler } from './sampling/host.ts';
import { createLatest } from './sampling/latest.ts';
import { createUsageSampler } from './sampling/usage.ts';
import { createHistoryStore } from './store.ts';

export interface HistoryDeps {
  store: Store;
  clock: Clock;
  logger: Logger;
  events: EventBus;
  runtime: Pick<Runtime, 'usage' | 'nodes' | 'freeSpace' | 'data'>;
  tenants: Pick<Tenants, 'get' | 'each'>;
  settings: AvailabilityDeps['settings'];
  dataDirectory: string;
}

/** Measures tenants, nodes and the manager, and keeps it for a year. */
export function createHistory(deps: HistoryDeps) {
  const { clock, logger, tenants } = deps;
  const recorder = createRecorder(createHistoryStore(deps.store), clock);
  const latest = createLatest();
  const starts = createStartCounter();
  const downTime = createDownTime();
  const usage = createUsageSampler(deps);
  const disks = createDiskSampler(deps);
  const nodes = createNodeSampler(deps);
  const manager = createManagerSampler();
  const availability = createAvailability({ ...deps, recorder });

  function addTenant({ id, slug }: Tenant, at: Date, values: Values<'tenant'>): void {
    recorder.add({ kind: 'tenant', id }, at, values);
    latest.set('tenant', id, slug, at, values);
  }

  const stopListening = deps.events.on('tenant_status', ({ tenant_id: id, status }) => {
    if (status !== 'deleted') return;
    latest.forget('tenant', id);
    starts.forget(id);
    downTime.forget(id);
    // What fails here is removed with the next complete hour.
    recorder
      .forget({ kind: 'tenant', id })
      .catch((error: unknown) => logger.warn({ tenant: id, message: messageOf(error) }, 'measurements not removed'));
  });

  return {
    routes: historyRoutes({ measurements: createMeasurements(recorder, clock), availability, tenants }),
    /** Keeps the figures of a health check. */
    record: ((tenant, report, started) => {
      const at = new Date(report.last_check);
      const figures = figuresOf(report);
      addTenant(tenant, at, {
        ...figures,
        tenantry_tenant_restarts: starts.count(tenant.id, started),
        tenantry_tenant_down_seconds: downTime.measure(tenant.id, at, figures.tenantry_tenant_up),
      });
    }) satisfies ReportListener,
    /** Measures what all tenants' units use, at a bounded rate. */
    measureUsage: (signal: AbortSignal) =>
      usage.run((tenant, values) => addTenant(tenant, clock.now(), values), signal),
    /** Measures what all tenants' files use. */
    measureDisk: (signal: AbortSignal) =>
      disks((tenant, bytes) => addTenant(tenant, clock.now(), { tenantry_tenant_disk_bytes: bytes }), signal),
    /** Measures the nodes. @throws AppError runtime_unavailable */
    async measureNodes(): Promise<void> {
      for (const { id, hostname, values } of await nodes()) {
        recorder.add({ kind: 'node', id }, clock.now(), values);
        latest.set('node', id, hostname, clock.now(), values);
      }
    },
    /** Measures the manager. */
    measureManager(): void {
      const values = manager.measure();
      recorder.add({ kind: 'manager', id: '' }, clock.now(), values);
      latest.set('manager', '', '', clock.now(), values);
    },
    /** What `/metrics` shows: the last figures of each subject. */
    gauges: subjectKinds.flatMap((kind) =>
      metricsOf[kind].map(({ name, help }: Metric) => ({
        name,
        help,
        labels: kind === 'manager' ? [] : [kind],
        collect: async () => latest.of(kind, name, clock.now()),
      })),
    ),
    /** The availability report of a month as the text of an e-mail. @param month `2026-11`, in UTC */
    reportText: async (month: string): Promise<string> => availabilityReportText(await availability.report(month)),
    /** Reads what an earlier manager did not roll up. Call it once, before the first measurement. */
    open: () => recorder.open(),
    /** Saves what was measured since the last time; call it about every minute. */
    save: () => recorder.save(),
    async close(): Promise<void> {
      stopListening();
      manager.close();
      await recorder
        .journal()
        .catch((error: unknown) => logger.warn({ message: messageOf(error) }, 'the last measurements were not saved'));
    },
  };
}
