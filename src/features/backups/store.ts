import { DataTypes, type Model, Op } from 'sequelize';
import { notFound } from '../../kernel/errors.ts';
import type { Page, Paging } from '../../platform/http/paging.ts';
import { idType, instant, jsonColumn } from '../../platform/store/columns.ts';
import { refuseOrphan } from '../../platform/store/conflicts.ts';
import type { Store } from '../../platform/store/store.ts';
import type { Backup, BackupKind, BackupStatus } from './backup.ts';
import type { Keep } from './retention.ts';

/** When a tenant is backed up: what was set for it, and from when on a run is due. */
export interface ScheduleRow {
  tenantId: string;
  cron: string | null;
  keep: Keep | null;
  countedFrom: Date;
}

export interface ScheduleStore {
  find(tenantId: string): Promise<ScheduleRow | undefined>;
  /** @throws AppError not_found where the tenant is gone */
  save(row: ScheduleRow): Promise<void>;
  countFrom(tenantId: string, date: Date): Promise<void>;
}

export function createScheduleStore({ sequelize }: Store): ScheduleStore {
  const Schedules = sequelize.define<Model<ScheduleRow, ScheduleRow>>(
    'BackupSchedule',
    {
      tenantId: { type: idType, primaryKey: true },
      cron: DataTypes.STRING(255),
      keep: jsonColumn('keep'),
      countedFrom: instant,
    },
    { tableName: 'backup_schedules' },
  );
  return {
    find: async (tenantId) => (await Schedules.findByPk(tenantId))?.get(),
    async save(row) {
      await refuseOrphan(Schedules.upsert(row), () => notFound('tenant', row.tenantId));
    },
    async countFrom(tenantId, countedFrom) {
      await Schedules.update({ countedFrom }, { where: { tenantId } });
    },
  };
}

/** The catalogue of backups. */
export interface BackupStore {
  /** Writes down what is about to be made. @throws AppError not_found where the tenant is gone */
  insert(backup: Backup): Promise<void>;
  update(id: string, changes: Partial<Backup>): Promise<void>;
  find(id: string): Promise<Backup | undefined>;
  list(tenantId: string, filter: { kind?: BackupKind | undefined }, paging: Paging): Promise<Page<Backup>>;
  /** All of a tenant, newest first; or of all tenants. */
  all(filter: { tenantId?: string; status?: BackupStatus }): Promise<Backup[]>;
  remove(id: string): Promise<void>;
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
    },
    { tableName: 'backups' },
  );
  const newestFirst: [string, string][] = [
    ['createdAt', 'DESC'],
    ['id', 'DESC'],
  ];
  const toBackup = (row: Model<Backup, Backup>): Backup => {
    const backup = row.get() as Backup;
    // MySQL's driver answers a large integer as a text.
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
    async list(tenantId, { kind }, { limit, offset }) {
      const where = { tenantId, ...(kind ? { kind } : {}) };
      const { rows, count } = await Backups.findAndCountAll({ where, order: newestFirst, limit, offset });
      return { items: rows.map(toBackup), total: count };
    },
    async all({ tenantId, status }) {
      const where = { ...(tenantId ? { tenantId } : {}), ...(status ? { status } : {}), id: { [Op.ne]: '' } };
      return (await Backups.findAll({ where, order: newestFirst })).map(toBackup);
    },
    async remove(id) {
      await Backups.destroy({ where: { id } });
    },
  };
}
