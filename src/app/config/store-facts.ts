import type { Store } from '../../adapters/store/store.ts';
import { defineTable, key, tableIn, text } from '../../adapters/store/table.ts';
import { newSecret } from '../../lib/ids.ts';

export const storeFactsTable = defineTable('store_facts', { name: key(text(255)), value: text() });

/** Single values about the store itself. */
export const storeFacts = (store: Store) => tableIn(store, storeFactsTable);

const instanceName = 'instance_id';

/** Identifies this installation to the engine: everything that it creates there has this label. Both managers of a pair have the same. */
export async function instanceId(store: Store): Promise<string> {
  const facts = storeFacts(store);
  const kept = await facts.find({ name: instanceName });
  if (kept) return kept.value;
  const value = newSecret(9);
  await facts.insert({ name: instanceName, value });
  return value;
}
