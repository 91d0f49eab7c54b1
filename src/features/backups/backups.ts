import type { Work } from '../../lib/concurrency/work.ts';
import type { Route } from '../../lib/http/routing/route.ts';
import type { Tenant } from '../tenants/tenant.ts';
import { backupOperation } from './archive/backup-operation.ts';
import { type CreateBackup, createBackupWriter } from './archive/create.ts';
import type { BackupsDeps } from './backup.ts';
import { createObjectRemovals } from './offsite/object-removals.ts';
import { createRemoteCopies } from './offsite/remote-copies.ts';
import { drillOperation } from './restore/drill-operation.ts';
import { restoreOperation } from './restore/restore-operation.ts';
import { createRestoreParts } from './restore/restore-parts.ts';
import { createScheduledDrills, type ScheduledDrills } from './restore/scheduled-drills.ts';
import { createScratchDatabases, type ScratchDatabases } from './restore/scratch-databases.ts';
import { backupRoutes } from './routes.ts';
import { createSchedules, type Schedules } from './schedule/schedules.ts';
import { type BackupService, createBackupService } from './service.ts';
import { type Backup, createBackupStore, createRemovalStore, createScheduleStore } from './store.ts';

export type { BackupsDeps } from './backup.ts';

export interface Backups extends BackupService {
  schedules: Schedules;
  drills: ScheduledDrills;
  routes: Route[];
  /** Uploads pending copies to the bucket and removes the objects of deleted backups. */
  copyOffsite(signal: AbortSignal): Promise<void>;
  scratchDatabases: ScratchDatabases;
  /** Aborts background uploads. */
  close(): Promise<void>;
  /**
   * Makes a backup inside another operation's step. Save `id` in the operation's state first, so that the step can run again.
   * @throws AppError not_deployed, insufficient_storage; Error with the reason; the signal's reason
   */
  createBackup: CreateBackup;
  /** The same of tenants whose units and databases are elsewhere. */
  backUpFrom(origin: Pick<BackupsDeps, 'runtime' | 'databaseOf'>): CreateBackup;
  /**
   * Replaces a tenant's database with a backup's, after the backup was verified; may run again after a crash. The tenant's units
   * must not run. @throws AppError invalid_state if the backup is damaged or does not fit
   */
  restoreDatabase(tenant: Tenant, backup: Pick<Backup, 'id'>, work: Work): Promise<void>;
  /** The same for the application's own files. */
  restoreFiles(tenant: Tenant, backup: Pick<Backup, 'id'>, work: Work): Promise<void>;
  /** When the last complete backup of each of these tenants was made. */
  lastOf(tenantIds: readonly string[]): Promise<Map<string, Date>>;
}

/** Backups of tenants: archives, restores, drills, schedules and off-site copies. */
export function createBackups(deps: BackupsDeps): Backups {
  const rows = createBackupStore(deps.store);
  const create = createBackupWriter(rows, deps);
  const removals = createRemovalStore(deps.store);
  const removeObjects = createObjectRemovals(removals, deps);
  const remote = createRemoteCopies(rows, deps);
  const parts = createRestoreParts(remote, deps);
  deps.engine.register(backupOperation(create, remote, deps));
  deps.engine.register(restoreOperation({ rows, create, parts }, deps));
  const scratchDatabases = createScratchDatabases(deps);
  deps.engine.register(drillOperation({ rows, parts, scratchDatabases }, deps));
  const service = createBackupService({ rows, parts, removals, removeObjects, remote }, deps);
  const drills = createScheduledDrills({ rows, service }, deps);
  const schedules = createSchedules({ rows, schedules: createScheduleStore(deps.store), service }, deps);

  async function verified(id: string, work: Work): Promise<Backup> {
    const backup = await rows.find(id);
    if (!backup) throw new Error(`There is no backup ${id}`);
    await parts.verify(backup, work);
    return backup;
  }

  return {
    ...service,
    schedules,
    drills,
    routes: backupRoutes(service, schedules),
    async copyOffsite(signal) {
      await removeObjects(signal);
      await remote.uploadDue(signal);
    },
    lastOf: rows.lastOf,
    scratchDatabases,
    close: remote.close,
    createBackup: create,
    backUpFrom: (origin) => createBackupWriter(rows, { ...deps, ...origin }),
    async restoreDatabase(tenant, { id }, work) {
      const backup = await verified(id, work);
      await parts.assertFits(backup, tenant);
      await parts.database(tenant, backup, work);
    },
    restoreFiles: async (tenant, { id }, work) => parts.files(tenant, await verified(id, work), work),
  };
}
