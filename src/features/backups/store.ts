import { DataTypes, type Model } from 'sequelize';
import type { BucketLocation } from '../../adapters/object-store/object-store.ts';
import { idType, instant, jsonColumn } from '../../adapters/store/columns.ts';
import { refuseOrphan } from '../../adapters/store/conflicts.ts';
import type { Store, Transaction } from '../../adapters/store/store.ts';
import { notFound } from '../../lib/errors.ts';
import type { Page, Paging } from '../../lib/http/routing/paging.ts';
import type { Backup, BackupKind, BackupStatus, RemoteState } from './backup.ts';
import type { Keep } from './schedule/retention.ts';

/** A tenant's backup schedule and the time from which its next run is computed. */
export interface ScheduleRow {
  tenantId: string;
  cron: string | null;
  keep: Keep | null;
  countedFrom: Date;
  /** When a failed run is retried, and how often it was. */
  retryAt: Date | null;
  retries: number | null;
}

export interface ScheduleStore {
  find(tenantId: string): Promise<ScheduleRow | undefined>;
  /** @throws AppError not_found if the tenant was deleted */
  save(row: ScheduleRow): Promise<void>;
  update(tenantId: string, changes: Partial<ScheduleRow>): Promise<void>;
}

export function createScheduleStore({ sequelize }: Store): ScheduleStore {
  const Schedules = sequelize.define<Model<ScheduleRow, ScheduleRow>>(
    'BackupSchedule',
    {
      tenantId: { type: idType, primaryKey: true },
      cron: DataTypes.STRING(255),
      keep: jsonColumn('keep'),
      countedFrom: instant,
      retryAt: instant,
      retries: DataTypes.INTEGER,
    },
    { tableName: 'backup_schedules' },
  );
  return {
    find: async (tenantId) => (await Schedules.findByPk(tenantId))?.get(),
    async save(row) {
      await refuseOrphan(Schedules.upsert(row), () => notFound('tenant', row.tenantId));
    },
    async update(tenantId, changes) {
      await Schedules.update(changes, { where: { tenantId } });
    },
  };
}

/** An object of a deleted backup that must be removed from the bucket. */
export interface Removal {
  /** The backup's id. */
  id: string;
  key: string;
  place: BucketLocation;
  createdAt: Date;
  error: string | null;
  tries: number;
  triedAt: Date | null;
}

export interface RemovalStore {
  /** Does nothing if it exists. */
  add(removal: Pick<Removal, 'id' | 'key' | 'place' | 'createdAt'>, transaction?: Transaction): Promise<void>;
  all(): Promise<Removal[]>;
  update(id: string, changes: Partial<Removal>): Promise<void>;
  remove(id: string): Promise<void>;
}

export function createRemovalStore({ sequelize }: Store): RemovalStore {
  const Removals = sequelize.define<Model<Removal, Removal>>(
    'BackupRemoval',
    {
      id: { type: idType, primaryKey: true },
      key: { type: DataTypes.STRING(1024), field: 'object_key' },
      place: jsonColumn('place'),
      createdAt: instant,
      error: DataTypes.TEXT,
      tries: DataTypes.INTEGER,
      triedAt: instant,
    },
    { tableName: 'backup_removals' },
  );
  return {
    async add(removal, transaction) {
      const row = { ...removal, error: null, tries: 0, triedAt: null };
      await Removals.upsert(row, { transaction: transaction ?? null });
    },
    all: async () => (await Removals.findAll({ order: [['createdAt', 'ASC']] })).map((row) => row.get() as Removal),
    async update(id, changes) {
      await Removals.update(changes, { where: { id } });
    },
    async remove(id) {
      await Removals.destroy({ where: { id } });
    },
  };
}

interface BackupFilter {
  kind?: BackupKind | undefined;
  status?: BackupStatus | undefined;
}

/** The catalogue of backups. */
export interface BackupStore {
  /** Inserts a new backup's row. @throws AppError not_found if the tenant was deleted */
  insert(backup: Backup): Promise<void>;
  update(id: string, changes: Partial<Backup>): Promise<void>;
  find(id: string): Promise<Backup | undefined>;
  list(tenantId: string, filter: BackupFilter, paging: Paging): Promise<Page<Backup>>;
  /** All backups of a tenant, or of all tenants, newest first. */
  all(filter: { tenantId?: string; status?: BackupStatus; remoteState?: RemoteState }): Promise<Backup[]>;
  remove(id: string, transaction?: Transaction): Promise<void>;
}

export function createBackupStore({ sequelize }: Store): BackupStore {
  const Backups = sequelize.define<Model<Backup, Backup>>(
    'Backup',
    {
      id: { type: idType, primaryKey: true },
      tenantId: idType,
      kind: DataTypes.STRING(20),
      status: DataTypes.STRING(20),
      version: DataTypes.STRING(255),
      commit: { type: DataTypes.STRING(64), field: 'commit_id' },
      engine: DataTypes.STRING(20),
      file: DataTypes.STRING(512),
      sizeBytes: DataTypes.BIGINT,
      sha256: DataTypes.STRING(64),
      rowCounts: jsonColumn('rowCounts'),
      durationMs: DataTypes.INTEGER,
      createdBy: DataTypes.STRING(255),
      createdAt: instant,
      verifiedAt: instant,
      drill: jsonColumn('drill'),
      error: DataTypes.TEXT,
      remoteState: DataTypes.STRING(20),
      remoteKey: DataTypes.STRING(1024),
      remotePlace: jsonColumn('remotePlace'),
      remoteError: DataTypes.TEXT,
      remoteTries: DataTypes.INTEGER,
      remoteTriedAt: instant,
    },
    { tableName: 'backups' },
  );
  const newestFirst: [string, string][] = [
    ['createdAt', 'DESC'],
    ['id', 'DESC'],
  ];
  const toBackup = (row: Model<Backup, Backup>): Backup => {
    const backup = row.get() as Backup;
    // MySQL's driver returns a large integer as a string.
    return { ...backup, sizeBytes: backup.sizeBytes === null ? null : Number(backup.sizeBytes) };
  };

  return {
    insert: (backup) =>
      refuseOrphan(Backups.create(backup), () => notFound('tenant', backup.tenantId)).then(() => undefined),
    async update(id, changes) {
      await Backups.update(changes, { where: { id } });
    },
    async find(id) {
      const row = await Backups.findByPk(id);
      return row ? toBackup(row) : undefined;
    },
    async list(tenantId, { kind, status }, { limit, offset }) {
      const where = { tenantId, ...(kind ? { kind } : {}), ...(status ? { status } : {}) };
      const { rows, count } = await Backups.findAndCountAll({ where, order: newestFirst, limit, offset });
      return { items: rows.map(toBackup), total: count };
    },
    async all(filter) {
      return (await Backups.findAll({ where: { ...filter }, order: newestFirst })).map(toBackup);
    },
    async remove(id, transaction) {
      await Backups.destroy({ where: { id }, transaction: transaction ?? null });
    },
  };
}
