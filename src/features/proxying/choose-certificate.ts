import type { CertificateSource } from '../../platform/certificates/certificates.ts';
import { covers } from '../../platform/certificates/host-name.ts';
import type { KeptCertificate } from './vault.ts';

/**
 * The certificate a host name is served with: one that is valid now, of the source in use before others', and of several
 * the one taken last, as whoever brings a new one wants it to count. Undefined where there is none.
 */
export function chooseCertificate<T extends Omit<KeptCertificate, 'id' | 'tenantId'>>(
  name: string,
  certificates: readonly T[],
  circumstances: { now: Date; source: CertificateSource | undefined },
): T | undefined {
  const { now, source } = circumstances;
  const preference = (one: T): number => (one.source === source ? 1 : 0);
  return certificates
    .filter((one) => one.notAfter > now && covers(one, name))
    .sort((a, b) => preference(b) - preference(a) || b.createdAt.getTime() - a.createdAt.getTime())[0];
}
