import type { Store } from '../../adapters/store/store.ts';
import { createSecretBox } from '../../lib/secret-box.ts';
import { ConfigError } from './config.ts';
import type { DataDirectory } from './data-directory.ts';
import { unreadableValues } from './sealed-values.ts';
import { storeFacts } from './store-facts.ts';

export const secretKeyCheck = 'secret_key_check';
const checkText = 'tenantry';

/** Whether a key is the one that made the store's check value. */
function fitsCheck(secretKey: string, value: string): boolean {
  try {
    return createSecretBox(secretKey).open(value, secretKeyCheck) === checkText;
  } catch {
    return false;
  }
}

/** Makes sure that a standby has the active manager's key, by the check value of their store. @throws ConfigError */
export function assertSameKey(secretKey: string | undefined, value: string | undefined): void {
  if (value === undefined || fitsCheck(secretKey ?? '', value)) return;
  throw new ConfigError('SECRET_KEY must be the same for both managers: the active one’s secrets need another key.');
}

/**
 * Makes sure that the key is the one that encrypted the store's secrets, by a check value that it can open; keeps a new key
 * only once that is known.
 * @throws ConfigError where it is another key, unless `forget` is set
 */
export async function checkSecretKey({
  store,
  directory,
  forget,
  onSecretsLost,
}: {
  store: Store;
  directory: Pick<DataDirectory, 'secretKey' | 'keepSecretKey'>;
  /** Clear what another key encrypted, instead of ending the start. */
  forget: boolean;
  /** Called for each value that was cleared, with what its user has to do. */
  onSecretsLost(lost: string): void;
}): Promise<void> {
  const secretBox = createSecretBox(directory.secretKey);
  const facts = storeFacts(store);
  const row = await facts.find({ name: secretKeyCheck });
  if (row && fitsCheck(directory.secretKey, row.value)) return directory.keepSecretKey();

  const unreadable = await unreadableValues(store, secretBox);
  if ((row || unreadable.length > 0) && !forget) throw wrongKey(unreadable.length);
  await directory.keepSecretKey();
  for (const { lost, clear } of unreadable) {
    await clear();
    onSecretsLost(lost);
  }
  await facts.upsert({ name: secretKeyCheck, value: secretBox.seal(checkText, secretKeyCheck) });
}

const wrongKey = (count: number): ConfigError =>
  new ConfigError(
    [
      `SECRET_KEY does not fit the store: another key encrypted its secrets (${count} can't be decrypted).`,
      'Restore that key: set SECRET_KEY to it, or put it into the file secret.key in DATA_DIR.',
      'If it is lost, start once with: npm start -- --forget-secrets',
      'That clears the secrets that can’t be decrypted, lists what must be entered again, and starts.',
    ].join('\n'),
  );
