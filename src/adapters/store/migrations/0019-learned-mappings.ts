import type { ModelAttributes } from 'sequelize';
import { instant } from '../columns.ts';
import { buildTables, id, type Migration, required, short, text } from './build.ts';

const tables: Record<string, ModelAttributes> = {
  /** What users chose for columns of lists instead of the suggestion. */
  learned_mappings: {
    id,
    /** The header without case, punctuation and accents. */
    header: required(short),
    /** What the column's values look like. */
    value_kind: required(short),
    source: required(text),
    target: required(short),
    transform: { type: short, allowNull: true },
    created_at: required(instant),
    created_by: required(short),
  },
};

/** Adds the mappings that users' choices have taught. */
export const learnedMappings: Migration = {
  name: '0019-learned-mappings',
  up: (schema) => buildTables(schema, tables, [['learned_mappings', ['header', 'value_kind'], 'unique']]),
};
