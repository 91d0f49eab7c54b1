import { type Actor, managerActor } from '../../../adapters/events/audit-log-entry.ts';
import { mapConcurrently } from '../../../lib/concurrency/map-concurrently.ts';
import { AppError, messageOf } from '../../../lib/errors.ts';
import type { Tenant } from '../../tenants/tenant.ts';
import { type BackupKind, type BackupsDeps, backupKinds } from '../backup.ts';
import type { BackupService } from '../service.ts';
import type { Backup, BackupStore, ScheduleRow, ScheduleStore } from '../store.ts';
import { expired, type Keep } from './retention.ts';
import { dueAt, lastRunBefore } from './schedule.ts';

/** The number of failed backups that are kept as a record. */
const keptFailures = 10;
/** The delays of the retries of a failed run; after them, the next scheduled run follows. */
const retryDelaysMs = [10, 30, 90].map((minutes) => minutes * 60_000);
/** A run has made its backup after this time, retries included. */
const runMs = 3 * 3_600_000;
/** Scheduled backups made at a time, without those that take longer than their slot: they go on, next to those of other tenants. */
const concurrency = 2;
const defaultSlotMs = 15 * 60_000;

export interface Schedule {
  tenantId: string;
  /** null: the default applies; empty: none. */
  cron: string | null;
  /** The schedule in effect; empty: none. */
  effectiveCron: string;
  keep: Keep | null;
  effectiveKeep: Keep;
  nextRunAt: Date | null;
}

/** A run of a schedule. */
export interface ScheduledRun {
  at: Date;
  /** Whether it was attempted, or the schedule was set later. */
  attempted: boolean;
}

export type Schedules = ReturnType<typeof createSchedules>;

export function createSchedules(
  { rows, schedules, service }: { rows: BackupStore; schedules: ScheduleStore; service: BackupService },
  deps: BackupsDeps,
  slotMs = defaultSlotMs,
) {
  const { tenants, engine, clock, writeAuditLog, settings } = deps;

  const describe = async (tenantId: string, row: ScheduleRow | undefined): Promise<Schedule> => {
    const effectiveCron = row?.cron ?? (await settings.defaultCron());
    return {
      tenantId,
      cron: row?.cron ?? null,
      effectiveCron,
      keep: row?.keep ?? null,
      effectiveKeep: row?.keep ?? (await settings.defaultKeep()),
      nextRunAt: effectiveCron === '' ? null : nextRun(effectiveCron, row, tenantId),
    };
  };

  function nextRun(cron: string, row: ScheduleRow | undefined, tenantId: string): Date | null {
    const regular = dueAt(cron, row?.countedFrom ?? clock.now(), tenantId);
    const retry = row?.retryAt ?? null;
    return retry !== null && (regular === null || retry < regular) ? retry : regular;
  }

  async function isDue(tenant: Tenant): Promise<boolean> {
    let row = await schedules.find(tenant.id);
    if (row && row.countedFrom > clock.now()) {
      // The clock was ahead before: without this reset, no run would be due until that time.
      row = { ...row, countedFrom: clock.now(), retryAt: null, retries: 0 };
      await schedules.update(tenant.id, row);
    }
    const { effectiveCron, nextRunAt } = await describe(tenant.id, row);
    if (effectiveCron === '') return false;
    // Runs count from the time when a schedule first applies to the tenant.
    if (!row) await schedules.save(newRow(tenant.id, null, null));
    return row !== undefined && nextRunAt !== null && nextRunAt <= clock.now();
  }

  const newRow = (tenantId: string, cron: string | null, keep: Keep | null): ScheduleRow => ({
    tenantId,
    cron,
    keep,
    countedFrom: clock.now(),
    retryAt: null,
    retries: 0,
  });

  /** A failed run is in the catalogue and the journal, and is retried a few times before the next scheduled run. */
  async function run(tenant: Tenant): Promise<void> {
    if (engine.isBusy(tenant.id)) return;
    const { retryAt, retries } = (await schedules.find(tenant.id)) ?? newRow(tenant.id, null, null);
    const attempts = retryAt === null ? 0 : (retries ?? 0);
    await schedules.update(tenant.id, { countedFrom: clock.now(), retryAt: null, retries: 0 });
    try {
      await (await service.create(tenant.id, 'scheduled', managerActor)).done;
    } catch (error) {
      const delayMs = retryDelaysMs[attempts];
      const isStopping = error instanceof AppError && error.code === 'shutting_down';
      if (delayMs !== undefined && !isStopping)
        await schedules.update(tenant.id, {
          retryAt: new Date(clock.now().getTime() + delayMs),
          retries: attempts + 1,
        });
      if (error instanceof AppError) return;
      throw error;
    }
    await retain(tenant.id);
  }

  /** Ends with the run or with its slot. */
  async function inSlot(tenant: Tenant): Promise<void> {
    const slot = Promise.withResolvers<void>();
    const timer = setTimeout(slot.resolve, slotMs).unref();
    const running = run(tenant);
    await Promise.race([running, slot.promise]).finally(() => clearTimeout(timer));
    running.catch((error: unknown) =>
      writeAuditLog({
        level: 'error',
        category: 'system',
        message: `The scheduled backup failed: ${messageOf(error)}`,
        tenant,
      }),
    );
  }

  async function retain(tenantId: string): Promise<void> {
    // A running operation may need its backups for a rollback.
    if (engine.isBusy(tenantId)) return;
    const all = await rows.all({ tenantId });
    const { effectiveKeep } = await describe(tenantId, await schedules.find(tenantId));
    const own = { last: await settings.keptOfOwnKinds(), daily: 0, weekly: 0, monthly: 0 };
    // Backups that a user requested stay until a user deletes them.
    const keepOf: Record<BackupKind, Keep | null> = {
      manual: null,
      scheduled: effectiveKeep,
      safety: own,
      upgrade: own,
    };
    const gone = new Set<string>();
    for (const kind of backupKinds) {
      const keep = keepOf[kind];
      const complete = all.filter((backup) => backup.kind === kind && backup.status === 'complete');
      if (keep) for (const id of expired(complete, keep)) gone.add(id);
    }
    for (const { id } of all.filter(({ status }) => status === 'failed').slice(keptFailures)) gone.add(id);
    // Until someone confirms a loss, the backups from before it may be needed.
    const lossy = all.findLast(({ loss }) => loss && loss.confirmedBy === null);
    const stays = ({ createdAt, status }: Backup): boolean =>
      lossy !== undefined && status === 'complete' && createdAt < lossy.createdAt;
    for (const backup of all) if (gone.has(backup.id) && !stays(backup)) await service.discard(backup);
  }

  return {
    /** @throws AppError not_found */
    async get(tenantId: string): Promise<Schedule> {
      await tenants.get(tenantId);
      return describe(tenantId, await schedules.find(tenantId));
    },

    async set(
      tenantId: string,
      { cron, keep }: { cron: string | null; keep: Keep | null },
      actor: Actor,
    ): Promise<Schedule> {
      const tenant = await tenants.get(tenantId);
      const row = newRow(tenantId, cron, keep);
      await schedules.save(row);
      await writeAuditLog({
        level: 'info',
        category: 'audit',
        topic: 'backup',
        message: `${actor.username} changed the backup schedule`,
        tenant,
        details: { user_id: actor.userId, username: actor.username, cron, keep },
      });
      return describe(tenantId, row);
    },

    /** @see lastRunsOf */
    lastRuns: async (tenantIds: readonly string[]) =>
      lastRunsOf(tenantIds, { schedules, defaultCron: await settings.defaultCron(), now: clock.now() }),

    /** Makes the backups that are due and applies the retention to their tenants. */
    async runDue(signal: AbortSignal): Promise<void> {
      await mapConcurrently(dueTenants(signal), concurrency, inSlot);
    },

    /** Removes expired backups of all tenants. */
    async applyRetention(signal: AbortSignal): Promise<void> {
      for await (const tenant of tenants.each()) {
        if (signal.aborted) return;
        await retain(tenant.id).catch((error: unknown) =>
          writeAuditLog({
            level: 'error',
            category: 'system',
            message: `Old backups could not be removed: ${messageOf(error)}`,
            tenant,
          }),
        );
      }
    },
  };

  /** Shared by several workers; each tenant goes to one of them. */
  async function* dueTenants(signal: AbortSignal): AsyncGenerator<Tenant> {
    for await (const tenant of tenants.each({ deployedOnly: true })) {
      if (signal.aborted) return;
      if (await isDue(tenant)) yield tenant;
    }
  }
}

/** For each of these tenants with a schedule, the last run that must have ended by now. */
export async function lastRunsOf(
  tenantIds: readonly string[],
  { schedules, defaultCron, now }: { schedules: Pick<ScheduleStore, 'of'>; defaultCron: string; now: Date },
): Promise<Map<string, ScheduledRun>> {
  const before = new Date(now.getTime() - runMs);
  const rows = new Map((await schedules.of(tenantIds)).map((row) => [row.tenantId, row]));
  // Most tenants share a schedule; the empty one has no runs.
  const runs = new Map<string, Date | null>([['', null]]);
  const found = new Map<string, ScheduledRun>();
  for (const id of tenantIds) {
    const row = rows.get(id);
    const cron = row?.cron ?? defaultCron;
    if (!runs.has(cron)) runs.set(cron, lastRunBefore(cron, before));
    const at = runs.get(cron);
    if (at && row) found.set(id, { at, attempted: row.countedFrom >= at });
  }
  return found;
}
