import PQueue from 'p-queue';
import type { Actor, WriteAuditLog } from '../../adapters/events/audit-log-entry.ts';
import type { EventBus } from '../../adapters/events/bus.ts';
import type { Clock } from '../../lib/clock.ts';
import { AppError, messageOf, notFound } from '../../lib/errors.ts';
import type { Logger } from '../../lib/logger.ts';
import type { HealthStatus, Tenants } from '../tenants/tenants.ts';
import {
  type Cause,
  type CauseOf,
  causeKey,
  type FailedStatus,
  isShared,
  keptDiagnosis,
  type SystemCause,
  shownOf,
  unknownCause,
} from './cause.ts';
import { type Incident, type LeaveReason, quietMs, severityOf } from './incident.ts';
import type { MaintenanceCheck } from './maintenance/window.ts';
import { createManagerProblems } from './manager-problems.ts';
import { createRecords } from './records.ts';
import type { IncidentStore } from './store.ts';
import { checksToRecover, DegradedTenants, isTimeToDiagnose, Streaks } from './streaks.ts';

export interface IncidentServiceDeps {
  clock: Clock;
  logger: Logger;
  events: Pick<EventBus, 'publish'>;
  writeAuditLog: WriteAuditLog;
  tenants: Pick<Tenants, 'find'>;
  causeOf: CauseOf;
  /** Whether a unit of the tenant is restarted again and again, whatever the last check saw of it. */
  isInCrashLoop(tenantId: string): boolean;
  /** What a tenant's last check found wrong. */
  problemsOf(tenantId: string): string;
  /** The last lines of a tenant's units that crashed by this cause, if there are any. */
  lastLines?(tenantId: string, cause: Cause): Promise<string | undefined>;
  /** Consecutive failed checks that open an incident. */
  failuresToOpen(): Promise<number>;
  isInMaintenance(at: Date): Promise<MaintenanceCheck>;
  isOfUnit(code: string): boolean;
}

interface FailedCheck {
  status: FailedStatus;
  at: Date;
}

const diagnosedAtOnce = 8;

export type IncidentService = ReturnType<typeof createIncidentService>;

/**
 * Opens incidents for failed checks and resolves them. Open incidents are in the store; in memory are only the counts of
 * consecutive checks, which start again after a restart. Changes are made one at a time.
 */
export function createIncidentService(rows: IncidentStore, deps: IncidentServiceDeps) {
  const { clock, logger, tenants } = deps;
  const records = createRecords(rows, deps);
  const { entry, publish, raise, resolve } = records;
  const queue = new PQueue({ concurrency: 1 });
  /** Apart from the queue: where an engine hangs, each takes seconds. */
  const diagnoses = new PQueue({ concurrency: diagnosedAtOnce });
  const diagnosed = new Set<string>();
  /** The last check of each tenant that waits in the queue. */
  const checks = new Map<string, { status: HealthStatus; at: Date }>();
  const streaks = new Streaks();
  const degraded = new DegradedTenants();
  /** The open incident of each affected tenant. */
  const incidentOf = new Map<string, string>();

  const background = (work: () => Promise<void>): void =>
    void queue.add(work).catch((error: unknown) => {
      logger.error({ message: messageOf(error) }, 'an incident could not be updated');
    });

  /** Finds the cause of a tenant's failed checks, then decides what follows from it. */
  function diagnose(tenantId: string, check: FailedCheck): void {
    if (diagnosed.has(tenantId)) return;
    diagnosed.add(tenantId);
    const work = async (): Promise<void> => {
      try {
        const problems = deps.problemsOf(tenantId);
        const cause = await deps.causeOf(tenantId, check.status);
        background(() =>
          check.status === 'degraded'
            ? takeCauseOfDegraded(tenantId, check, cause, problems)
            : takeCause(tenantId, check, cause),
        );
      } finally {
        diagnosed.delete(tenantId);
      }
    };
    diagnoses.add(work).catch((error: unknown) => {
      logger.warn({ tenant: tenantId, message: messageOf(error) }, 'the cause of failed checks could not be found');
    });
  }

  /** Adds a tenant to the incident of a cause, which is opened if there is none. */
  async function join(tenantId: string, cause: Cause): Promise<void> {
    const tenant = await tenants.find(tenantId);
    if (!tenant || tenant.status === 'stopped') return;
    const { slug, name } = tenant;
    const known = await rows.findOpen(causeKey(cause));
    const former = known ? undefined : await records.former(cause, tenantId);
    const incident = known ?? former ?? (await records.create(cause, tenantId));
    const members = await rows.members([incident.id]);
    const affected = members.filter(({ leftAt }) => leftAt === null).length;
    const [joinedAt, left] = [clock.now(), { leftAt: null, leftReason: null }];
    // One that returns was announced.
    const batch = members.find((member) => member.tenantId === tenantId)?.batch ?? null;
    await rows.transaction(async (within) => {
      if (former) await records.reopen(former, cause, within);
      else if (!known) await rows.insert(incident, within);
      else await raise(known, severityOf(cause, affected + 1), within);
      await rows.saveMember({ incidentId: incident.id, tenantId, slug, name, joinedAt, ...left, batch }, within);
      const kind = known ? 'joined' : former ? 'reopened' : 'opened';
      // One that the manager found has no diagnosis yet.
      const diagnosis = affected === 0 ? keptDiagnosis(cause) : null;
      const text = known ? name : cause.title;
      await rows.addEntry(entry(incident.id, kind, { tenantId, text, diagnosis }), within);
    });
    incidentOf.set(tenantId, incident.id);
    // Those of other tenants with the same cause would say the same.
    if (affected === 0) await attachLog(incident.id, tenantId, cause);
    publish((await rows.find(incident.id)) ?? incident);
    if (!known && isShared(cause.scope)) diagnoseOthers();
  }

  async function attachLog(incidentId: string, tenantId: string, cause: Cause): Promise<void> {
    if ((await rows.entries(incidentId)).some(({ kind }) => kind === 'log')) return;
    const text = await deps.lastLines?.(tenantId, cause).catch(() => undefined);
    if (text) await rows.addEntry(entry(incidentId, 'log', { tenantId, text }));
  }

  /** Failing tenants without an incident may have the cause of one that was just opened. */
  function diagnoseOthers(): void {
    const at = clock.now();
    for (const other of streaks.failing())
      if (!incidentOf.has(other)) diagnose(other, { status: degraded.has(other) ? 'degraded' : 'unhealthy', at });
  }
  const takeProblems = createManagerProblems(rows, {
    records,
    clock,
    failuresToOpen: deps.failuresToOpen,
    onOpened: diagnoseOthers,
  });

  /** Decides whether a degraded check was a failed one. */
  async function takeCauseOfDegraded(
    tenantId: string,
    check: FailedCheck,
    cause: Awaited<ReturnType<CauseOf>>,
    problems: string,
  ): Promise<void> {
    const incidentId = incidentOf.get(tenantId);
    const isKnown = async ({ severity, code, scope }: Cause): Promise<boolean> =>
      severity !== 'info' ||
      (incidentId !== undefined && (await rows.find(incidentId))?.openKey === causeKey({ code, scope }));
    const isFailing = cause !== 'not_failing' && (cause === null || (await isKnown(cause)));
    degraded.save(tenantId, problems, isFailing);
    if (!isFailing) return takeGood(tenantId);
    streaks.bad(tenantId, check.at);
    return takeCause(tenantId, check, cause);
  }

  async function takeCause(
    tenantId: string,
    { status }: FailedCheck,
    cause: Awaited<ReturnType<CauseOf>>,
  ): Promise<void> {
    const bad = streaks.badOf(tenantId);
    if (bad === 0 || cause === 'not_failing') return;
    const incidentId = incidentOf.get(tenantId);
    if (incidentId !== undefined) return cause ? compareCause(tenantId, incidentId, cause) : undefined;
    const isProven = deps.isInCrashLoop(tenantId) || bad >= (await deps.failuresToOpen());
    if (isProven) return join(tenantId, cause ?? unknownCause(tenantId, status));
    // One whose first check failed joins at once if its cause has an incident already.
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

  /** Compares a long failure with its incident: the first diagnosis may have been too early to know its cause, or how often it crashes. */
  async function compareCause(tenantId: string, incidentId: string, cause: Cause): Promise<void> {
    const incident = await rows.find(incidentId);
    if (!incident) return;
    const isSame = causeKey(cause) === incident.openKey;
    if (isSame && cause.diagnosis?.params?.restarts && !incident.causeParams?.restarts)
      await rows.update(incidentId, shownOf(cause));
    if (isSame) return raise(incident, severityOf(cause, 1));
    const isOnlyOne = (await rows.members([incidentId])).filter(({ leftAt }) => leftAt === null).length === 1;
    const other = await rows.findOpen(causeKey(cause));
    if (other || !isOnlyOne || incident.foundByManager === 'failing') {
      await leave(tenantId, 'moved');
      await join(tenantId, cause);
      return;
    }
    await rows.transaction(async (within) => {
      await rows.update(incidentId, { ...shownOf(cause), severity: severityOf(cause, 1) }, within);
      await rows.addEntry(
        entry(incidentId, 'diagnosis_changed', { tenantId, text: cause.title, diagnosis: keptDiagnosis(cause) }),
        within,
      );
    });
    await attachLog(incidentId, tenantId, cause);
    publish(incident);
  }

  async function takeCheck(tenantId: string): Promise<void> {
    const check = checks.get(tenantId);
    checks.delete(tenantId);
    if (!check) return;
    const { status, at } = check;
    if (status === 'unknown') {
      streaks.forget(tenantId);
      degraded.forget(tenantId);
      return leave(tenantId, 'stopped');
    }
    if (status === 'degraded') {
      const isFailing = degraded.isFailing(tenantId, deps.problemsOf(tenantId));
      if (isFailing === false) return takeGood(tenantId);
      if (isFailing && incidentOf.has(tenantId)) streaks.bad(tenantId, at);
      else diagnose(tenantId, { status, at });
      return;
    }
    degraded.forget(tenantId);
    if (status === 'healthy') return takeGood(tenantId);
    const bad = streaks.bad(tenantId, at);
    if (!incidentOf.has(tenantId) || isTimeToDiagnose(bad)) diagnose(tenantId, { status, at });
  }

  async function takeGood(tenantId: string): Promise<void> {
    const { good, sinceMs } = streaks.good(tenantId, clock.now());
    const id = incidentOf.get(tenantId);
    if (id !== undefined) {
      const isCrashLoop = (await rows.find(id))?.causeParams?.restarts !== undefined;
      if (good < checksToRecover || (isCrashLoop && sinceMs < quietMs)) return;
    }
    streaks.forget(tenantId);
    return leave(tenantId, 'recovered');
  }

  async function get(id: string): Promise<Incident> {
    const incident = await rows.find(id);
    if (!incident) throw notFound('incident', id);
    return incident;
  }

  return {
    /** Continues open incidents. Call it before the first check. */
    async open(): Promise<void> {
      for (const { tenantId, incidentId } of await rows.affected()) {
        incidentOf.set(tenantId, incidentId);
        if (!(await tenants.find(tenantId))) await leave(tenantId, 'deleted');
      }
    },

    /** Takes the result of a tenant's check. Good ones of tenants without an incident cost nothing. */
    onCheck(tenantId: string, status: HealthStatus): void {
      const isQueued = checks.has(tenantId);
      const isGood = status === 'healthy' || status === 'unknown';
      const isUsual =
        isGood && !degraded.has(tenantId) && !incidentOf.has(tenantId) && !streaks.has(tenantId) && !isQueued;
      if (isUsual) return;
      checks.set(tenantId, { status, at: clock.now() });
      if (!isQueued) background(() => takeCheck(tenantId));
    },

    onDeleted(tenantId: string): void {
      background(async () => {
        streaks.forget(tenantId);
        degraded.forget(tenantId);
        await leave(tenantId, 'deleted');
      });
    },

    /** Takes the problems of the manager's dependencies. */
    async takeProblems(problems: readonly SystemCause[]): Promise<void> {
      await queue.add(() => takeProblems(problems));
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
    /** Resolves when all checks so far have been taken, and their causes found. */
    async settled(): Promise<void> {
      while (queue.size + queue.pending + diagnoses.size + diagnoses.pending > 0) {
        await diagnoses.onIdle();
        await queue.onIdle();
      }
    },
    /** Ends it: what was not taken yet is checked again after the next start. */
    async close(): Promise<void> {
      diagnoses.clear();
      queue.clear();
      await queue.onIdle();
    },
  };
}
