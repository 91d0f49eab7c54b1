import type { Store } from '../../adapters/store/store.ts';
import { defineTable, key, text } from '../../adapters/store/table.ts';
import { newSecret } from '../../lib/ids.ts';
import { ConfigError } from './config.ts';
import type { DataDirectory } from './data-directory.ts';

/** Single values about the store itself. */
export const storeFacts = (store: Store) => defineTable(store, 'store_facts', { name: key(text(255)), value: text() });

const instanceName = 'instance_id';

/**
 * Identifies this installation to the engine: everything that it creates there has this label. Both managers of a pair have the
 * same; earlier versions kept it in the data directory.
 * @throws ConfigError where the data directory is that of another store
 */
export async function instanceId(store: Store, directory: Pick<DataDirectory, 'path' | 'earlierInstance'>) {
  const facts = storeFacts(store);
  const { earlierInstance: earlier, path } = directory;
  const kept = await facts.find({ name: instanceName });
  if (kept && earlier !== '' && earlier !== kept.value)
    throw new ConfigError(
      `DATA_DIR must be the one that belongs to the store: ${path} was used with another store (its file instance-id differs). Example: DATA_DIR=./data-2`,
    );
  if (kept) return kept.value;
  const value = earlier || newSecret(9);
  await facts.insert({ name: instanceName, value });
  return value;
}
