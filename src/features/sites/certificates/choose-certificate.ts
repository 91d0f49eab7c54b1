import type { CertificateAuthority } from '../../../adapters/certificates/certificates.ts';
import { covers } from '../../../adapters/certificates/host-name.ts';
import type { StoredCertificate } from './certificate-store.ts';

/**
 * The certificate a host name is served with: one that is valid now, of the authority in use before others', of several the one taken
 * last, as whoever brings a new one wants it to count, and of those taken together the one that says the name itself.
 * Undefined where there is none.
 */
export function chooseCertificate<T extends Omit<StoredCertificate, 'id' | 'tenantId'>>(
  name: string,
  certificates: readonly T[],
  circumstances: { now: Date; authority: Pick<CertificateAuthority, 'id'> | undefined },
): T | undefined {
  const { now, authority } = circumstances;
  const ranks = (one: T): number[] => [
    one.authority === authority?.id ? 1 : 0,
    one.createdAt.getTime(),
    one.names.includes(name) ? 1 : 0,
  ];
  const byRank = (a: T, b: T): number => {
    const others = ranks(b);
    const difference = ranks(a).findIndex((rank, index) => rank !== others[index]);
    // The same ones are always the same way round, else a site would change with each look.
    if (difference < 0) return a.fingerprint < b.fingerprint ? -1 : 1;
    return (others[difference] ?? 0) - (ranks(a)[difference] ?? 0);
  };
  return certificates.filter((one) => one.notAfter > now && covers(one, name)).sort(byRank)[0];
}
