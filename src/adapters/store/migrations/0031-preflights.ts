import { DataTypes } from 'sequelize';
import { instant } from '../columns.ts';
import { buildTables, id, type Migration, required, text } from './build.ts';

/** Adds the checks of the host. */
export const preflights: Migration = {
  name: '0031-preflights',
  up: (schema) =>
    buildTables(
      schema,
      {
        preflights: {
          id,
          unfinished: required(DataTypes.BOOLEAN),
          record: required(text),
          cancel_requested_at: instant,
          created_at: required(instant),
        },
      },
      [],
    ),
};
