import { type Actor, managerActor } from '../../../adapters/events/journal-entry.ts';
import { AppError, messageOf } from '../../../lib/errors.ts';
import type { Tenant } from '../../tenants/tenant.ts';
import { type BackupKind, backupKinds } from '../backup.ts';
import type { BackupDependencies } from '../dependencies.ts';
import type { BackupService } from '../service.ts';
import type { BackupStore, ScheduleRow, ScheduleStore } from '../store.ts';
import { expired, type Keep } from './retention.ts';
import { dueAt } from './schedule.ts';

/** Failed ones are kept as a record, so many. */
const keptFailures = 10;
/** Pauses before a run that failed is tried again; then the next run at its time is waited for. */
const retryPausesMs = [10, 30, 90].map((minutes) => minutes * 60_000);
/** Backups made at a time. */
const lanes = 2;

export interface Schedule {
  tenantId: string;
  /** null: the default holds; empty: none. */
  cron: string | null;
  /** What holds; empty: none. */
  effectiveCron: string;
  keep: Keep | null;
  effectiveKeep: Keep;
  nextRunAt: Date | null;
}

export interface Schedules {
  /** @throws AppError not_found */
  get(tenantId: string): Promise<Schedule>;
  set(tenantId: string, changes: { cron: string | null; keep: Keep | null }, actor: Actor): Promise<Schedule>;
  /** Makes the backups that are due, then removes what is kept no longer. */
  runDue(signal: AbortSignal): Promise<void>;
  /** Removes what is kept no longer of all tenants. */
  applyRetention(signal: AbortSignal): Promise<void>;
}

interface Parts {
  rows: BackupStore;
  schedules: ScheduleStore;
  service: BackupService;
}

type Deps = Pick<BackupDependencies, 'tenants' | 'engine' | 'clock' | 'journal' | 'settings'>;

export function createSchedules({ rows, schedules, service }: Parts, deps: Deps): Schedules {
  const { tenants, engine, clock, journal, settings } = deps;

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
      // The clock was ahead then: counted from there, no run would come until that time has really come.
      row = { ...row, countedFrom: clock.now(), retryAt: null, retries: 0 };
      await schedules.update(tenant.id, row);
    }
    const { effectiveCron, nextRunAt } = await describe(tenant.id, row);
    if (effectiveCron === '') return false;
    // Counted from when a schedule first holds for it.
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

  /** One that fails has its row and its line in the journal, and is tried again a few times before the next. */
  async function run(tenant: Tenant): Promise<void> {
    if (engine.isBusy(tenant.id)) return;
    const { retryAt, retries } = (await schedules.find(tenant.id)) ?? newRow(tenant.id, null, null);
    const tried = retryAt === null ? 0 : (retries ?? 0);
    await schedules.update(tenant.id, { countedFrom: clock.now(), retryAt: null, retries: 0 });
    try {
      await (await service.create(tenant.id, 'scheduled', managerActor)).done;
    } catch (error) {
      const pauseMs = retryPausesMs[tried];
      const ended = error instanceof AppError && error.code === 'shutting_down';
      if (pauseMs !== undefined && !ended)
        await schedules.update(tenant.id, {
          retryAt: new Date(clock.now().getTime() + pauseMs),
          retries: tried + 1,
        });
      if (error instanceof AppError) return;
      throw error;
    }
    await retain(tenant.id);
  }

  async function retain(tenantId: string): Promise<void> {
    // What an operation may go back to stays until it has ended.
    if (engine.isBusy(tenantId)) return;
    const all = await rows.all({ tenantId });
    const { effectiveKeep } = await describe(tenantId, await schedules.find(tenantId));
    const own = { last: await settings.keptOfOwnKinds(), daily: 0, weekly: 0, monthly: 0 };
    // Kept until somebody deletes them: those that somebody asked for.
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
    for (const backup of all) if (gone.has(backup.id)) await service.discard(backup);
  }

  return {
    async get(tenantId) {
      await tenants.get(tenantId);
      return describe(tenantId, await schedules.find(tenantId));
    },

    async set(tenantId, { cron, keep }, actor) {
      const tenant = await tenants.get(tenantId);
      const row = newRow(tenantId, cron, keep);
      await schedules.save(row);
      await journal({
        level: 'info',
        category: 'audit',
        message: `${actor.username} changed the backup schedule`,
        tenant,
        details: { user_id: actor.userId, username: actor.username, cron, keep },
      });
      return describe(tenantId, row);
    },

    async runDue(signal) {
      const due = dueTenants(signal);
      const lane = async (): Promise<void> => {
        for await (const tenant of due) await run(tenant);
      };
      await Promise.all(Array.from({ length: lanes }, lane));
    },

    async applyRetention(signal) {
      for await (const tenant of tenants.each()) {
        if (signal.aborted) return;
        await retain(tenant.id).catch((error: unknown) =>
          journal({
            level: 'error',
            category: 'system',
            message: `Old backups could not be removed: ${messageOf(error)}`,
            tenant,
          }),
        );
      }
    },
  };

  /** Taken by several lanes, each tenant by one. */
  async function* dueTenants(signal: AbortSignal): AsyncGenerator<Tenant> {
    for await (const tenant of tenants.each({ deployedOnly: true })) {
      if (signal.aborted) return;
      if (await isDue(tenant)) yield tenant;
    }
  }
}
