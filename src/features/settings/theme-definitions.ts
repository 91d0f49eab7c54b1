import type { SettingDefinition } from './definition.ts';

/** Settings of themes. */
export const themeDefinitions = {
  screenshot_retention_days: {
    group: 'themes',
    type: 'integer',
    default: 90,
    min: 1,
    max: 3_650,
    unit: 'days',
    description: 'Days that screenshots of analysed websites are kept; the suggestions stay',
  },
} as const satisfies Record<string, SettingDefinition>;
