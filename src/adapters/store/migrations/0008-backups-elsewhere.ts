import { DataTypes, type ModelAttributes } from 'sequelize';
import { instant } from '../columns.ts';
import { buildTables, id, type Migration, required, text } from './build.ts';

const added = {
  /** A backup's copy in a bucket. */
  backups: {
    /** null: there was no bucket when it was made. */
    remote_state: DataTypes.STRING(20),
    remote_key: DataTypes.STRING(1024),
    remote_place: text,
    remote_error: text,
    remote_tries: DataTypes.INTEGER,
    remote_tried_at: instant,
  },
  /** A failed run is retried before the next one. */
  backup_schedules: { retry_at: instant, retries: DataTypes.INTEGER },
};

const tables: Record<string, ModelAttributes> = {
  /** Objects of deleted backups, until the service has removed them. By the backup's id. */
  backup_removals: {
    id,
    object_key: required(DataTypes.STRING(1024)),
    place: required(text),
    created_at: required(instant),
    error: text,
    tries: required(DataTypes.INTEGER),
    tried_at: instant,
  },
};

export const backupsElsewhere: Migration = {
  name: '0008-backups-elsewhere',
  async up(schema) {
    for (const [table, columns] of Object.entries(added)) {
      const present = await schema.describeTable(table);
      for (const [name, type] of Object.entries(columns))
        if (!(name in present)) await schema.addColumn(table, name, { type, allowNull: true });
    }
    await buildTables(schema, tables, [['backups', ['remote_state', 'remote_tried_at']]]);
  },
};
