import type { IncomingHttpHeaders } from 'node:http';
import type { Work } from '../../lib/concurrency/work.ts';

/**
 * The reverse proxy in front of the tenants. One adapter per folder; one contract suite (test/contracts/proxy.ts) runs against
 * each. Every function is idempotent. Errors: AppError `proxy_unavailable` when the proxy itself does not answer; a plain Error
 * in the proxy's own words when it rejects a configuration.
 */
export type ProxyKind = 'none' | 'nginx' | 'traefik';

export const siteRoles = ['frontend', 'api'] as const;
export type SiteRole = (typeof siteRoles)[number];

/** The site's tenant. */
export interface SiteOwner {
  id: string;
  slug: string;
}

/** A host's TLS: a certificate added at the proxy before, or one the proxy obtains itself. */
export type SiteTls = { kind: 'certificate'; fingerprint: string } | { kind: 'resolver' };

/** One host name of a tenant. */
export interface SiteHost {
  domain: string;
  /** The proxy's address of the unit. */
  upstream: { host: string; port: number };
  /** IP addresses that take over while `upstream` refuses connections or does not accept them; missing: there are none. */
  backups?: { host: string; port: number }[] | undefined;
  /** The path that answers 2xx or 3xx while the unit is healthy, for proxies that choose backups by it; only with `backups`. */
  healthPath?: string | undefined;
  /** null: HTTP only. */
  tls: SiteTls | null;
}

/** A tenant's two virtual hosts: the complete input of its configuration. Contains no secrets. */
export interface Site {
  tenant: SiteOwner;
  hosts: Record<SiteRole, SiteHost>;
  /** Strict-Transport-Security's max-age with TLS; 0: no such header. */
  hstsSeconds: number;
  /** Visitors may come through a front proxy that ends TLS, so that plain HTTP is no reason to redirect; no key: none does. */
  isBehindFront?: true | undefined;
}

/** A site's configuration in the proxy's syntax. */
export interface RenderedSite {
  /** Its file (absolute). */
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

/** Why a site is down from outside, for programs. */
export type SiteProblem =
  | 'refused'
  | 'late'
  | 'closed'
  | 'no_route'
  | 'unknown_name'
  | 'no_tls'
  | 'no_certificate'
  | 'other_certificate'
  | 'status'
  | 'other';

/** The answer through the proxy from outside. */
export interface ProxyAnswer {
  status: 'up' | 'down';
  response_time_ms: number | null;
  status_code: number | null;
  /** Why it is down. */
  error?: string;
  problem?: SiteProblem;
}

/** A request to a site, as a visitor's. */
export interface SiteRequest {
  path: string;
  method?: string | undefined;
  /** Without the host name. */
  headers?: Readonly<Record<string, string>> | undefined;
  body?: string | undefined;
  /** For the whole request. */
  timeoutMs: number;
  signal?: AbortSignal | undefined;
  /** A longer answer is cut off here. */
  maxBytes: number;
}

/** A site's answer through the proxy. */
export interface SiteReply {
  statusCode: number;
  /** Milliseconds until the headers. */
  responseTimeMs: number;
  headers: IncomingHttpHeaders;
  body: string;
  cut: boolean;
}

export const proxyWarningCodes = [
  'front_proxies_not_trusted',
  'front_proxies_not_named',
  'underscore_headers_kept',
] as const;

/** An option of the proxy itself that the manager does not write and that does not fit its configuration. */
export interface ProxyWarning {
  code: (typeof proxyWarningCodes)[number];
  /** `option`: what to set instead, in the proxy's syntax or as the manager's variable. */
  params: { entry_point: string; option: string };
}

export interface ReverseProxy {
  readonly kind: ProxyKind;
  /** Whether its sites depend on whether front proxies are named. */
  readonly hasFrontProxies: boolean;
  /** Creates its directories and common files, and checks that the proxy includes them. Call once. */
  open(): Promise<void>;
  /** Cancels waiting changes. */
  close(): Promise<void>;
  /** Asks the proxy again; never throws. */
  availability(): Promise<
    { available: true; version: string; warnings?: ProxyWarning[] } | { available: false; reason: string }
  >;

  /** Pure: the same site gives the same text. */
  render(site: Site): RenderedSite;
  /**
   * Puts the site into service: written with a temporary name, tested by the proxy together with all others, swapped in,
   * reloaded, and verified through the proxy, two other sites too. A failure changes nothing. Simultaneous calls share a
   * reload.
   */
  apply(site: Site, work: Work): Promise<{ changed: boolean }>;
  /** Takes the site and its certificates out of service. */
  remove(tenant: SiteOwner, work: Work): Promise<{ removed: boolean }>;
  /** Stores a certificate that `apply` will reference by its fingerprint; `apply` removes unreferenced ones. */
  putCertificate(tenant: SiteOwner, certificate: SiteCertificate): Promise<void>;

  state(site: Site): Promise<SiteState>;
  /** All files with our header, whether or not their tenant still exists. */
  found(): Promise<FoundSite[]>;
  /** Asks the proxy itself about the configuration in service. @throws AppError proxy_unavailable */
  test(): Promise<{ valid: boolean; output: string }>;
  /** Tests, then reloads. @throws AppError proxy_unavailable; Error in the proxy's own words when the test fails */
  reload(): Promise<void>;

  /** A request to the site through the proxy, as from outside, by its host name. Throws only the signal's reason. */
  probe(
    host: Pick<SiteHost, 'domain' | 'tls'>,
    path: string,
    options: { timeoutMs: number; signal?: AbortSignal | undefined },
  ): Promise<ProxyAnswer>;

  /** Sends a request to the site through the proxy; redirects are not followed. @throws Error with the cause; the signal's reason */
  send(host: Pick<SiteHost, 'domain' | 'tls'>, request: SiteRequest): Promise<SiteReply>;

  /**
   * Stores HTTP-01 answers, served at `/.well-known/acme-challenge/<token>` of every site; undefined: the proxy does that
   * itself.
   */
  readonly challenges:
    | { put(token: string, keyAuthorization: string): Promise<void>; remove(token: string): Promise<void> }
    | undefined;
}
