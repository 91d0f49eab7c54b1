import { z } from 'zod';
import type { Store } from '../../adapters/store/store.ts';
import type { SecretBox } from '../../lib/secret-box.ts';
import { type ConfigRow, createConfigStore } from './store.ts';

/** Binds the sealed entries of `custom_env` to their tenant (additional authenticated data). */
export const customEnvContext = (tenantId: string): string => `tenant:${tenantId}:custom_env`;

const entries = z.record(z.string(), z.string());

/** Seals all entries of `custom_env` together, because any of them may be a secret. */
export function createCustomEnvSealer(secretBox: SecretBox) {
  return {
    seal: (tenantId: string, custom: Readonly<Record<string, string>>): string | null =>
      Object.keys(custom).length === 0 ? null : secretBox.seal(JSON.stringify(custom), customEnvContext(tenantId)),
    open: ({ tenantId, customEnv }: Pick<ConfigRow, 'tenantId' | 'customEnv'>): Record<string, string> =>
      customEnv === null ? {} : entries.parse(JSON.parse(secretBox.open(customEnv, customEnvContext(tenantId)))),
  };
}

/** Seals the entries that earlier releases stored as plain text. Call it at startup. */
export async function sealPlaintextCustomEnv(store: Store, secretBox: SecretBox): Promise<void> {
  const rows = createConfigStore(store);
  const sealer = createCustomEnvSealer(secretBox);
  await store.transaction(async (transaction) => {
    for (const { tenantId, fields, customEnv } of await rows.all({ transaction })) {
      const { custom_env: plaintext, ...rest } = fields as Record<string, unknown>;
      if (plaintext === undefined) continue;
      const sealed = customEnv ?? sealer.seal(tenantId, entries.parse(plaintext));
      await rows.update({ fields: rest, customEnv: sealed }, { tenantId }, transaction);
    }
  });
}
