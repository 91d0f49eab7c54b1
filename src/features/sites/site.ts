import {
  type RenderedSite,
  type ReverseProxy,
  type Site,
  type SiteHost,
  type SiteRole,
  type SiteTls,
  siteRoles,
} from '../../adapters/proxies/proxy.ts';
import type { Tenant } from '../tenants/tenant.ts';

/** The addresses of one unit for the proxy. */
export type Upstreams = Pick<SiteHost, 'upstream' | 'backups' | 'healthPath'>;

const secondsOfDay = 86_400;

/** The site a tenant should have. Pure. */
export function planSite(facts: {
  tenant: Pick<Tenant, 'id' | 'slug' | 'domain' | 'apiDomain'>;
  upstreams: Record<SiteRole, Upstreams>;
  /** The TLS settings of a host name; null: HTTP only. */
  tlsOf(domain: string): SiteTls | null;
  hstsDays: number;
  hasFrontProxies: boolean;
}): Site {
  const { tenant, upstreams, tlsOf, hstsDays, hasFrontProxies } = facts;
  const { id, slug, domain, apiDomain } = tenant;
  return {
    tenant: { id, slug },
    hosts: {
      frontend: { domain, ...upstreams.frontend, tls: tlsOf(domain) },
      api: { domain: apiDomain, ...upstreams.api, tls: tlsOf(apiDomain) },
    },
    hstsSeconds: hstsDays * secondsOfDay,
    ...(hasFrontProxies ? { isBehindFront: true } : {}),
  };
}

/** The upstreams of a site. */
export const upstreamsAt = ({ hosts: { frontend, api } }: Site): Record<SiteRole, Upstreams> => ({
  frontend: addressesAt(frontend),
  api: addressesAt(api),
});

/** Sites are compared as they are stored: what they don't have has no key. */
const addressesAt = ({ upstream, backups, healthPath }: SiteHost): Upstreams => ({
  upstream,
  ...(backups ? { backups } : {}),
  ...(healthPath === undefined ? {} : { healthPath }),
});

/** The same site with other TLS settings. */
export function withTls(site: Site, tlsOf: (domain: string) => SiteTls | null): Site {
  const { frontend, api } = site.hosts;
  return {
    ...site,
    hosts: {
      frontend: { ...frontend, tls: tlsOf(frontend.domain) },
      api: { ...api, tls: tlsOf(api.domain) },
    },
  };
}

export function domainsOf(site: Site): string[] {
  return siteRoles.map((role) => site.hosts[role].domain);
}

/** Whether every host is served over TLS. */
export function isSecure(site: Site): boolean {
  return siteRoles.every((role) => site.hosts[role].tls !== null);
}

/** The fingerprints of the certificates a site refers to. */
export function fingerprintsOf(site: Site): Set<string> {
  return new Set(
    siteRoles.flatMap((role) => {
      const { tls: used } = site.hosts[role];
      return used?.kind === 'certificate' ? [used.fingerprint] : [];
    }),
  );
}

/** Whether a site serves the names a tenant has now. */
export function servesNamesOf(site: Site, tenant: Pick<Tenant, 'domain' | 'apiDomain'>): boolean {
  return site.hosts.frontend.domain === tenant.domain && site.hosts.api.domain === tenant.apiDomain;
}

/** A site's file for the API; no text if the proxy can't render the site (applied with other settings, or with invalid values). */
export function renderedIfPossible(
  proxy: Pick<ReverseProxy, 'render'>,
  site: Site,
): { path: string; text: string | null } {
  try {
    return proxy.render(site);
  } catch {
    return { path: pathOf(proxy, site), text: null };
  }
}

/** The path of a site's file, which depends only on its tenant. */
export function pathOf(proxy: Pick<ReverseProxy, 'render'>, { tenant }: Pick<Site, 'tenant'>): RenderedSite['path'] {
  const upstream = { host: '127.0.0.1', port: 1 };
  const hosts = {
    frontend: { domain: 'frontend.invalid', upstream, tls: null },
    api: { domain: 'api.invalid', upstream, tls: null },
  };
  return proxy.render({ tenant, hosts, hstsSeconds: 0 }).path;
}

/** The addresses of a tenant's units for the proxy. */
export type UpstreamsOf = (tenant: Tenant) => Promise<Record<SiteRole, Upstreams>>;
