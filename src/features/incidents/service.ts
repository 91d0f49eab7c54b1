import PQueue from 'p-queue';
import type { Actor, WriteAuditLog } from '../../adapters/events/audit-log-entry.ts';
import type { EventBus } from '../../adapters/events/bus.ts';
import type { Transaction } from '../../adapters/store/store.ts';
import type { Clock } from '../../lib/clock.ts';
import { AppError, messageOf, notFound } from '../../lib/errors.ts';
import { newId } from '../../lib/ids.ts';
import type { Logger } from '../../lib/logger.ts';
import type { HealthStatus, Tenants } from '../tenants/tenants.ts';
import { type Cause, type CauseOf, causeKey, isShared, type SystemCause, unknownCause } from './cause.ts';
import { durationText, type Incident, isTimeToDiagnose, type LeaveReason, Streaks, severityOf } from './incident.ts';
import type { MaintenanceCheck } from './maintenance/window.ts';
import type { Entry, IncidentStore } from './store.ts';

export interface IncidentServiceDeps {
  clock: Clock;
  logger: Logger;
  events: Pick<EventBus, 'publish'>;
  writeAuditLog: WriteAuditLog;
  tenants: Pick<Tenants, 'find'>;
  causeOf: CauseOf;
  /** The last lines of a tenant's crashed unit, if there are any. */
  lastLines?(tenantId: string): Promise<string | undefined>;
  /** Consecutive failed checks that open an incident. */
  failuresToOpen(): Promise<number>;
  isInMaintenance(at: Date): Promise<MaintenanceCheck>;
}

/** Consecutive good checks after which a tenant has recovered. */
const checksToRecover = 2;
const systemPrefix = 'manager ';

export type IncidentService = ReturnType<typeof createIncidentService>;

/**
 * Opens incidents for failed checks and resolves them. Open incidents are in the store; in memory are only the counts of
 * consecutive checks, which start again after a restart. Changes are made one at a time.
 */
export function createIncidentService(rows: IncidentStore, deps: IncidentServiceDeps) {
  const { clock, events, logger, tenants } = deps;
  const queue = new PQueue({ concurrency: 1 });
  const streaks = new Streaks();
  /** The open incident of each affected tenant. */
  const incidentOf = new Map<string, string>();

  const publish = ({ id, status }: Pick<Incident, 'id' | 'status'>): void =>
    events.publish({ type: 'incident', tenant_id: null, incident_id: id, status });
  const entry = (incidentId: string, kind: Entry['kind'], more: Partial<Entry> = {}): Entry => ({
    incidentId,
    at: clock.now(),
    kind,
    tenantId: null,
    username: null,
    text: null,
    ...more,
  });
  const background = (work: () => Promise<void>): void =>
    void queue.add(work).catch((error: unknown) => {
      logger.error({ message: messageOf(error) }, 'an incident could not be updated');
    });

  async function newIncident(cause: Cause, tenantId: string | null, more: Partial<Incident>): Promise<Incident> {
    const openedAt = clock.now();
    const isInMaintenance = await deps.isInMaintenance(openedAt);
    return {
      id: newId(),
      openKey: causeKey(cause),
      severity: severityOf(cause.scope.kind, 1),
      title: cause.title,
      detail: null,
      remedy: cause.remedy,
      causeCode: cause.code,
      scopeKind: cause.scope.kind,
      scopeName: cause.scope.name,
      status: 'open',
      foundByManager: 'none',
      inMaintenance: isInMaintenance(tenantId),
      openedAt,
      acknowledgedBy: null,
      acknowledgedAt: null,
      resolvedAt: null,
      announced: 0,
      reminders: 0,
      notifiedAt: null,
      closed: false,
      ...more,
    };
  }

  /** Adds a tenant to the incident of a cause, which is opened if there is none. */
  async function join(tenantId: string, cause: Cause): Promise<void> {
    const tenant = await tenants.find(tenantId);
    if (!tenant || tenant.status === 'stopped') return;
    const { slug, name } = tenant;
    const known = await rows.findOpen(causeKey(cause));
    const incident = known ?? (await newIncident(cause, tenantId, {}));
    const affected = known ? (await rows.members([known.id])).filter(({ leftAt }) => leftAt === null).length : 0;
    const [joinedAt, left] = [clock.now(), { leftAt: null, leftReason: null }];
    await rows.transaction(async (within) => {
      if (!known) await rows.insert(incident, within);
      else if (affected > 0)
        await rows.update(known.id, { severity: severityOf(known.scopeKind, affected + 1) }, within);
      await rows.saveMember({ incidentId: incident.id, tenantId, slug, name, joinedAt, ...left, batch: null }, within);
      const kind = known ? 'joined' : 'opened';
      await rows.addEntry(entry(incident.id, kind, { tenantId, text: known ? name : cause.title }), within);
    });
    incidentOf.set(tenantId, incident.id);
    await attachLog(incident.id, tenantId, cause);
    publish(incident);
    if (!known && isShared(cause.scope)) for (const other of streaks.failing()) background(() => joinIfShared(other));
  }

  async function attachLog(incidentId: string, tenantId: string, { scope }: Cause): Promise<void> {
    if (isShared(scope)) return;
    const text = await deps.lastLines?.(tenantId).catch(() => undefined);
    if (text) await rows.addEntry(entry(incidentId, 'log', { tenantId, text }));
  }

  /** A tenant whose first check failed joins at once if its cause has an incident already. */
  async function joinIfShared(tenantId: string): Promise<void> {
    if (tenantId.startsWith(systemPrefix) || incidentOf.has(tenantId)) return;
    const cause = await deps.causeOf(tenantId);
    if (cause && isShared(cause.scope) && (await rows.findOpen(causeKey(cause)))) await join(tenantId, cause);
  }

  async function leave(tenantId: string, reason: LeaveReason): Promise<void> {
    const id = incidentOf.get(tenantId);
    incidentOf.delete(tenantId);
    const incident = id === undefined ? undefined : await rows.find(id);
    if (!incident || incident.status === 'resolved') return;
    const members = await rows.members([incident.id]);
    const member = members.find((one) => one.tenantId === tenantId);
    const isOver =
      incident.foundByManager !== 'failing' && !members.some((one) => one.leftAt === null && one.tenantId !== tenantId);
    await rows.transaction(async (within) => {
      await rows.updateMembers(incident.id, [tenantId], { leftAt: clock.now(), leftReason: reason }, within);
      const text = reason === 'recovered' ? (member?.name ?? null) : `${member?.name ?? tenantId}: ${reason}`;
      await rows.addEntry(
        entry(incident.id, reason === 'recovered' ? 'recovered' : 'left', { tenantId, text }),
        within,
      );
      // The incident of the other cause is announced instead.
      if (isOver) await resolve(incident, { closed: reason === 'moved' }, within);
    });
    publish({ id: incident.id, status: isOver ? 'resolved' : incident.status });
  }

  async function resolve(incident: Incident, more: { closed: boolean }, within: Transaction): Promise<void> {
    const resolvedAt = clock.now();
    await rows.update(incident.id, { status: 'resolved', resolvedAt, openKey: null, ...more }, within);
    const text = `after ${durationText(resolvedAt.getTime() - incident.openedAt.getTime())}`;
    await rows.addEntry(entry(incident.id, 'resolved', { text }), within);
  }

  /** Compares a long failure with its incident: the first diagnosis may have been too early. */
  async function diagnoseAgain(tenantId: string, incidentId: string): Promise<void> {
    const [cause, incident] = [await deps.causeOf(tenantId), await rows.find(incidentId)];
    if (!cause || !incident || causeKey(cause) === incident.openKey) return;
    const { code: causeCode, title, remedy, scope } = cause;
    const isOnlyOne = (await rows.members([incidentId])).filter(({ leftAt }) => leftAt === null).length === 1;
    const other = await rows.findOpen(causeKey(cause));
    if (other || !isOnlyOne || incident.foundByManager === 'failing') {
      await leave(tenantId, 'moved');
      await join(tenantId, cause);
      return;
    }
    const changes = { openKey: causeKey(cause), causeCode, title, remedy };
    await rows.transaction(async (within) => {
      const place = { scopeKind: scope.kind, scopeName: scope.name, severity: severityOf(scope.kind, 1) };
      await rows.update(incidentId, { ...changes, ...place }, within);
      await rows.addEntry(entry(incidentId, 'diagnosis_changed', { tenantId, text: title }), within);
    });
    publish(incident);
  }

  async function takeCheck(tenantId: string, status: HealthStatus): Promise<void> {
    if (status === 'unknown') {
      streaks.forget(tenantId);
      return leave(tenantId, 'stopped');
    }
    const incidentId = incidentOf.get(tenantId);
    if (status !== 'unhealthy') {
      const good = streaks.good(tenantId);
      if (incidentId !== undefined && good < checksToRecover) return;
      streaks.forget(tenantId);
      return leave(tenantId, 'recovered');
    }
    const bad = streaks.bad(tenantId, clock.now());
    if (incidentId !== undefined) return isTimeToDiagnose(bad) ? diagnoseAgain(tenantId, incidentId) : undefined;
    if (bad < (await deps.failuresToOpen())) return joinIfShared(tenantId);
    await join(tenantId, (await deps.causeOf(tenantId)) ?? unknownCause(tenantId));
  }

  async function openForManager(cause: SystemCause): Promise<void> {
    const known = await rows.findOpen(causeKey(cause));
    if (known?.foundByManager === 'failing') return;
    const severity = cause.severity === 'warning' ? 'warning' : severityOf(cause.scope.kind, 1);
    const found = { foundByManager: 'failing', detail: cause.detail } as const;
    const incident = known ?? (await newIncident(cause, null, { ...found, severity }));
    await rows.transaction(async (within) => {
      if (known) await rows.update(known.id, found, within);
      else await rows.insert(incident, within);
      await rows.addEntry(entry(incident.id, known ? 'diagnosis_changed' : 'opened', { text: cause.title }), within);
    });
    publish(incident);
    for (const other of streaks.failing()) background(() => joinIfShared(other));
  }

  async function recoverForManager(incident: Incident): Promise<void> {
    const isAffected = (await rows.members([incident.id])).some(({ leftAt }) => leftAt === null);
    await rows.transaction(async (within) => {
      await rows.update(incident.id, { foundByManager: 'recovered' }, within);
      if (!isAffected) await resolve(incident, { closed: false }, within);
    });
    publish({ id: incident.id, status: isAffected ? incident.status : 'resolved' });
  }

  async function get(id: string): Promise<Incident> {
    const incident = await rows.find(id);
    if (!incident) throw notFound('incident', id);
    return incident;
  }

  return {
    /** Takes up open incidents. Call it before the first check. */
    async open(): Promise<void> {
      for (const { tenantId, incidentId } of await rows.affected()) {
        incidentOf.set(tenantId, incidentId);
        if (!(await tenants.find(tenantId))) await leave(tenantId, 'deleted');
      }
    },

    /** Takes the result of a tenant's check. Good ones of tenants without an incident cost nothing. */
    onCheck(tenantId: string, status: HealthStatus): void {
      const isUsual = status !== 'unhealthy' && !incidentOf.has(tenantId) && !streaks.has(tenantId);
      if (!isUsual) background(() => takeCheck(tenantId, status));
    },

    onDeleted(tenantId: string): void {
      streaks.forget(tenantId);
      background(() => leave(tenantId, 'deleted'));
    },

    /** Takes the problems of the manager's dependencies. */
    async takeProblems(problems: readonly SystemCause[]): Promise<void> {
      const present = new Map(problems.map((cause) => [causeKey(cause), cause]));
      await queue.add(async () => {
        const needed = await deps.failuresToOpen();
        for (const [key, cause] of present)
          if (streaks.bad(systemPrefix + key, clock.now()) >= needed) await openForManager(cause);
        const open = (await rows.unresolved()).filter(({ foundByManager }) => foundByManager === 'failing');
        for (const incident of open) {
          const key = incident.openKey ?? '';
          if (!present.has(key) && streaks.good(systemPrefix + key) >= checksToRecover)
            await recoverForManager(incident);
        }
        for (const name of streaks.names())
          if (name.startsWith(systemPrefix) && !present.has(name.slice(systemPrefix.length))) {
            const isOpen = open.some(({ openKey }) => systemPrefix + openKey === name);
            if (!isOpen) streaks.forget(name);
          }
      });
    },

    get,

    /** @throws AppError not_found, invalid_state once it is resolved */
    async acknowledge(id: string, actor: Actor): Promise<void> {
      await queue.add(async () => {
        const incident = await get(id);
        if (incident.status === 'resolved') throw new AppError('invalid_state', 'The incident is resolved');
        if (incident.status === 'acknowledged') return;
        const by = { username: actor.username };
        await rows.transaction(async (within) => {
          const changes = { acknowledgedBy: actor.username, acknowledgedAt: clock.now() };
          await rows.update(id, { status: 'acknowledged', ...changes }, within);
          await rows.addEntry(entry(id, 'acknowledged', by), within);
        });
        await deps.writeAuditLog({
          level: 'info',
          category: 'audit',
          message: `${actor.username} acknowledged the incident: ${incident.title}`,
          details: { user_id: actor.userId, username: actor.username, incident_id: id },
        });
        publish({ id, status: 'acknowledged' });
      });
    },

    /** @throws AppError not_found */
    async addNote(id: string, text: string, actor: Actor): Promise<void> {
      const incident = await get(id);
      await rows.addEntry(entry(id, 'note', { username: actor.username, text }));
      publish(incident);
    },

    publish,
    /** Resolves when all checks so far have been taken. */
    settled: (): Promise<void> => queue.onIdle(),
  };
}
