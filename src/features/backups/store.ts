import { col, fn } from 'sequelize';
import type { DatabaseEngine, Uncovered } from '../../adapters/databases/tenant-database.ts';
import type { BucketLocation } from '../../adapters/object-store/object-store.ts';
import { refuseOrphan } from '../../adapters/store/conflicts.ts';
import type { Store, Transaction } from '../../adapters/store/store.ts';
import {
  bigInteger,
  defineTable,
  id,
  instant,
  integer,
  json,
  key,
  named,
  newestFirst,
  orNull,
  ownedBy,
  parseRow,
  type RowOf,
  tableIn,
  text,
} from '../../adapters/store/table.ts';
import { notFound } from '../../lib/errors.ts';
import type { Page, Paging } from '../../lib/http/routing/paging.ts';
import type { BackupKind, BackupStatus, DrillResult, RemoteState } from './backup.ts';
import type { Keep } from './schedule/retention.ts';

const scheduleColumns = {
  tenantId: key(ownedBy('tenants')),
  cron: orNull(text(255)),
  keep: orNull(json<Keep>()),
  /** The time from which its next run is computed. */
  countedFrom: instant,
  /** When a failed run is retried, and how often it was. */
  retryAt: orNull(instant),
  retries: orNull(integer),
};
export const backupSchedulesTable = defineTable('backup_schedules', scheduleColumns);
/** A tenant's backup schedule. */
export type ScheduleRow = RowOf<typeof scheduleColumns>;

export function createScheduleStore(store: Store) {
  const schedules = tableIn(store, backupSchedulesTable);
  return {
    find: (tenantId: string) => schedules.find({ tenantId }),
    of: (tenantIds: readonly string[]) => schedules.all({ where: { tenantId: [...tenantIds] } }),
    /** @throws AppError not_found if the tenant was deleted */
    save: (row: ScheduleRow) => refuseOrphan(schedules.upsert(row), () => notFound('tenant', row.tenantId)),
    update: (tenantId: string, changes: Partial<ScheduleRow>) => schedules.update(changes, { tenantId }),
  };
}
export type ScheduleStore = ReturnType<typeof createScheduleStore>;

const removalColumns = {
  /** The backup's id. */
  id: key(id),
  key: named('object_key', text(1024)),
  place: json<BucketLocation>(),
  createdAt: instant,
  error: orNull(text()),
  tries: integer,
  triedAt: orNull(instant),
};
export const backupRemovalsTable = defineTable('backup_removals', removalColumns);
/** An object of a deleted backup that must be removed from the bucket. */
export type Removal = RowOf<typeof removalColumns>;

export function createRemovalStore(store: Store) {
  const removals = tableIn(store, backupRemovalsTable);
  return {
    /** Does nothing if it exists. */
    add: (removal: Pick<Removal, 'id' | 'key' | 'place' | 'createdAt'>, transaction?: Transaction) =>
      removals.upsert({ ...removal, error: null, tries: 0, triedAt: null }, transaction),
    all: () => removals.all({ order: [['createdAt', 'ASC']] }),
    update: (id: string, changes: Partial<Removal>) => removals.update(changes, { id }),
    remove: (id: string) => removals.remove({ id }),
  };
}
export type RemovalStore = ReturnType<typeof createRemovalStore>;

const backupColumns = {
  id: key(id),
  tenantId: ownedBy('tenants'),
  kind: text<BackupKind>(20),
  status: text<BackupStatus>(20),
  version: orNull(text(255)),
  commit: named('commit_id', text(64)),
  /** The database engine; null: the application has no database. */
  engine: orNull(text<DatabaseEngine>(20)),
  /** Relative to the directory of all backups. */
  file: text(512),
  sizeBytes: orNull(bigInteger),
  sha256: orNull(text(64)),
  rowCounts: orNull(json<Record<string, number>>()),
  /** What it cannot bring back; null: that is not known. */
  uncovered: named('not_covered', orNull(json<Uncovered[]>())),
  loss: orNull(json<Loss>()),
  durationMs: orNull(integer),
  createdBy: text(255),
  createdAt: instant,
  verifiedAt: orNull(instant),
  drill: orNull(json<DrillResult>()),
  error: orNull(text()),
  /** The state of its copy in a bucket; null: no bucket was configured when it was made. */
  remoteState: orNull(text<RemoteState>(20)),
  /** Set before the first byte is sent. */
  remoteKey: orNull(text(1024)),
  remotePlace: orNull(json<BucketLocation>()),
  /** Why the last attempt failed. */
  remoteError: orNull(text()),
  remoteTries: orNull(integer),
  remoteTriedAt: orNull(instant),
};
export const backupsTable = defineTable('backups', backupColumns, {
  indexes: [['tenantId', 'createdAt'], ['tenantId', 'kind', 'createdAt'], ['status'], ['remoteState', 'remoteTriedAt']],
});
/** What a backup has lost since the one before, until someone confirms that it is right. */
export interface Loss {
  tables: { table: string; before: number; after: number }[];
  bytes: { before: number; after: number } | null;
  /** The user's name; null: unconfirmed. */
  confirmedBy: string | null;
}

/** A backup in the catalogue. Only a `complete` one is usable: its file was verified. */
export type Backup = RowOf<typeof backupColumns>;

interface BackupFilter {
  kind?: BackupKind | undefined;
  status?: BackupStatus | undefined;
}

/** The catalogue of backups. */
export function createBackupStore(store: Store) {
  const backups = tableIn(store, backupsTable);
  return {
    /** Inserts a new backup's row. @throws AppError not_found if the tenant was deleted */
    insert: (backup: Backup) => refuseOrphan(backups.insert(backup), () => notFound('tenant', backup.tenantId)),
    update: (id: string, changes: Partial<Backup>) => backups.update(changes, { id }),
    find: (id: string) => backups.find({ id }),
    list: (tenantId: string, { kind, status }: BackupFilter, paging: Paging): Promise<Page<Backup>> =>
      backups.page({ tenantId, ...(kind ? { kind } : {}), ...(status ? { status } : {}) }, paging),
    /** All backups of a tenant, or of all tenants, newest first. */
    all: (where: { tenantId?: string; status?: BackupStatus; remoteState?: RemoteState }): Promise<Backup[]> =>
      backups.all({ where, order: newestFirst }),
    /** When the last complete backup of each of these tenants was made. */
    async lastOf(tenantIds: readonly string[]): Promise<Map<string, Date>> {
      const rows = await backups.model.findAll({
        attributes: [
          ['tenant_id', 'tenantId'],
          [fn('MAX', col('created_at')), 'createdAt'],
        ],
        where: { status: 'complete', tenantId: [...tenantIds] },
        group: ['tenant_id'],
        raw: true,
      });
      const found = rows.map((row) => parseRow(backupColumns, row));
      return new Map(found.map(({ tenantId, createdAt }) => [tenantId, createdAt]));
    },
    remove: (id: string, transaction?: Transaction) => backups.remove({ id }, { transaction }),
  };
}
export type BackupStore = ReturnType<typeof createBackupStore>;
