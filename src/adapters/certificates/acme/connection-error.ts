import { messageOf } from '../../../lib/errors.ts';
import { AcmeError } from './problem.ts';

/** Codes of OpenSSL's verification by which the other side's certificate is not trusted. */
const untrusted = new Set([
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'CERT_SIGNATURE_FAILURE',
  'CERT_UNTRUSTED',
  'INVALID_CA',
]);
const lasting = new Set([
  'ENOTFOUND',
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'EPROTO',
]);

/** The error where no answer came from the authority: what failed, and which setting to look at. */
export function connectionError(error: unknown, hasOwnBundle: boolean): AcmeError {
  const code = codeOf(error);
  if (untrusted.has(code)) {
    const advice = hasOwnBundle
      ? 'ACME_CA_FILE does not hold the root certificate it is signed by'
      : 'where the authority is your own, name its root certificates by ACME_CA_FILE';
    return new AcmeError(`its TLS certificate is not trusted (${wordsOf(error)}): ${advice}`, { cause: error });
  }
  const transient = !lasting.has(code) && !code.startsWith('ERR_SSL_') && !code.startsWith('HPE_');
  return new AcmeError(`it cannot be reached: ${wordsOf(error)}`, { transient, cause: error });
}

function codeOf(error: unknown): string {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : '';
}

/** A name with several addresses fails with one error each, and no message of its own. */
function wordsOf(error: unknown): string {
  const several = typeof error === 'object' && error !== null && 'errors' in error ? error.errors : undefined;
  return Array.isArray(several) ? several.map(messageOf).join('; ') : messageOf(error);
}
