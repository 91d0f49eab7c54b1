import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { CertificateAuthority } from '../../../adapters/certificates/certificates.ts';
import { createOperatorFiles } from '../../../adapters/certificates/operator-files.ts';
import { createSelfSigned } from '../../../adapters/certificates/self-signed.ts';
import type { ReverseProxy } from '../../../adapters/proxies/proxy.ts';
import type { Clock } from '../../../lib/clock.ts';
import { messageOf } from '../../../lib/errors.ts';
import { type Config, ConfigError } from '../../config/config.ts';

interface AccountKeys {
  load(): Promise<string | undefined>;
  save(keyPem: string): Promise<void>;
}

/** Where tenants' certificates come from; `resolver`: the proxy obtains them. */
export interface CertificateChoice {
  authority(accounts: { at(directoryUrl: string): AccountKeys }): CertificateAuthority | undefined;
  resolver: boolean;
}

/** What CERTIFICATES names. @throws ConfigError where ACME_CA_FILE can't be used */
export async function chooseCertificates(
  config: Config,
  proxy: ReverseProxy,
  clock: Clock,
): Promise<CertificateChoice> {
  const none = { authority: () => undefined, resolver: false };
  switch (config.CERTIFICATES) {
    case 'none':
      return none;
    case 'self-signed':
      return { ...none, authority: () => createSelfSigned({ clock }) };
    case 'files':
      return {
        ...none,
        authority: () => createOperatorFiles({ directory: config.CERTIFICATE_DIRECTORY ?? '', clock }),
      };
    case 'acme': {
      const { challenges } = proxy;
      // A proxy that answers challenges itself also obtains the certificates.
      if (!challenges) return { ...none, resolver: true };
      const caBundle = caBundleOf(config.ACME_CA_FILE);
      const { createAcme } = await import('../../../adapters/certificates/acme/acme.ts');
      return {
        resolver: false,
        authority: (accounts) =>
          createAcme({
            directoryUrl: config.ACME_DIRECTORY_URL,
            email: config.ACME_EMAIL,
            caBundle,
            binding: bindingOf(config),
            accounts: accounts.at(config.ACME_DIRECTORY_URL),
            challenges,
            clock,
          }),
      };
    }
    default:
      throw new Error(`Unknown certificates ${config.CERTIFICATES satisfies never}`);
  }
}

function caBundleOf(path: string | undefined): string | undefined {
  if (path === undefined) return undefined;
  try {
    const text = readFileSync(path, 'utf8');
    // TLS reads a text without certificates as an empty list, and then trusts no authority.
    new X509Certificate(text);
    return text;
  } catch (error) {
    throw new ConfigError(`ACME_CA_FILE can’t be used, it must be a file of certificates in PEM: ${messageOf(error)}`);
  }
}

function bindingOf({ ACME_EAB_KEY_ID: kid, ACME_EAB_HMAC_KEY: hmacKey }: Config) {
  return kid === undefined || hmacKey === undefined ? undefined : { kid, hmacKey };
}
