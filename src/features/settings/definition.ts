import { Cron } from 'croner';
export const valueTypes = ['integer', 'number', 'boolean', 'string'] as const;
export type ValueType = (typeof valueTypes)[number];

/** The sections of the settings list. */
export const settingGroups = [
  'health',
  'deployments',
  'services',
  'manager',
  'tenants',
  'backups',
  'bucket',
  'lists',
  'assistant',
  'themes',
  'notifications',
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

/** Whether the value is an http(s) URL without credentials, white space or control characters. */
export function isHttpUrl(value: string): boolean {
  // The URL parser silently removes white space and control characters.
  if (/[\s\p{Cc}]/u.test(value)) return false;
  const url = URL.parse(value);
  return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
}

/** Whether the text is a cron expression of five fields that has a next run. */
export function isCron(text: string): boolean {
  try {
    return new Cron(text, { paused: true, timezone: 'UTC', mode: '5-part' }).nextRun() !== null;
  } catch {
    return false;
  }
}
