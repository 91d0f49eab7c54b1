import { DataTypes, type ModelAttributes } from 'sequelize';
import { idType, instant } from '../columns.ts';
import { buildTables, type Index, id, type Migration, required, short, tenantId, text } from './build.ts';

const colour = required(DataTypes.STRING(7));

const tables: Record<string, ModelAttributes> = {
  /** An analysis of a website for a tenant's theme; its record is the engine's journal of the work. */
  theme_analyses: {
    id,
    tenant_id: tenantId,
    website_url: required(text),
    unfinished: required(DataTypes.BOOLEAN),
    record: required(text),
    cancel_requested_at: instant,
    /** When its expired screenshot was removed; null: if it has one, it exists. */
    screenshot_removed_at: instant,
    created_at: required(instant),
  },
  theme_suggestions: {
    id,
    analysis_id: {
      type: idType,
      allowNull: false,
      references: { model: 'theme_analyses', key: 'id' },
      onDelete: 'CASCADE',
    },
    suggestion_number: required(DataTypes.INTEGER),
    name: required(short),
    description: required(text),
    primary_color: colour,
    secondary_color: colour,
    accent_color: colour,
    text_color: colour,
    palette_json: required(text),
    reasoning: required(text),
  },
};

const indexes: Index[] = [
  ['theme_analyses', ['tenant_id', 'created_at']],
  ['theme_analyses', ['unfinished', 'created_at']],
  ['theme_analyses', ['screenshot_removed_at', 'created_at']],
  ['theme_suggestions', ['analysis_id', 'suggestion_number'], 'unique'],
];

export const themeAnalyses: Migration = {
  name: '0009-theme-analyses',
  up: (schema) => buildTables(schema, tables, indexes),
};
