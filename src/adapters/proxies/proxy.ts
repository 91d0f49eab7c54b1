/**
 * The reverse proxy in front of the tenants, in our own words. One adapter a folder; one contract suite
 * (test/contracts/proxy.ts) runs against each. Every function is idempotent. Errors: AppError `proxy_unavailable` when the
 * proxy itself does not answer; a plain Error in the proxy's own words when it refuses a configuration.
 */
export type ProxyKind = 'none' | 'nginx' | 'traefik';

export const siteRoles = ['frontend', 'api'] as const;
export type SiteRole = (typeof siteRoles)[number];

/** Whose site it is. */
export interface SiteOwner {
  id: string;
  slug: string;
}

/** What a host is served with over TLS: a certificate put at the proxy before, or one the proxy gets by itself. */
export type SiteTls = { kind: 'certificate'; fingerprint: string } | { kind: 'resolver' };

/** One host name of a tenant. */
export interface SiteHost {
  domain: string;
  /** Where the proxy reaches the unit. */
  upstream: { host: string; port: number };
  /** null: HTTP alone. */
  tls: SiteTls | null;
}

/** A tenant's two virtual hosts: everything its configuration is rendered from. Holds no secrets. */
export interface Site {
  tenant: SiteOwner;
  hosts: Record<SiteRole, SiteHost>;
  /** Strict-Transport-Security's max-age where there is TLS; 0: no such header. */
  hstsSeconds: number;
}

/** A site's configuration as the proxy reads it. */
export interface RenderedSite {
  /** The file it belongs into (absolute). */
  path: string;
  text: string;
}

/** `edited`: not as rendered from the site; `missing`: no such file. */
export type SiteState = 'in_sync' | 'edited' | 'missing';

/** A site's file as found at the proxy, by its header. */
export interface FoundSite {
  tenant: SiteOwner;
  path: string;
  domains: Record<SiteRole, string>;
}

/** A certificate with its key, as the proxy serves it. */
export interface SiteCertificate {
  /** SHA-256 of the leaf in DER: 64 lower-case hexadecimal digits. */
  fingerprint: string;
  /** PEM, the leaf first. */
  chain: string;
  /** PEM; never logged. */
  privateKey: string;
}

/** What came back through the proxy from outside. */
export interface ProxyAnswer {
  status: 'up' | 'down';
  response_time_ms: number | null;
  status_code: number | null;
  /** Why it is down. */
  error?: string;
}

interface Work {
  log(line: string): void;
  signal: AbortSignal;
}

export interface ReverseProxy {
  readonly kind: ProxyKind;
  /** Makes its directories and common files, and looks whether the proxy includes them. Call once. */
  open(): Promise<void>;
  /** Ends what waits. */
  close(): Promise<void>;
  /** Asks the proxy anew; never throws. */
  availability(): Promise<{ available: true; version: string } | { available: false; reason: string }>;

  /** Pure: the same site gives the same text. */
  render(site: Site): RenderedSite;
  /**
   * Puts the site into service: written aside, tested by the proxy together with everybody else's, swapped in, reloaded, and
   * proven through the proxy, two other sites too. What failed changed nothing. Calls at the same time share a reload.
   */
  apply(site: Site, work: Work): Promise<{ changed: boolean }>;
  /** Takes the site and its certificates out of service. */
  remove(tenant: SiteOwner, work: Work): Promise<{ removed: boolean }>;
  /** Lays a certificate where `apply` will refer to it by its fingerprint; `apply` removes those no longer referred to. */
  putCertificate(tenant: SiteOwner, certificate: SiteCertificate): Promise<void>;

  state(site: Site): Promise<SiteState>;
  /** All files that bear our header, whether or not their tenant still exists. */
  found(): Promise<FoundSite[]>;
  /** Asks the proxy itself about the configuration in service. @throws AppError proxy_unavailable */
  test(): Promise<{ valid: boolean; output: string }>;
  /** Tests, then reloads. @throws AppError proxy_unavailable; Error in the proxy's own words where the test fails */
  reload(): Promise<void>;

  /** A request to the site through the proxy, as from outside, by its host name. Throws the signal's reason alone. */
  probe(
    host: Pick<SiteHost, 'domain' | 'tls'>,
    path: string,
    options: { timeoutMs: number; signal?: AbortSignal | undefined },
  ): Promise<ProxyAnswer>;

  /** Where HTTP-01 answers are laid, served at `/.well-known/acme-challenge/<token>` of every site; undefined: the proxy does that itself. */
  readonly challenges:
    | { put(token: string, keyAuthorization: string): Promise<void>; remove(token: string): Promise<void> }
    | undefined;
}
