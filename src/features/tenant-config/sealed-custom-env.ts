import { z } from 'zod';
import type { SecretBox } from '../../lib/secret-box.ts';
import type { ConfigRow } from './store.ts';

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
