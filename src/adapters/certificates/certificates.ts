/** Where certificates come from, in our own words. */
export type CertificateSource = 'acme' | 'files' | 'self-signed';

/** What a certificate says of itself. */
export interface CertificateFacts {
  /** The host names it is for, wildcards as they stand. */
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

/** A certificate that could not be had; the message says why, in the authority's own words where it gave any. */
export class CertificateRefused extends Error {
  /** The authority asked not to be asked before. */
  readonly retryAt: Date | undefined;

  constructor(message: string, options: { retryAt?: Date | undefined; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.name = 'CertificateRefused';
    this.retryAt = options.retryAt;
  }
}

interface Work {
  log(line: string): void;
  signal: AbortSignal;
}

export interface CertificateAuthority {
  readonly source: CertificateSource;
  /** Tells authorities apart, also over restarts: of one source there may be several (an ACME staging directory, then another). */
  readonly id: string;
  /** Certificates that together cover the names (one for all, or one a name). @throws CertificateRefused */
  obtain(names: readonly string[], work: Work): Promise<Certificate[]>;
  /** Makes it count no longer, where the authority has such a thing. @throws CertificateRefused */
  revoke(certificate: Certificate, work: Work): Promise<void>;
}
