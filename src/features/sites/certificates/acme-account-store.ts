import type { Clock } from '../../../lib/clock.ts';
import type { SecretBox } from '../../../lib/secret-box.ts';
import type { ProxyStore } from '../store.ts';

/** The encrypted keys of the manager's accounts at certificate authorities. */
export interface AcmeAccountStore {
  /** The account at one authority, by its directory URL. */
  at(directoryUrl: string): { load(): Promise<string | undefined>; save(keyPem: string): Promise<void> };
}

/** The encryption context that binds an account's key to its authority. */
export const accountContext = (directoryUrl: string): string => `acme-account:${directoryUrl}`;

export function createAcmeAccountStore(store: ProxyStore, secretBox: SecretBox, clock: Clock): AcmeAccountStore {
  return {
    at(directoryUrl) {
      const context = accountContext(directoryUrl);
      return {
        async load() {
          const sealed = await store.account(directoryUrl);
          return sealed === undefined ? undefined : secretBox.open(sealed, context);
        },
        save: (keyPem) =>
          store.saveAccount({ directoryUrl, sealed: secretBox.seal(keyPem, context), createdAt: clock.now() }),
      };
    },
  };
}
