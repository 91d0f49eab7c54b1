import type { CertificateAuthority } from '../../../adapters/certificates/certificates.ts';
import { covers } from '../../../adapters/certificates/host-name.ts';
import type { Site, SiteTls } from '../../../adapters/proxies/proxy.ts';
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

interface TlsFacts {
  /** The site that is in service, or is to be gone back to. */
  before: Site | null;
  certificates: readonly StoredCertificate[];
  authority: Pick<CertificateAuthority, 'id'> | undefined;
  /** The proxy gets certificates by itself. */
  resolver: boolean;
  now: Date;
  /** The best there is now, instead of what is in service. */
  anew: boolean;
}

/**
 * What host names are to be served with over TLS; null: HTTP alone. Pure. A name that is in service keeps what it has unless it is
 * asked for anew: a certificate that the proxy may refuse, or that came only a moment ago, stops no other change. One that
 * has expired is served until there is another: visitors who have been led to HTTPS would find nothing, or be led back to
 * an open line.
 */
export function chooseTls(facts: TlsFacts): (domain: string) => SiteTls | null {
  const { certificates, authority, resolver, now, anew } = facts;
  const hosts = facts.before ? Object.values(facts.before.hosts) : [];
  const resolved = hosts.some(({ tls }) => tls?.kind === 'resolver');

  return (domain) => {
    const current = hosts.find((host) => host.domain === domain)?.tls;
    const inUse =
      current?.kind === 'certificate'
        ? certificates.find(({ fingerprint }) => fingerprint === current.fingerprint)
        : undefined;
    if (resolver) return anew || resolved ? { kind: 'resolver' } : inUse && current ? current : null;
    if (!authority || (current === null && !anew)) return null;
    if (inUse && current && !anew && inUse.notAfter > now) return current;
    const best = chooseCertificate(domain, certificates, { now, authority }) ?? inUse;
    return best ? { kind: 'certificate', fingerprint: best.fingerprint } : null;
  };
}

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
