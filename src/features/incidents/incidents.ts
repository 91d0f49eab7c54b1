import type { WriteAuditLog } from '../../adapters/events/audit-log-entry.ts';
import type { EventBus } from '../../adapters/events/bus.ts';
import type { Store } from '../../adapters/store/store.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Route } from '../../lib/http/routing/route.ts';
import type { Logger } from '../../lib/logger.ts';
import type { Health } from '../health/health.ts';
import type { Notify } from '../notifications/alert.ts';
import type { Settings } from '../settings/settings.ts';
import type { Tenants } from '../tenants/tenants.ts';
import { createAnnouncer } from './announcer.ts';
import type { Cause, CauseOf, SystemCause } from './cause.ts';
import { maintenanceRoutes } from './maintenance/routes.ts';
import { createMaintenanceStore } from './maintenance/store.ts';
import { type MaintenanceCheck, maintenanceAt } from './maintenance/window.ts';
import { type IncidentRouteDeps, incidentRoutes } from './routes.ts';
import { createIncidentService } from './service.ts';
import { createIncidentStore, type IncidentStore } from './store.ts';

export { type AlertSources, createAlertSources } from './alert-sources/alert-sources.ts';
export { reportedFaults } from './alert-sources/conditions.ts';
export type { Cause, CauseOf, SystemCause } from './cause.ts';
export type { IncidentChange } from './store.ts';

export interface IncidentsDeps extends IncidentRouteDeps {
  store: Store;
  clock: Clock;
  logger: Logger;
  events: EventBus;
  writeAuditLog: WriteAuditLog;
  tenants: Pick<Tenants, 'find' | 'get'>;
  settings: Pick<Settings, 'read'>;
  health: Pick<Health, 'onCheck' | 'lastFindings'>;
  causeOf: CauseOf;
  /** Whether a cause is that of a unit that fails on its own. */
  isOfUnit(code: string): boolean;
  notify: Notify;
  /** What is wrong with the manager's dependencies. */
  systemCauses(): Promise<SystemCause[]>;
  /** The last lines of a tenant's units that crashed by this cause, if there are any. */
  lastLines?(tenantId: string, cause: Cause): Promise<string | undefined>;
  /** How long an incident that several tenants may join waits for the next one before it is announced, in ms. */
  groupingMs?: number;
}

export interface Incidents {
  routes: Route[];
  /** Continues the incidents of an earlier manager. Call it before the first check. */
  open(): Promise<void>;
  /** Looks for problems of the manager's dependencies. */
  checkSystem(): Promise<void>;
  /** Announces what is due: openings, tenants that joined, reminders, ends. */
  announceDue(): Promise<void>;
  /** Whether a maintenance window covers a tenant at this moment; null: the manager itself. */
  isInMaintenance(at: Date): Promise<MaintenanceCheck>;
  /** What happened to incidents, newest first. */
  changes: IncidentStore['changes'];
  removeEndedBefore(date: Date): Promise<void>;
  /** Resolves when all checks so far have been taken. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

/** Long enough for a sweep to reach the other tenants of a lost node. */
const defaultGroupingMs = 15_000;

/** Which tenants maintenance windows cover at a moment. */
export function createMaintenanceCheck(store: Store): (at: Date) => Promise<MaintenanceCheck> {
  const windows = createMaintenanceStore(store);
  return async (at) => maintenanceAt(await windows.startedBefore(at), at);
}

/** Opens incidents when tenants or the manager's dependencies fail, groups them by cause, and announces them. */
export function createIncidents(deps: IncidentsDeps): Incidents {
  const { store, events, settings } = deps;
  const rows = createIncidentStore(store);
  const windows = createMaintenanceStore(store);
  const isInMaintenance = createMaintenanceCheck(store);
  const service = createIncidentService(rows, {
    ...deps,
    isInMaintenance,
    isInCrashLoop: (tenantId) => deps.health.lastFindings(tenantId)?.crashLoop === true,
    problemsOf: (tenantId) => deps.health.lastFindings(tenantId)?.problems.join('\n') ?? '',
    failuresToOpen: () => settings.read('incident_failures'),
  });
  const announce = createAnnouncer(rows, {
    ...deps,
    isInMaintenance,
    reminderMinutes: () => settings.read('incident_reminder_minutes'),
    groupingMs: deps.groupingMs ?? defaultGroupingMs,
  });
  const subscriptions = [
    deps.health.onCheck(service.onCheck),
    events.on('tenant_status', ({ tenant_id, status }) => {
      if (status === 'deleted') service.onDeleted(tenant_id);
    }),
  ];
  return {
    routes: [...incidentRoutes(rows, service, deps), ...maintenanceRoutes(windows, deps)],
    open: service.open,
    async checkSystem() {
      await service.takeProblems(await deps.systemCauses());
    },
    async announceDue() {
      for (const incident of await announce()) service.publish(incident);
    },
    isInMaintenance,
    changes: rows.changes,
    async removeEndedBefore(date) {
      await rows.removeResolvedBefore(date);
      await windows.removeEndedBefore(date);
    },
    settled: service.settled,
    async close() {
      for (const stop of subscriptions) stop();
      await service.close();
    },
  };
}
