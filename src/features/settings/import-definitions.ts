import type { SettingDefinition } from './definition.ts';

/** Settings of the list loader. */
export const importDefinitions = {
  import_max_upload_mb: {
    group: 'lists',
    type: 'integer',
    default: 200,
    min: 1,
    max: 10_240,
    unit: 'MiB',
    description: 'Largest list that can be uploaded, in MiB',
  },
  import_retention_days: {
    group: 'lists',
    type: 'integer',
    default: 90,
    min: 1,
    max: 3_650,
    unit: 'days',
    description: 'Days that the file of a list is kept after it was last worked on; the history stays',
  },
  import_concurrency: {
    group: 'lists',
    type: 'integer',
    default: 2,
    min: 1,
    max: 20,
    unit: 'lists',
    description: 'Lists that are imported at the same time; further ones wait in order',
  },
  import_phone_region: {
    group: 'lists',
    type: 'string',
    default: 'US',
    maxLength: 2,
    rule: (value) => (/^[A-Z]{2}$/.test(value) ? undefined : 'must be a country code of two capital letters'),
    description: 'Country of phone numbers in lists that name none (ISO 3166)',
  },
} as const satisfies Record<string, SettingDefinition>;
