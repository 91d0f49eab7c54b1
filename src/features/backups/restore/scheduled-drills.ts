import { managerActor } from '../../../adapters/events/audit-log-entry.ts';
import { AppError } from '../../../lib/errors.ts';
import type { Tenant } from '../../tenants/tenant.ts';
import { type BackupsDeps, verdictStep } from '../backup.ts';
import type { BackupService } from '../service.ts';
import type { BackupStore } from '../store.ts';

const dayMs = 86_400_000;
/** A drill that is due has this long before it counts as missing: its tenant may be stopped or busy. */
const graceMs = 7 * dayMs;

/** Scheduled restore drills of the newest backups. */
export interface ScheduledDrills {
  /** Makes those that are due, one at a time. */
  runDue(signal: AbortSignal): Promise<void>;
  /** The step in which a drill fails that found differences. */
  verdictStep: string;
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
  /** Tenants with a backup that have had no drill for the setting's days and this long. */
  async function overdue(byMs: number): Promise<{ tenant: Tenant; last: Date | null }[]> {
    const days = await settings.drillDays();
    if (days === 0) return [];
    const before = clock.now().getTime() - days * dayMs - byMs;
    const drills = new Map((await lastOutcomes(['drill'])).map((drill) => [drill.subject, drill.finishedAt]));
    const found: { tenant: Tenant; last: Date | null }[] = [];
    for await (const tenant of tenants.each({ deployedOnly: true })) {
      const last = drills.get(tenant.id) ?? null;
      if ((last ?? tenant.createdAt).getTime() <= before) found.push({ tenant, last });
    }
    const backedUp = await rows.lastOf(found.map(({ tenant }) => tenant.id));
    return found.filter(({ tenant }) => backedUp.has(tenant.id));
  }

  return {
    verdictStep,
    async runDue(signal) {
      for (const { tenant } of await overdue(0)) {
        if (signal.aborted) return;
        const [newest] = (await rows.list(tenant.id, { status: 'complete' }, { limit: 1, offset: 0 })).items;
        if (tenant.status !== 'running' || !newest) continue;
        try {
          await (await service.drill(tenant.id, newest.id, managerActor)).done;
        } catch (error) {
          // Its end is in its log and an alert; a busy tenant's turn comes again.
          if (!(error instanceof AppError)) throw error;
        }
      }
    },
    missing: async () => (await overdue(graceMs)).map(({ tenant, last }) => ({ tenantId: tenant.id, last })),
  };
}
