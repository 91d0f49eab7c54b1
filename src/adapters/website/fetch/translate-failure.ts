import { messageOf } from '../../../lib/errors.ts';
import { WebsiteUnreadable } from '../website.ts';
import type { Target } from './address.ts';

/** What OpenSSL and Node find wrong with a certificate, in plain words; the codes are those of Node's `tls`. */
const certificateFaults: Record<string, string> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is signed by itself',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is signed by an authority that is not trusted here',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate can’t be traced to a trusted authority',
  UNABLE_TO_GET_ISSUER_CERT: 'its certificate can’t be traced to a trusted authority',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its certificate can’t be traced to a trusted authority',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet',
  CERT_REVOKED: 'its certificate was revoked',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
};

/** Tells a failed request in our words; what is told already stays as it is. */
export function translateFailure(error: unknown, { host, port }: Target): WebsiteUnreadable {
  if (error instanceof WebsiteUnreadable) return error;
  const code = codeOf(error);
  const fault = certificateFaults[code];
  if (fault !== undefined) return new WebsiteUnreadable('tls', `TLS failed with ${host}: ${fault}`, error);
  // Of a connection that ends within the handshake Node tells by its wording alone.
  if (/^(EPROTO$|ERR_SSL_|ERR_TLS_|CERT_|CRL_)/.test(code) || messageOf(error).includes('before secure TLS connection'))
    return new WebsiteUnreadable(
      'tls',
      `TLS failed with ${host} on port ${port}: it could not agree on an encryption`,
      error,
    );
  if (/TIMEOUT|ETIMEDOUT/.test(code)) return new WebsiteUnreadable('timeout', `${host} did not answer in time`, error);
  if (code === 'UND_ERR_HEADERS_OVERFLOW')
    return new WebsiteUnreadable('too_large', `${host} sends more headers than are read`, error);
  if (code.startsWith('HPE_'))
    return new WebsiteUnreadable('broken', `${host} does not answer with HTTP on port ${port}`, error);
  if (code.startsWith('Z_') || code.startsWith('ERR__ERROR') || code.startsWith('ERR_BROTLI'))
    return new WebsiteUnreadable('broken', `What ${host} sent could not be unpacked`, error);
  return new WebsiteUnreadable('broken', `The connection to ${host} broke off: ${messageOf(error)}`, error);
}

function codeOf(error: unknown): string {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : '';
}
