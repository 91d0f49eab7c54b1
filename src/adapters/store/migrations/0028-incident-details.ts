import { DataTypes } from 'sequelize';
import { buildTables, type Index, type Migration, short, text } from './build.ts';

const columns = [
  /** How severe it was when it was last announced. */
  ['incidents', 'announced_severity', DataTypes.STRING(40)],
  /** What the diagnosis found at that moment, with its evidence. */
  ['incident_entries', 'diagnosis', text],
  /** The message that contained the alert; null: it still waits. */
  ['digest_items', 'delivery_key', short],
] as const;

const indexes: Index[] = [
  ['digest_items', ['delivery_key', 'due_at']],
  ['notification_deliveries', ['delivery_key']],
];

/** Adds what incidents know of their diagnosis and of who was informed. */
export const incidentDetails: Migration = {
  name: '0028-incident-details',
  async up(schema) {
    for (const [table, column, type] of columns)
      if (!(column in (await schema.describeTable(table))))
        await schema.addColumn(table, column, { type, allowNull: true });
    await buildTables(schema, {}, indexes);
  },
};
