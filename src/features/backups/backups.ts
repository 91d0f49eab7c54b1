import type { Work } from '../../lib/concurrency/work.ts';
import type { Route } from '../../lib/http/routing/route.ts';
import { deployedRelease, type LostData, type Tenant } from '../tenants/tenant.ts';
import { backupOperation } from './archive/backup-operation.ts';
import { type CreateBackup, createBackupWriter } from './archive/create.ts';
import { assertDiskSpace } from './archive/disk-space.ts';
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
  backUpFrom(origin: Pick<BackupsDeps, 'runtime' | 'databaseOf'> & { lostData: LostData }): CreateBackup;
  /**
   * Replaces a tenant's database with a backup's, once it was loaded into the spare database and compared; may run again after a
   * crash. The units must not run; they keep their environment, so the database keeps its name.
   * @throws AppError invalid_state if the backup is damaged or does not fit
   */
  replaceDatabase(tenant: Tenant, backup: Pick<Backup, 'id'>, work: Work): Promise<void>;
  /**
   * Asks for room for a backup of a tenant, and for a second copy of its database.
   * @throws AppError insufficient_storage with the missing space
   */
  assertRoom(tenant: Tenant): Promise<void>;
  /** Loads a backup into a tenant's database, which holds nothing yet. */
  fillDatabase(tenant: Tenant, backup: Pick<Backup, 'id'>, work: Work): Promise<void>;
  /** The same for the application's own files. */
  fillFiles(tenant: Tenant, backup: Pick<Backup, 'id'>, work: Work): Promise<void>;
  /** When the last complete backup of each of these tenants was made. */
  lastOf(tenantIds: readonly string[]): Promise<Map<string, Date>>;
}

/** Backups of tenants: archives, restores, drills, schedules and off-site copies. */
export function createBackups(deps: BackupsDeps): Backups {
  const rows = createBackupStore(deps.store);
  const create = createBackupWriter(rows, { ...deps, lostData: deps.deployments.lostData });
  const removals = createRemovalStore(deps.store);
  const removeObjects = createObjectRemovals(removals, deps);
  const remote = createRemoteCopies(rows, deps);
  const scratchDatabases = createScratchDatabases(deps);
  const parts = createRestoreParts({ remote, scratchDatabases }, deps);
  deps.engine.register(backupOperation(create, remote, deps));
  deps.engine.register(restoreOperation({ rows, create, parts, scratchDatabases }, deps));
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
    async replaceDatabase(tenant, { id }, work) {
      const backup = await verified(id, work);
      await parts.assertFits(backup, tenant);
      await parts.loadSpareDatabase(tenant, backup, work);
      await parts.database(tenant, backup, work);
      await scratchDatabases.drop(tenant);
    },
    async assertRoom(tenant) {
      const { database: kind } = deployedRelease(tenant);
      const { items } = await rows.list(tenant.id, { status: 'complete' }, { limit: 1, offset: 0 });
      await assertDiskSpace(deps.directory, kind && (await deps.databaseOf(tenant, kind)), items[0]);
      await parts.assertRoom(tenant, { parts: [] });
    },
    async fillDatabase(tenant, { id }, work) {
      const backup = await verified(id, work);
      await parts.assertFits(backup, tenant);
      await parts.database(tenant, backup, work);
    },
    fillFiles: async (tenant, { id }, work) => parts.files(tenant, await verified(id, work), work),
  };
}
