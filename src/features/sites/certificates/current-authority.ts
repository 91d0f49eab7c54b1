import type { CertificateAuthority } from '../../../adapters/certificates/certificates.ts';

/** Where certificates come from now. */
export interface CertificateOrigin {
  /** undefined: none are obtained here. */
  authority: CertificateAuthority | undefined;
  /** The proxy obtains certificates by itself. */
  resolver: boolean;
}

/** As it is noted with a site, to see after a start whether it is another one. */
export const currentAuthority = ({ authority, resolver }: CertificateOrigin): string =>
  authority?.id ?? (resolver ? 'resolver' : 'none');
