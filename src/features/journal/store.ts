import { DataTypes, type Model, Op, type WhereOptions } from 'sequelize';
import type { LogCategory, LogLevel } from '../../platform/events/journal-entry.ts';
import type { Page, Paging } from '../../platform/http/paging.ts';
import { idType, instant, jsonColumn } from '../../platform/store/columns.ts';
import type { Store } from '../../platform/store/store.ts';

/** An entry as it is kept. */
export interface LogRow {
  id: string;
  tenantId: string | null;
  tenantSlug: string | null;
  level: LogLevel;
  category: LogCategory;
  message: string;
  details: Record<string, unknown>;
  createdAt: Date;
}

export interface LogFilter {
  tenantId?: string | undefined;
  level?: LogLevel | undefined;
  category?: LogCategory | undefined;
}

/** The journal's table; entries are added and in the end removed, never changed. */
export function createLogStore({ sequelize }: Store) {
  const entries = sequelize.define<Model<LogRow & { seq?: number }, LogRow>>(
    'LogEntry',
    {
      seq: { type: DataTypes.BIGINT, primaryKey: true, autoIncrement: true },
      id: { type: idType, allowNull: false },
      tenantId: { type: idType },
      tenantSlug: { type: DataTypes.STRING(40) },
      level: { type: DataTypes.STRING(20), allowNull: false },
      category: { type: DataTypes.STRING(20), allowNull: false },
      message: { type: DataTypes.TEXT, allowNull: false },
      details: jsonColumn('details'),
      createdAt: { type: instant, allowNull: false },
    },
    { tableName: 'log_entries' },
  );

  return {
    async insert(row: LogRow): Promise<void> {
      await entries.create(row);
    },

    /** Newest first, in the order of writing. */
    async list(filter: LogFilter, { limit, offset }: Paging): Promise<Page<LogRow>> {
      const where: WhereOptions<LogRow> = Object.fromEntries(
        Object.entries(filter).filter(([, value]) => value !== undefined),
      );
      const [items, total] = await Promise.all([
        entries.findAll({ where, order: [['seq', 'DESC']], limit, offset }),
        entries.count({ where }),
      ]);
      return { items: items.map((item) => item.get()), total };
    },

    /** Removes at most `limit` entries made before. @returns how many */
    removeSome: (before: Date, limit: number): Promise<number> =>
      entries.destroy({ where: { createdAt: { [Op.lt]: before } }, limit }),
  };
}

export type LogStore = ReturnType<typeof createLogStore>;
