export const valueTypes = ['integer', 'number', 'boolean', 'string'] as const;
export type ValueType = (typeof valueTypes)[number];

/** The sections of the settings list. */
export const settingGroups = [
  'health',
  'deployments',
  'services',
  'manager',
  'backups',
  'bucket',
  'lists',
  'assistant',
  'themes',
] as const;

interface NumberSetting {
  type: 'integer' | 'number';
  default: number;
  min: number;
  max: number;
  /** The unit of the number. */
  unit?: string;
}

interface BooleanSetting {
  type: 'boolean';
  default: boolean;
}

interface StringSetting {
  type: 'string';
  default: string;
  maxLength: number;
  /** Returns the problem with a non-empty value; the empty string means unset. */
  rule?(value: string): string | undefined;
  /** Secrets to clear when the value changes, because they belong to the old address. */
  clears?: readonly string[];
}

/** The type, limits and default of a setting. */
export type SettingDefinition = (NumberSetting | BooleanSetting | StringSetting) & {
  group: (typeof settingGroups)[number];
  description: string;
  secret?: true;
};
