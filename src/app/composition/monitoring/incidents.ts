import { type UnitState, unitRoles } from '../../../adapters/runtimes/runtime.ts';
import type { Store } from '../../../adapters/store/store.ts';
import { type CauseCode, isOfApplication, isOfUnit, visibleTo } from '../../../features/diagnosis/diagnosis.ts';
import { unseenFaultCodes } from '../../../features/diagnosis/unseen-faults.ts';
import type { SystemProblem } from '../../../features/health/system/problems.ts';
import {
  type AlertSources,
  type Cause,
  type CauseOf,
  createAlertSources,
  createIncidents,
  type Incidents,
  type SystemCause,
} from '../../../features/incidents/incidents.ts';
import { spaceOf } from '../../../features/tenants/tenants.ts';
import { createTimeline } from '../../../features/timeline/timeline.ts';
import { systemClock } from '../../../lib/clock.ts';
import type { Route } from '../../../lib/http/routing/route.ts';
import type { Logger } from '../../../lib/logger.ts';
import type { App } from '../app.ts';
import type { System } from './system.ts';

/** What watches over tenants and the manager. */
export interface Alarms {
  incidents: Incidents;
  alertSources: AlertSources;
  routes: Route[];
}

/** Lines of a crashed unit's log that its incident keeps, and how many characters of each. */
const keptLines = 200;
const maxLineLength = 500;

/** A unit that runs may have crashed shortly before. In ms. */
const latelyMs = 10 * 60_000;

function hasEndedLately({ state, waiting, lastExit }: UnitState): boolean {
  if (state === 'inactive' && waiting !== true) return true;
  return lastExit !== undefined && (lastExit.at === null || Date.now() - lastExit.at.getTime() < latelyMs);
}

/** Causes of tenants that are well or were stopped, and of those that an operation is changing. */
const notFailing = new Set<CauseCode>([
  'operation_running',
  'not_deployed',
  'stopped',
  'certificate_expiring',
  ...unseenFaultCodes,
]);

/** How bad a cause is while pages answer: without their database or a step, users cannot work. Others are announced elsewhere. */
function severityWhileDegraded(code: CauseCode): SystemCause['severity'] | 'info' {
  if (code.startsWith('database_') || code === 'disk_full' || code === 'user_steps_failed') return 'error';
  return code === 'page_missing' ? 'warning' : 'info';
}

/** Incidents, and the alerts about other events. */
export function composeIncidents({
  app,
  store,
  system,
  logger,
}: {
  app: App;
  store: Store;
  system: System;
  logger: Logger;
}): Alarms {
  const {
    auditLog,
    backups,
    deploymentStore,
    diagnosis,
    events,
    fleets,
    health,
    history,
    logArchive,
    runtime,
    settings,
    sites,
    tenants,
    upgrades,
  } = app;
  const { lastAlert, notify, receipts, withdraw } = app.notifications;
  const systemCauses = async (): Promise<SystemCause[]> => (await system.problems()).flatMap(causeOfProblem);

  /** What the diagnosis finds, or else what the checks found. */
  const causeOf: CauseOf = async (tenantId, status) => {
    const { cause, known } = await diagnosis.of(tenantId);
    if (cause ? notFailing.has(cause.code) : known) return 'not_failing';
    const isDegraded = status === 'degraded';
    if (cause) {
      const severity = isDegraded ? severityWhileDegraded(cause.code) : 'error';
      const { code, title, scope } = cause;
      return { code, title, scope, remedy: cause.remedy?.text ?? null, severity, diagnosis: cause };
    }
    const [problem] = health.lastFindings(tenantId)?.problems ?? [];
    if (problem === undefined) return null;
    return {
      code: 'failed_check',
      title: problem,
      scope: { kind: 'tenant', name: tenantId },
      remedy: null,
      severity: isDegraded ? 'warning' : 'error',
      diagnosis: null,
    };
  };

  /** The last lines of the units that have ended lately: those of the others say nothing about it. */
  async function lastLines(tenantId: string, { code, scope }: Cause): Promise<string | undefined> {
    if (scope.kind !== 'tenant' && !isOfApplication(code)) return undefined;
    const tenant = spaceOf(await tenants.get(tenantId));
    const kept = unitRoles.map(async (role) => {
      if (!hasEndedLately(await runtime.inspect({ tenant, role }))) return [];
      const found = await logArchive.lastLines(tenantId, role, keptLines);
      return found.map(({ time, message }) => ({
        time: time ?? 0,
        text: `${role}: ${message.slice(0, maxLineLength)}`,
      }));
    });
    const lines = (await Promise.all(kept)).flat().sort((one, other) => one.time - other.time);
    return lines.map(({ time, text }) => (time === 0 ? text : `${new Date(time).toISOString()} ${text}`)).join('\n');
  }

  const incidents = createIncidents({
    store,
    clock: systemClock,
    logger,
    notify,
    receipts,
    visibleTo,
    tenants,
    events,
    writeAuditLog: auditLog.write,
    settings,
    health,
    causeOf,
    isOfUnit,
    systemCauses,
    lastLines,
  });
  const timeline = createTimeline({ auditLog, operations: deploymentStore, incidents, tenants });

  return {
    incidents,
    routes: [...incidents.routes, ...timeline.routes],
    alertSources: createAlertSources({
      store,
      clock: systemClock,
      logger,
      notify,
      writeAuditLog: auditLog.write,
      tenants,
      endedSince: deploymentStore.endedSince,
      ofFleets: fleets.operationsAmong,
      tenantsOfFleet: fleets.tenantsOf,
      entriesAfter: auditLog.after,
      lastEntry: auditLog.lastSeq,
      reportText: history.reportText,
      attention: async () => (await system.attention.collect()).items,
      unseenFaults: system.unseenFaults.of,
      missingDrills: backups.drills.missing,
      drillVerdict: backups.drills.verdictStep,
      isInMaintenance: incidents.isInMaintenance,
      certificateOf: sites.certificateOf,
      updateOf: upgrades.updates.updateOf,
      lastAlert,
      withdraw,
      reminderMinutes: () => settings.read('incident_reminder_minutes'),
    }),
  };
}

const titles = {
  engine: 'The engine is unavailable',
  proxy: 'The reverse proxy is unavailable',
  disk: 'Little disk space is left',
} as const;
const remedies = {
  engine: 'Start the engine, and check that the manager may reach it.',
  node: 'Start the node and mount its storage, or drain it so that its tenants move.',
  proxy: 'Start the reverse proxy, and check its log.',
  disk: 'Delete old backups and images, or enlarge the disk.',
} as const;

/** Problems that are incidents; the others only need attention. */
function causeOfProblem({ kind, severity, name, cause: detail }: SystemProblem): SystemCause[] {
  if (kind === 'site' || kind === 'warning') return [];
  // What is wrong with a node is in its text.
  const title = kind === 'node' ? detail : titles[kind];
  const scope = { kind, name };
  return [{ code: `${kind}_problem`, title, scope, remedy: remedies[kind], severity, detail, diagnosis: null }];
}
