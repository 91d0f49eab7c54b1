import { stringify } from 'yaml';
import { certificatePaths } from '../certificate-files.ts';
import { hostName, port, seconds, upstreamHost, urlPath } from '../config-values.ts';
import { type RenderedSite, type Site, type SiteHost, type SiteRole, siteRoles } from '../proxy.ts';
import { renderSiteFile } from '../site-files.ts';
import type { DynamicConfig } from './dynamic-config.ts';
import type { Layout } from './options.ts';
import { type ElementKind, type Scheme, type SiteNames, siteNames } from './site-names.ts';

/** The header of every answer of a site, also Traefik's own: shows which revision is in service. */
export const revisionHeader = 'X-Tenantry-Revision';

type Http = DynamicConfig['http'];

/**
 * A tenant's two hosts for Traefik's file provider. Pure. A library writes the YAML, with every string in double quotes, so
 * that YAML 1.1 and 1.2 read the same; no value can contain a backtick, a quote or a brace, so Traefik's rules and templates
 * see only names.
 * Left to Traefik on purpose: uploads are streamed (no `buffering`); WebSockets need no option; visitors' forwarded headers are
 * dropped; TLS is from 1.2 on. A tenant that is down is answered with Traefik's own 502: its `errors` middleware would have
 * every failing site fetch a page from some service, which would have to be up, and would also replace the application's own
 * errors.
 * @throws when a value cannot be in a configuration
 */
export function renderSite(layout: Layout, site: Site): RenderedSite & { revision: string } {
  return renderSiteFile(layout, site, (_slug, revision) => yamlOf(configOf(layout, site, revision)));
}

const yamlOf = (config: DynamicConfig): string =>
  stringify(config, {
    defaultStringType: 'QUOTE_DOUBLE',
    defaultKeyType: 'PLAIN',
    lineWidth: 0,
    aliasDuplicateObjects: false,
  });

function configOf(layout: Layout, site: Site, revision: string): DynamicConfig {
  const names = siteNames(site.tenant.slug);
  const hosts = siteRoles.map((role) => [role, site.hosts[role]] as const);
  const encrypted = hosts.some(([, { tls }]) => tls);
  const certificates = certificatesOf(layout, site);
  // Of a unit's addresses one answers. Traefik tries again at once, and only while it has sent nothing of a request; simultaneous
  // requests share its turns, so that one may get the same address again.
  const backups = Math.max(...hosts.map(([, host]) => host.backups?.length ?? 0));
  return {
    http: {
      routers: Object.fromEntries(hosts.flatMap(([role, host]) => routers(layout, names, role, host))),
      middlewares: {
        [names.headers]: { headers: headers(site, revision, encrypted) },
        // A compressed event stream would arrive in bursts.
        [names.compress]: { compress: { excludedContentTypes: ['text/event-stream'] } },
        ...(backups > 0 ? { [names.retry]: { retry: { attempts: 2 * (1 + backups) } } } : {}),
        ...(encrypted ? { [names.redirect]: { redirectScheme: redirectScheme(layout, site) } } : {}),
      },
      services: Object.fromEntries(hosts.flatMap(([role, host]) => services(names, role, host))),
      serversTransports: { [names.transport]: backups > 0 ? transport(-1, '2s') : transport(32, '5s') },
    },
    ...(certificates.length > 0 ? { tls: { certificates } } : {}),
  };
}

/** The elements that Traefik must run for the site, by name. */
export function elementsOf({ tenant, hosts }: Site): { kind: ElementKind; name: string }[] {
  const names = siteNames(tenant.slug);
  return siteRoles.flatMap((role) => [
    ...services(names, role, hosts[role]).map(([name]) => ({ kind: 'services' as const, name })),
    { kind: 'routers' as const, name: names.router(role, 'http') },
    ...(hosts[role].tls ? [{ kind: 'routers' as const, name: names.router(role, 'https') }] : []),
  ]);
}

/** One router over HTTP; with TLS another one, and the first only redirects to it. */
function routers(
  layout: Layout,
  names: SiteNames,
  role: SiteRole,
  { domain, tls, backups }: SiteHost,
): [string, Http['routers'][string]][] {
  const common = { rule: `Host(\`${hostName(domain)}\`)`, service: names.service(role) };
  const router = (scheme: Scheme, middleware: string, rest: Pick<Http['routers'][string], 'tls'> = {}) =>
    [
      names.router(role, scheme),
      {
        entryPoints: [layout.entryPoints[scheme]],
        ...common,
        middlewares: [names.headers, ...(backups ? [names.retry] : []), middleware],
        ...rest,
      },
    ] satisfies [string, Http['routers'][string]];
  if (!tls) return [router('http', names.compress)];
  const choice = tls.kind === 'resolver' ? { certResolver: resolverOf(layout) } : {};
  return [router('http', names.redirect), router('https', names.compress, { tls: choice })];
}

function resolverOf({ certificateResolver }: Layout): string {
  if (certificateResolver !== undefined) return certificateResolver;
  throw new Error('No certificate resolver of Traefik’s is configured');
}

/** Traefik sends Strict-Transport-Security only over TLS, and replaces the application's. */
const headers = (site: Site, revision: string, encrypted: boolean) => {
  const stsSeconds = Number(seconds(site.hstsSeconds));
  return {
    customResponseHeaders: { [revisionHeader]: revision },
    ...(encrypted && stsSeconds > 0 ? { stsSeconds } : {}),
  };
};

/**
 * 301 for GET, 308 for every other method: a form sent to the http address stays a POST (RFC 9110, 15.4.9). What is encrypted already, by
 * the word of a trusted front proxy, is not redirected, if the port is the same: visitors of front proxies use the scheme's own.
 */
const redirectScheme = ({ httpsPort }: Layout, { isBehindFront }: Site) => ({
  scheme: 'https' as const,
  permanent: true,
  ...(httpsPort === undefined || isBehindFront ? {} : { port: httpsPort }),
});

/**
 * One service; with backups it sends to the first address while that is healthy, otherwise to all of them in turn. Unhealthy is also an
 * application that answers with errors: it keeps its turn.
 */
function services(
  names: SiteNames,
  role: SiteRole,
  { upstream, backups = [], healthPath }: SiteHost,
): [string, Http['services'][string]][] {
  const balanced = (addresses: SiteHost['upstream'][], rest = {}) => ({
    loadBalancer: {
      servers: addresses.map(({ host, port: number }) => {
        const found = upstreamHost(host);
        return { url: `http://${'address' in found ? found.address : found.name}:${port(number)}` };
      }),
      passHostHeader: true,
      serversTransport: names.transport,
      ...rest,
    },
  });
  const all = [upstream, ...backups];
  if (backups.length === 0 || healthPath === undefined) return [[names.service(role), balanced(all)]];
  const healthCheck = { path: urlPath(healthPath), interval: '5s', timeout: '2s' };
  return [
    [names.service(role), { failover: { service: names.live(role), fallback: names.all(role) } }],
    [names.live(role), balanced([upstream], { healthCheck })],
    [names.all(role), balanced(all)],
  ];
}

/**
 * Idle connections end before Node's HTTP server ends them, after 5 s (`server.keepAliveTimeout`): a POST sent into a closed
 * one could not be repeated. A unit with several addresses gets a new connection for each request (-1), as with nginx: a kept one to a
 * lost node looks alive for as long as an answer may take. The timeout of an upload's answer is nginx's.
 */
const transport = (maxIdleConnsPerHost: number, dialTimeout: string): Http['serversTransports'][string] => ({
  maxIdleConnsPerHost,
  forwardingTimeouts: { dialTimeout, responseHeaderTimeout: '300s', idleConnTimeout: '4s' },
});

/** Each certificate once, also when both hosts have the same. */
function certificatesOf(layout: Layout, site: Site): { certFile: string; keyFile: string }[] {
  const fingerprints = siteRoles.flatMap((role) => {
    const { tls } = site.hosts[role];
    return tls?.kind === 'certificate' ? [tls.fingerprint] : [];
  });
  return [...new Set(fingerprints)].map((fingerprint) => {
    const { chain, privateKey } = certificatePaths(layout, site.tenant.slug, fingerprint);
    return { certFile: chain, keyFile: privateKey };
  });
}
