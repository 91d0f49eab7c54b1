import { unitRoles } from '../../../adapters/runtimes/runtime.ts';
import type { Store } from '../../../adapters/store/store.ts';
import type { CauseCode } from '../../../features/diagnosis/diagnosis.ts';
import type { SystemProblem } from '../../../features/health/system/problems.ts';
import {
  type AlertSources,
  type CauseOf,
  createAlertSources,
  createIncidents,
  type Incidents,
  type SystemCause,
} from '../../../features/incidents/incidents.ts';
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

/** Lines of a crashed unit's log that its incident keeps, and how much of each. */
const keptLines = 200;
const maxLineLength = 500;

/** Causes of tenants that are well or were stopped, and of those that an operation is changing. */
const notFailing = new Set<CauseCode>([
  'operation_running',
  'not_deployed',
  'stopped',
  'dns_missing',
  'dns_elsewhere',
  'certificate_expiring',
  'api_key_refused',
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
    settings,
    sites,
    tenants,
    upgrades,
  } = app;
  const { notify } = app.notifications;
  const systemCauses = async (): Promise<SystemCause[]> => (await system.problems()).flatMap(causeOfProblem);

  /** What the diagnosis finds, or else what the checks found. */
  const causeOf: CauseOf = async (tenantId, status) => {
    const { cause, known } = await diagnosis.of(tenantId);
    if (cause ? notFailing.has(cause.code) : known) return 'not_failing';
    const isDegraded = status === 'degraded';
    if (cause) {
      const severity = isDegraded ? severityWhileDegraded(cause.code) : 'error';
      return { ...cause, remedy: cause.remedy?.text ?? null, severity };
    }
    const [problem] = health.lastFindings(tenantId)?.problems ?? [];
    if (problem === undefined) return null;
    const scope = { kind: 'tenant', name: tenantId };
    return { code: 'failed_check', title: problem, scope, remedy: null, severity: isDegraded ? 'warning' : 'error' };
  };

  const incidents = createIncidents({
    store,
    clock: systemClock,
    logger,
    notify,
    tenants,
    events,
    writeAuditLog: auditLog.write,
    settings,
    health,
    causeOf,
    systemCauses,
    lastLines: async (tenantId) => {
      const { status } = await tenants.get(tenantId);
      const isDown = health.lastFindings(tenantId)?.problems.some((problem) => problem.startsWith('services: '));
      if (!isDown && status !== 'error') return undefined;
      const kept = unitRoles.map(async (role) => {
        const found = await logArchive.lastLines(tenantId, role, keptLines);
        return found.map(({ time, message }) => ({
          time: time ?? 0,
          text: `${role}: ${message.slice(0, maxLineLength)}`,
        }));
      });
      const lines = (await Promise.all(kept)).flat().sort((one, other) => one.time - other.time);
      return lines.map(({ time, text }) => (time === 0 ? text : `${new Date(time).toISOString()} ${text}`)).join('\n');
    },
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
      entriesAfter: auditLog.after,
      lastEntry: auditLog.lastSeq,
      reportText: history.reportText,
      attention: async () => (await system.attention.collect()).items,
      missingDrills: backups.drills.missing,
      certificateOf: sites.certificateOf,
      updateOf: upgrades.updates.updateOf,
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
  return [{ code: `${kind}_problem`, title, scope: { kind, name }, remedy: remedies[kind], severity, detail }];
}
