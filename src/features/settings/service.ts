import type { Actor, WriteAuditLog } from '../../adapters/events/audit-log-entry.ts';
import type { Store } from '../../adapters/store/store.ts';
import type { Clock } from '../../lib/clock.ts';
import { AppError, messageOf, notFound } from '../../lib/errors.ts';
import type { Logger } from '../../lib/logger.ts';
import type { SecretBox } from '../../lib/secret-box.ts';
import type { SettingDefinition, ValueType } from './definition.ts';
import { isSettingKey, type SettingKey, type SettingValue, settingDefinitions } from './definitions.ts';
import { hiddenMarker, parseValue, readValue } from './parse-value.ts';
import type { SettingRow, SettingStore } from './store.ts';

/** A setting as users see it, with a secret's value hidden. */
export interface SettingView {
  key: SettingKey;
  value: string;
  valueType: ValueType;
  description: string;
  isSecret: boolean;
  /** null: never changed; the default applies. */
  updatedAt: Date | null;
}

/** A changed setting and the secrets that the change cleared. */
type ChangedSetting = SettingView & { updatedAt: Date; cleared: SettingKey[] };

/** The manager's settings. */
export interface SettingService {
  /** The effective value, with secrets decrypted; cached until it changes. */
  read<Key extends SettingKey>(key: Key): Promise<SettingValue<Key>>;
  list(): Promise<SettingView[]>;
  /** @throws AppError not_found */
  show(key: string): Promise<SettingView>;
  /** @throws AppError not_found, validation_error */
  write(key: string, value: string | number | boolean, actor: Actor): Promise<ChangedSetting>;
  /** @throws AppError validation_error that lists every value `write` would reject */
  check(values: Readonly<Record<string, string | number | boolean>>): void;
  /** Calls the listener with the key after each change. @returns a function that removes the listener */
  onChange(listener: (key: SettingKey) => void): () => void;
}

export interface SettingsDeps {
  store: Store;
  clock: Clock;
  logger: Logger;
  writeAuditLog: WriteAuditLog;
  secretBox: SecretBox;
}

type Rows = ReadonlyMap<string, SettingRow>;

export function createSettingService(
  rows: SettingStore,
  { clock, logger, writeAuditLog, secretBox }: SettingsDeps,
): SettingService {
  let cached: Promise<Rows> | undefined;
  const listeners = new Set<(key: SettingKey) => void>();

  async function load(): Promise<Rows> {
    if (cached) return cached;
    const loading = rows.all().then((all) => new Map(all.map((row) => [row.key, row])));
    cached = loading;
    // Don't cache a failure: the next read tries the database again.
    loading.catch(() => {
      if (cached === loading) cached = undefined;
    });
    return loading;
  }

  function valueInUse(key: SettingKey, row: SettingRow | undefined): string | number | boolean {
    const definition: SettingDefinition = settingDefinitions[key];
    if (!row) return definition.default;
    const value = readValue(definition, definition.secret ? unseal(key, row.value) : row.value);
    if (value === undefined) logger.warn({ setting: key }, 'stored setting is out of range; using the default');
    return value ?? definition.default;
  }

  function unseal(key: SettingKey, sealed: string): string {
    if (sealed === '') return '';
    try {
      return secretBox.open(sealed, settingContext(key));
    } catch (error) {
      throw new Error(`Can't decrypt the setting ${key}. SECRET_KEY may have changed: set the setting again.`, {
        cause: error,
      });
    }
  }

  function shown(key: SettingKey, row: SettingRow | undefined): SettingView {
    const definition: SettingDefinition = settingDefinitions[key];
    const hidden = row && row.value !== '' ? hiddenMarker : '';
    return {
      key,
      value: definition.secret ? hidden : String(valueInUse(key, row)),
      valueType: definition.type,
      description: definition.description,
      isSecret: definition.secret ?? false,
      updatedAt: row?.updatedAt ?? null,
    };
  }

  /** The secrets that are set and that a change of this setting clears. */
  async function secretsToClear(definition: SettingDefinition): Promise<SettingKey[]> {
    const stored = await load();
    const secrets = 'clears' in definition ? (definition.clears ?? []).filter(isSettingKey) : [];
    return secrets.filter((secret) => stored.get(secret)?.value);
  }

  function notify(key: SettingKey): void {
    for (const listener of listeners) {
      try {
        listener(key);
      } catch (error) {
        logger.error({ setting: key, message: messageOf(error) }, 'a listener for a setting failed');
      }
    }
  }

  return {
    async read<Key extends SettingKey>(key: Key) {
      return valueInUse(key, (await load()).get(key)) as SettingValue<Key>;
    },

    async list() {
      const stored = await load();
      return (Object.keys(settingDefinitions) as SettingKey[]).map((key) => shown(key, stored.get(key)));
    },

    async show(key) {
      const known = knownKey(key);
      return shown(known, (await load()).get(known));
    },

    async write(key, value, actor) {
      const known = knownKey(key);
      const definition: SettingDefinition = settingDefinitions[known];
      const text = parseValue(definition, value);
      const before = shown(known, (await load()).get(known)).value;
      const stored = definition.secret && text !== '' ? secretBox.seal(text, settingContext(known)) : text;
      const row = { key: known, value: stored, updatedAt: clock.now() };
      const cleared = text === before ? [] : await secretsToClear(definition);
      // Clear first: an interrupted change must not leave an old secret for the new address.
      for (const secret of cleared) await rows.upsert({ key: secret, value: '', updatedAt: row.updatedAt });
      await rows.upsert(row);
      cached = undefined;
      for (const changed of [known, ...cleared]) notify(changed);
      const after = { ...shown(known, row), updatedAt: row.updatedAt, cleared };
      await writeAuditLog({
        level: 'info',
        category: 'audit',
        topic: 'settings',
        message: `Setting ${known} changed by ${actor.username}`,
        details: {
          user_id: actor.userId,
          username: actor.username,
          setting: known,
          before,
          after: after.value,
          ...(cleared.length > 0 ? { forgotten: cleared } : {}),
        },
      });
      return after;
    },

    check(values) {
      const issues = Object.entries(values).flatMap(([key, value]) => {
        const path = `values.${key}`;
        if (!isSettingKey(key)) return [{ path, message: 'is not a setting' }];
        try {
          parseValue(settingDefinitions[key], value);
          return [];
        } catch (error) {
          if (!(error instanceof AppError) || !error.issues) throw error;
          return error.issues.map(({ message }) => ({ path, message }));
        }
      });
      if (issues.length > 0) {
        const sentence = issues.map(({ path, message }) => `${path}: ${message}`).join('; ');
        throw new AppError('validation_error', sentence, { issues });
      }
    },

    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** Binds a sealed value to its setting (additional authenticated data). */
export const settingContext = (key: string): string => `setting:${key}`;

function knownKey(key: string): SettingKey {
  if (!isSettingKey(key)) throw notFound('setting', key);
  return key;
}
