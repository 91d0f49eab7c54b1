import type { Work } from '../../lib/concurrency/work.ts';

/** Sources of certificates. */
export type CertificateSource = 'acme' | 'files' | 'self-signed';

/** Facts from a certificate. */
export interface CertificateFacts {
  /** The host names it is for, with wildcards. */
  names: string[];
  notBefore: Date;
  notAfter: Date;
  /** The issuer's common name, or its organization where it has none. */
  issuer: string;
  /** SHA-256 of the leaf in DER: 64 lower-case hexadecimal digits. */
  fingerprint: string;
}

export interface Certificate extends CertificateFacts {
  /** PEM, the leaf first. */
  chain: string;
  /** PEM; never logged. */
  privateKey: string;
}

/** No certificate was issued; the message gives the reason, in the authority's own words if possible. */
export class CertificateRefused extends Error {
  /** The authority asks to wait until then. */
  readonly retryAt: Date | undefined;

  constructor(message: string, options: { retryAt?: Date | undefined; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.name = 'CertificateRefused';
    this.retryAt = options.retryAt;
  }
}

export interface CertificateAuthority {
  readonly source: CertificateSource;
  /** Identifies an authority, also after restarts: one source may have several (an ACME staging directory, then another). */
  readonly id: string;
  /** Certificates that together cover the names (one for all, or one per name). @throws CertificateRefused */
  obtain(names: readonly string[], work: Work): Promise<Certificate[]>;
  /** Revokes it, if the authority supports that. @throws CertificateRefused */
  revoke(certificate: Certificate, work: Work): Promise<void>;
}
