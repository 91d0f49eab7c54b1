export const valueTypes = ['integer', 'number', 'boolean', 'string'] as const;
export type ValueType = (typeof valueTypes)[number];

interface NumberSetting {
  type: 'integer' | 'number';
  default: number;
  min: number;
  max: number;
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
}

/** What a setting's value may be. */
export type SettingDefinition = (NumberSetting | BooleanSetting | StringSetting) & {
  description: string;
  secret?: true;
};
