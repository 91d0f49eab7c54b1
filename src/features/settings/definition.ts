export const valueTypes = ['integer', 'number', 'boolean', 'string'] as const;
export type ValueType = (typeof valueTypes)[number];

/** What a setting is about; lists of settings are parted by it. */
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
  /** What is counted; absent where the setting's name says it. */
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
  /** Answers what is wrong with a value that is not empty; the empty string means unset. */
  rule?(value: string): string | undefined;
  /** Secrets that are cleared when the value changes: they were meant for the address before. */
  forgets?: readonly string[];
}

/** What a setting's value may be. */
export type SettingDefinition = (NumberSetting | BooleanSetting | StringSetting) & {
  group: (typeof settingGroups)[number];
  description: string;
  secret?: true;
};
