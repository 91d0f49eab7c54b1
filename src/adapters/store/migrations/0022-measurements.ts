import { DataTypes, type ModelAttributes } from 'sequelize';
import { idType } from '../columns.ts';
import { buildTables, id, type Migration, required, text } from './build.ts';

const tables: Record<string, ModelAttributes> = {
  /** Rolled up measurements: one row holds many periods. */
  measurement_blocks: {
    /** A tenant's id, `node:<id>` or `manager:`. */
    subject: { type: idType, primaryKey: true, allowNull: false },
    /** The length of its periods, and where it starts since 1970; in seconds. */
    step: { type: DataTypes.INTEGER, primaryKey: true, allowNull: false },
    start: { type: DataTypes.BIGINT, primaryKey: true, allowNull: false },
    data: required(DataTypes.BLOB('medium')),
  },
  /** Measurements that are not rolled up yet: one row holds those of all subjects in about a minute. */
  measurement_journal: {
    id,
    /** When its oldest measurement was made, in seconds since 1970. */
    at: required(DataTypes.BIGINT),
    samples: required(text),
  },
};

/** Adds the history of measurements. */
export const measurements: Migration = {
  name: '0022-measurements',
  up: (schema) =>
    buildTables(schema, tables, [
      ['measurement_blocks', ['step', 'start']],
      ['measurement_journal', ['at']],
    ]),
};
