import { managerActor } from '../../../adapters/events/audit-log-entry.ts';
import { AppError } from '../../../lib/errors.ts';
import type { Tenant } from '../../tenants/tenant.ts';
import type { BackupsDeps } from '../backup.ts';
import type { BackupService } from '../service.ts';
import type { Backup, BackupStore } from '../store.ts';

const dayMs = 86_400_000;
/** A drill that is due has this long before it counts as missing: its tenant may be stopped or busy. */
const graceMs = 7 * dayMs;

/** Scheduled restore drills of the newest backups. */
export interface ScheduledDrills {
  /** Makes those that are due, one at a time. */
  runDue(signal: AbortSignal): Promise<void>;
  /** Tenants whose drill has been missing, each with its last one or null. */
  missing(): Promise<{ tenantId: string; last: Date | null }[]>;
}

type ScheduledDrillsDeps = Pick<BackupsDeps, 'tenants' | 'clock' | 'lastOutcomes'> & {
  settings: Pick<BackupsDeps['settings'], 'drillDays'>;
};

/** Drills every tenant's newest backup once in `restore_drill_days`, counted from its last drill or its registration. */
export function createScheduledDrills(
  { rows, service }: { rows: BackupStore; service: BackupService },
  { tenants, settings, clock, lastOutcomes }: ScheduledDrillsDeps,
): ScheduledDrills {
  /** Tenants that have had no drill for the setting's days and this long. */
  async function* overdue(byMs: number): AsyncGenerator<{ tenant: Tenant; backup: Backup; last: Date | null }> {
    const days = await settings.drillDays();
    if (days === 0) return;
    const before = clock.now().getTime() - days * dayMs - byMs;
    const drills = new Map((await lastOutcomes(['drill'])).map((drill) => [drill.subject, drill.finishedAt]));
    for await (const tenant of tenants.each({ deployedOnly: true })) {
      const last = drills.get(tenant.id) ?? null;
      if ((last ?? tenant.createdAt).getTime() > before) continue;
      const { items } = await rows.list(tenant.id, { status: 'complete' }, { limit: 1, offset: 0 });
      if (items[0]) yield { tenant, backup: items[0], last };
    }
  }

  return {
    async runDue(signal) {
      for await (const { tenant, backup } of overdue(0)) {
        if (signal.aborted) return;
        if (tenant.status !== 'running') continue;
        try {
          await (await service.drill(tenant.id, backup.id, managerActor)).done;
        } catch (error) {
          // Its end is in its log and an alert; a busy tenant's turn comes again.
          if (!(error instanceof AppError)) throw error;
        }
      }
    },
    async missing() {
      const found: { tenantId: string; last: Date | null }[] = [];
      for await (const { tenant, last } of overdue(graceMs)) found.push({ tenantId: tenant.id, last });
      return found;
    },
  };
}
