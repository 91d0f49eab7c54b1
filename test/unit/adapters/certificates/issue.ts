import { webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';

type Keys = webcrypto.CryptoKeyPair;

/** A certificate with its keys, able to sign others. */
export interface Issued {
  certificate: x509.X509Certificate;
  pem: string;
  key: string;
  keys: Keys;
}

const ecdsa = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
export const rsa = (modulusLength: number, hash = 'SHA-256'): KeyKind => ({
  name: 'RSASSA-PKCS1-v1_5',
  hash,
  modulusLength,
  publicExponent: new Uint8Array([1, 0, 1]),
});
type KeyKind = webcrypto.EcKeyGenParams | webcrypto.RsaHashedKeyGenParams;

export const dayMs = 86_400_000;

/** A certificate as requested: names, issuer or self-signed, any key and dates, also invalid ones. */
export async function issue(wish: {
  names?: readonly string[];
  subject?: string;
  by?: Issued;
  ca?: boolean;
  kind?: KeyKind;
  /** Its keys; new ones by default. */
  keys?: Keys;
  from?: Date;
  until?: Date;
}): Promise<Issued> {
  const kind = wish.kind ?? ecdsa;
  const keys = wish.keys ?? ((await webcrypto.subtle.generateKey(kind, true, ['sign', 'verify'])) as Keys);
  const subject = wish.subject ?? 'CN=leaf';
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: '01',
    subject,
    issuer: wish.by?.certificate.subject ?? subject,
    notBefore: wish.from ?? new Date(Date.now() - dayMs),
    notAfter: wish.until ?? new Date(Date.now() + 30 * dayMs),
    publicKey: keys.publicKey,
    signingKey: wish.by?.keys.privateKey ?? keys.privateKey,
    signingAlgorithm: kind as x509.X509CertificateCreateParams['signingAlgorithm'] & KeyKind,
    extensions: [
      new x509.BasicConstraintsExtension(wish.ca ?? false, undefined, true),
      ...(wish.names
        ? [new x509.SubjectAlternativeNameExtension(wish.names.map((value) => ({ type: 'dns', value })))]
        : []),
    ],
  });
  const der = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)).toString('base64');
  const key = `-----BEGIN PRIVATE KEY-----\n${der}\n-----END PRIVATE KEY-----\n`;
  return { certificate, pem: `${certificate.toString('pem')}\n`, key, keys };
}
