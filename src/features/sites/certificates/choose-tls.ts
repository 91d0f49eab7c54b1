import type { CertificateAuthority } from '../../../adapters/certificates/certificates.ts';
import type { Site, SiteTls } from '../../../adapters/proxies/proxy.ts';
import type { StoredCertificate } from './certificate-store.ts';
import { chooseCertificate } from './choose-certificate.ts';

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
