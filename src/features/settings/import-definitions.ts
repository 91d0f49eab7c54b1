import type { SettingDefinition } from './definition.ts';

/** Settings of list imports. */
export const importDefinitions = {
  import_max_upload_mb: {
    group: 'lists',
    type: 'integer',
    default: 200,
    min: 1,
    max: 10_240,
    unit: 'MiB',
    description: 'Maximum size of an uploaded list, in MiB',
  },
  import_retention_days: {
    group: 'lists',
    type: 'integer',
    default: 90,
    min: 1,
    max: 3_650,
    unit: 'days',
    description: 'Number of days that the file of a list is kept after its last use; the history remains',
  },
  import_concurrency: {
    group: 'lists',
    type: 'integer',
    default: 2,
    min: 1,
    max: 20,
    unit: 'lists',
    description: 'Number of lists imported at the same time; further lists wait in order',
  },
  import_phone_region: {
    group: 'lists',
    type: 'string',
    default: 'US',
    maxLength: 2,
    rule: (value) => (/^[A-Z]{2}$/.test(value) ? undefined : 'must be a country code of two capital letters'),
    description: 'Default country of phone numbers without a country code (ISO 3166)',
  },
} as const satisfies Record<string, SettingDefinition>;
