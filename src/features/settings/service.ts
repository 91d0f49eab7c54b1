import type { Actor } from '../../platform/events/journal-entry.ts';
import type { SettingKey, SettingValue, ValueType } from './definitions.ts';

/** A setting as it is shown: a secret's value never in clear. */
export interface ShownSetting {
  key: SettingKey;
  value: string;
  valueType: ValueType;
  description: string;
  isSecret: boolean;
  /** null: never changed, the default holds. */
  updatedAt: Date | null;
}

/** The manager's settings. */
export interface SettingService {
  /** The value in use, secrets in clear; kept in memory until it is changed. */
  read<Key extends SettingKey>(key: Key): Promise<SettingValue<Key>>;
  list(): Promise<ShownSetting[]>;
  /** @throws AppError not_found */
  show(key: string): Promise<ShownSetting>;
  /** @throws AppError not_found, validation_error */
  write(key: string, value: string | number | boolean, actor: Actor): Promise<ShownSetting>;
  /** Told the key after each change; answers a function that ends it. */
  onChange(listener: (key: SettingKey) => void): () => void;
}
