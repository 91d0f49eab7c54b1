import type { CertificateAuthority } from '../../../adapters/certificates/certificates.ts';
import { covers } from '../../../adapters/certificates/host-name.ts';
import type { Site, SiteTls } from '../../../adapters/proxies/proxy.ts';
import type { StoredCertificate } from './certificate-store.ts';

/**
 * The certificate for a host name: a valid one, preferably of the current authority, then the newest, then one that contains
 * the name itself instead of a wildcard. Undefined if there is none.
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
    // A stable order: otherwise a site would change each time.
    if (difference < 0) return a.fingerprint < b.fingerprint ? -1 : 1;
    return (others[difference] ?? 0) - (ranks(a)[difference] ?? 0);
  };
  return certificates.filter((one) => one.notAfter > now && covers(one, name)).sort(byRank)[0];
}

interface TlsFacts {
  /** The applied site, or the one to roll back to. */
  before: Site | null;
  certificates: readonly StoredCertificate[];
  authority: Pick<CertificateAuthority, 'id'> | undefined;
  /** The proxy obtains certificates itself. */
  resolver: boolean;
  now: Date;
  /** Choose the best certificate instead of keeping the current one. */
  refresh: boolean;
}

/**
 * Chooses the TLS settings of host names; null: HTTP only. Pure. Without `refresh`, a name keeps its certificate, so that a new
 * certificate that the proxy may reject does not block other changes. An expired certificate stays until there is another:
 * visitors who were redirected to HTTPS would otherwise find no site or an unencrypted one.
 */
export function chooseTls(facts: TlsFacts): (domain: string) => SiteTls | null {
  const { certificates, authority, resolver, now, refresh } = facts;
  const hosts = facts.before ? Object.values(facts.before.hosts) : [];
  const resolved = hosts.some(({ tls }) => tls?.kind === 'resolver');

  return (domain) => {
    const current = hosts.find((host) => host.domain === domain)?.tls;
    const inUse =
      current?.kind === 'certificate'
        ? certificates.find(({ fingerprint }) => fingerprint === current.fingerprint)
        : undefined;
    if (resolver) return refresh || resolved ? { kind: 'resolver' } : inUse && current ? current : null;
    if (!authority || (current === null && !refresh)) return null;
    if (inUse && current && !refresh && inUse.notAfter > now) return current;
    const best = chooseCertificate(domain, certificates, { now, authority }) ?? inUse;
    return best ? { kind: 'certificate', fingerprint: best.fingerprint } : null;
  };
}

/** Where certificates come from now. */
export interface CertificateOrigin {
  /** undefined: the manager obtains no certificates. */
  authority: CertificateAuthority | undefined;
  /** The proxy obtains certificates itself. */
  resolver: boolean;
}

/** The authority's name as saved with a site, to detect a change after a restart. */
export const currentAuthority = ({ authority, resolver }: CertificateOrigin): string =>
  authority?.id ?? (resolver ? 'resolver' : 'none');
