import { createPrivateKey, generateKeyPair } from 'node:crypto';
import { promisify } from 'node:util';
import { messageOf } from '../../../lib/errors.ts';
import { CertificateRefused } from '../certificates.ts';

/** Stores the account's key beyond the manager's life; the caller encrypts it. */
export interface AccountKeys {
  load(): Promise<string | undefined>;
  save(keyPem: string): Promise<void>;
}

/** ECDSA P-256 as PKCS #8 in PEM: supported by every authority and browser. */
export async function newPrivateKey(): Promise<string> {
  const { privateKey } = await promisify(generateKeyPair)('ec', { namedCurve: 'P-256' });
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

/** The account's key; a new one is saved before it is used, so that no account exists without its key. */
export async function accountKey(keys: AccountKeys): Promise<string> {
  const saved = await keys.load();
  if (saved !== undefined) {
    try {
      createPrivateKey(saved);
      return saved;
    } catch (error) {
      throw new CertificateRefused(`the saved key of the ACME account cannot be read: ${messageOf(error)}`, {
        cause: error,
      });
    }
  }
  const made = await newPrivateKey();
  await keys.save(made);
  return made;
}
