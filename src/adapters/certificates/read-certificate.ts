import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { messageOf } from '../../lib/errors.ts';
import { type Certificate, CertificateRefused } from './certificates.ts';
import { covers } from './host-name.ts';

const maxBytes = 256 * 1024;
const maxCertificates = 10;
const minRsaBits = 2048;
/** Tolerated difference between the authority's clock and ours. */
const clockSkewMs = 5 * 60_000;

/**
 * Reads a certificate chain and its private key, both PEM, and checks what does not depend on the time or on a name: that the
 * key matches the leaf, that each certificate is signed by the next, and that none is too weak. The result is written again:
 * comments and foreign blocks are dropped, the key is PKCS #8.
 * @throws CertificateRefused with the reason
 */
export function readCertificate(chainPem: string, keyPem: string): Certificate {
  const chain = readChain(chainPem);
  const [leaf] = chain;
  if (!leaf) throw new CertificateRefused('no PEM certificate in it');
  const key = readKey(keyPem);
  if (!leaf.checkPrivateKey(key)) throw new CertificateRefused('the private key is not that of the certificate');
  checkOrder(chain);
  for (const [index, certificate] of chain.entries()) checkStrength(certificate, labelOf(index));
  return {
    names: namesOf(leaf),
    notBefore: leaf.validFromDate,
    notAfter: leaf.validToDate,
    issuer: issuerOf(leaf),
    fingerprint: leaf.fingerprint256.replaceAll(':', '').toLowerCase(),
    chain: chain.map((certificate) => certificate.toString()).join(''),
    privateKey: key.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

/**
 * Checks that a certificate may be served for these names now.
 * @throws CertificateRefused that says which name is missing, or since or until when it is not valid
 */
export function checkUse(
  certificate: Pick<Certificate, 'names' | 'notBefore' | 'notAfter'>,
  { names, now }: { names: readonly string[]; now: Date },
): void {
  const { notBefore, notAfter } = certificate;
  if (notAfter <= now) throw new CertificateRefused(`it expired at ${notAfter.toISOString()}`);
  if (notBefore.getTime() > now.getTime() + clockSkewMs)
    throw new CertificateRefused(
      `it is valid only from ${notBefore.toISOString()} on; it is ${now.toISOString()} here`,
    );
  const missing = names.filter((name) => !covers(certificate, name));
  if (missing.length > 0) {
    const has = certificate.names.length > 0 ? certificate.names.join(', ') : 'no host name';
    throw new CertificateRefused(`it is not for ${missing.join(' and ')} but for ${has}`);
  }
}

function readChain(pem: string): X509Certificate[] {
  if (pem.length > maxBytes) throw new CertificateRefused(`larger than ${maxBytes / 1024} KiB`);
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
  if (blocks.length > maxCertificates) throw new CertificateRefused(`more than ${maxCertificates} certificates in it`);
  return blocks.map((block, index) => {
    try {
      return new X509Certificate(block);
    } catch (error) {
      throw new CertificateRefused(`${labelOf(index)} cannot be read: ${messageOf(error)}`, { cause: error });
    }
  });
}

function readKey(pem: string): KeyObject {
  if (pem.length > maxBytes) throw new CertificateRefused(`the private key is larger than ${maxBytes / 1024} KiB`);
  if (!/-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(pem)) throw new CertificateRefused('no PEM private key');
  if (/-----BEGIN ENCRYPTED PRIVATE KEY-----|^Proc-Type: 4,ENCRYPTED/m.test(pem))
    throw new CertificateRefused('the private key is protected by a passphrase; provide it without one');
  try {
    return createPrivateKey(pem);
  } catch (error) {
    throw new CertificateRefused(`the private key cannot be read: ${messageOf(error)}`, { cause: error });
  }
}

/** RFC 8446, 4.4.2: the leaf first, each directly certifying the one before. */
function checkOrder(chain: readonly X509Certificate[]): void {
  for (const [index, certificate] of chain.entries()) {
    const next = chain[index + 1];
    if (next && !(certificate.checkIssued(next) && certificate.verify(next.publicKey)))
      throw new CertificateRefused(
        `${labelOf(index)} is not signed by ${labelOf(index + 1)}: the leaf comes first, then each its issuer`,
      );
  }
}

/** Checks what current servers and browsers reject. */
function checkStrength(certificate: X509Certificate, place: string): void {
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = certificate.publicKey;
  if (type === 'dsa') throw new CertificateRefused(`${place} has a DSA key, which no browser takes`);
  const bits = details?.modulusLength;
  if ((type === 'rsa' || type === 'rsa-pss') && (bits ?? 0) < minRsaBits)
    throw new CertificateRefused(`${place} has an RSA key of ${bits} bits; at least ${minRsaBits} are needed`);
  const root = certificate.checkIssued(certificate);
  if (!root && /md5|sha-?1(?!\d)/i.test(certificate.signatureAlgorithm ?? ''))
    throw new CertificateRefused(`${place} is signed with ${certificate.signatureAlgorithm}, which no browser takes`);
}

/** The DNS names among the subject alternative names; Node writes unusual ones as JSON strings. */
function namesOf(leaf: X509Certificate): string[] {
  const entries = (leaf.subjectAltName ?? '').matchAll(/(?:^|, )([^:,]+):("(?:[^"\\]|\\.)*"|[^,]*)/g);
  return [...entries].flatMap(([, type, value]) => (type === 'DNS' && value && !value.startsWith('"') ? [value] : []));
}

function issuerOf(leaf: X509Certificate): string {
  const field = (name: string): string | undefined =>
    leaf.issuer
      .split('\n')
      .find((line) => line.startsWith(`${name}=`))
      ?.slice(name.length + 1);
  return field('CN') ?? field('O') ?? 'unknown';
}

function labelOf(index: number): string {
  return index === 0 ? 'the certificate' : `certificate ${index + 1} of the chain`;
}
