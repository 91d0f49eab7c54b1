import { z } from 'zod';
import type { Store } from '../../adapters/store/store.ts';
import type { SecretBox } from '../../lib/secret-box.ts';
import { type ConfigRow, createConfigStore } from './store.ts';

/** What binds the sealed entries of `custom_env` to their tenant. */
export const customEnvContext = (tenantId: string): string => `tenant:${tenantId}:custom_env`;

const entries = z.record(z.string(), z.string());

/** Seals the entries of `custom_env` as a whole: any of them may be a secret. */
export function createCustomEnvSealer(secretBox: SecretBox) {
  return {
    seal: (tenantId: string, custom: Readonly<Record<string, string>>): string | null =>
      Object.keys(custom).length === 0 ? null : secretBox.seal(JSON.stringify(custom), customEnvContext(tenantId)),
    open: ({ tenantId, customEnv }: Pick<ConfigRow, 'tenantId' | 'customEnv'>): Record<string, string> =>
      customEnv === null ? {} : entries.parse(JSON.parse(secretBox.open(customEnv, customEnvContext(tenantId)))),
  };
}

/** Seals the entries that earlier releases kept in clear among the other fields. Call it at the start. */
export async function sealPlaintextCustomEnv(store: Store, secretBox: SecretBox): Promise<void> {
  const rows = createConfigStore(store);
  const vault = createCustomEnvSealer(secretBox);
  await store.transaction(async (transaction) => {
    for (const { tenantId, fields, customEnv } of await rows.all(transaction)) {
      const { custom_env: clear, ...rest } = fields as Record<string, unknown>;
      if (clear === undefined) continue;
      const sealed = customEnv ?? vault.seal(tenantId, entries.parse(clear));
      await rows.save(tenantId, { fields: rest, customEnv: sealed }, transaction);
    }
  });
}
