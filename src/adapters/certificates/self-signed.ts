import { randomBytes, webcrypto } from 'node:crypto';
import type { Clock } from '../../lib/clock.ts';
import { type Certificate, type CertificateAuthority, CertificateRefused } from './certificates.ts';
import { isHostName } from './host-name.ts';
import { readCertificate } from './read-certificate.ts';

const dayMs = 86_400_000;
/** Valid a little earlier: the browser's clock may be behind ours. */
const backdatedMs = 5 * 60_000;

/**
 * Self-signed certificates for local testing: browsers warn of them until they are trusted manually.
 * @param options.days how long each is valid
 */
export function createSelfSigned(options: { days?: number; clock: Clock }): CertificateAuthority {
  const { days = 90, clock } = options;
  return {
    source: 'self-signed',
    id: 'self-signed',
    async obtain(names, work) {
      work.signal.throwIfAborted();
      const invalidName = names.find((name) => !isHostName(name));
      if (invalidName !== undefined || names.length === 0)
        throw new CertificateRefused(
          invalidName === undefined ? 'no names were given' : `${invalidName} is no host name`,
        );
      const certificate = await selfSigned([...new Set(names)], clock.now(), days);
      work.log(`Made a self-signed certificate for ${names.join(', ')}, valid for ${days} days`);
      return [certificate];
    },
    // There is no authority that could revoke it.
    revoke: async () => undefined,
  };
}

/** One leaf for all names: ECDSA P-256, signed by its own key. */
async function selfSigned(names: readonly string[], now: Date, days: number): Promise<Certificate> {
  // Loaded on first use: most installations never need it.
  const x509 = await import('@peculiar/x509');
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  const keys = (await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])) as webcrypto.CryptoKeyPair;
  const serial = randomBytes(16);
  // A positive number without leading zeros (RFC 5280, 4.1.2.2).
  serial[0] = ((serial[0] ?? 0) & 0x3f) | 0x40;
  const leaf = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serial.toString('hex'),
    name: 'CN=Tenantry self-signed',
    notBefore: new Date(now.getTime() - backdatedMs),
    notAfter: new Date(now.getTime() + days * dayMs),
    keys,
    signingAlgorithm: algorithm,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension(names.map((value) => ({ type: 'dns', value }))),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  const key = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)).toString('base64');
  return readCertificate(leaf.toString('pem'), `-----BEGIN PRIVATE KEY-----\n${key}\n-----END PRIVATE KEY-----\n`);
}
