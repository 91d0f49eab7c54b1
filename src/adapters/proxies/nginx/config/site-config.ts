import { certificatePaths } from '../../certificate-files.ts';
import { hostName, port, seconds, upstreamHost } from '../../config-values.ts';
import { type RenderedSite, type Site, type SiteHost, type SiteRole, type SiteTls, siteRoles } from '../../proxy.ts';
import { renderSiteFile } from '../../site-files.ts';
import { revisionPath } from '../../site-header.ts';
import type { Layout } from '../options.ts';
import { proxySettings } from './common-config.ts';

/**
 * A tenant's two virtual hosts in nginx's syntax. Pure; common parts are included from our common files.
 * @throws when a value cannot be in a configuration
 */
export function renderSite(layout: Layout, site: Site): RenderedSite & { revision: string } {
  return renderSiteFile(layout, site, (slug, revision) =>
    [
      '',
      ...siteRoles.flatMap((role) => upstreamBlock(layout, site.hosts[role], slug, role)),
      ...siteRoles.flatMap((role) => servers(layout, site, role, slug, revision)),
    ].join('\n'),
  );
}

/** One server over HTTP; with TLS another one, and the first only redirects to it. */
function servers(layout: Layout, site: Site, role: SiteRole, slug: string, revision: string): string[] {
  const host = site.hosts[role];
  const domain = hostName(host.domain);
  const common = [`include ${layout.common}/well-known.inc;`, ...revisionLocation(revision)];
  if (!host.tls) {
    return [server(layout.listenHttp, domain, [...common, ...proxied(layout, host, role, slug)])];
  }
  // 308, not 301: a form sent to the http address stays a POST with its body (RFC 9110, 15.4.9).
  const redirect = (suffix: string): string => `return 308 https://${domain}${suffix}$request_uri;`;
  const unencrypted = site.isBehindFront
    ? [
        ...hstsBehindFront(site.hstsSeconds),
        ...common,
        ...proxied(layout, host, role, slug, [
          `  if ($tenantry_scheme = http) { ${redirect('$tenantry_https_port')} }`,
        ]),
      ]
    : [...common, `location / { ${redirect(layout.httpsSuffix)} }`];
  return [
    server(layout.listenHttp, domain, unencrypted),
    server(
      layout.listenHttps.map((listen) => `${listen} ssl`),
      domain,
      [...tlsLines(layout, host.tls, slug, site.hstsSeconds), ...common, ...proxied(layout, host, role, slug)],
    ),
  ];
}

const server = (listens: readonly string[], domain: string, lines: readonly string[]): string =>
  `server {
${[...listens.map((listen) => `listen ${listen};`), `server_name ${domain};`, ...lines].map((line) => `  ${line}`).join('\n')}
}
`;

const revisionLocation = (revision: string): string[] => [
  `location = ${revisionPath} {`,
  '  default_type text/plain;',
  '  access_log off;',
  '  add_header Cache-Control no-store;',
  `  return 200 "${revision}";`,
  '}',
];

function tlsLines(layout: Layout, tls: SiteTls, slug: string, hstsSeconds: number): string[] {
  if (!layout.tls) throw new Error('This nginx is configured without TLS');
  if (tls.kind !== 'certificate') throw new Error('nginx gets no certificates on its own');
  const { chain, privateKey } = certificatePaths(layout, slug, tls.fingerprint);
  return [
    `ssl_certificate ${chain};`,
    `ssl_certificate_key ${privateKey};`,
    `include ${layout.common}/tls.inc;`,
    ...(hstsSeconds > 0 ? hsts(`"max-age=${seconds(hstsSeconds)}"`) : []),
  ];
}

const hsts = (value: string): string[] => [
  `add_header Strict-Transport-Security ${value} always;`,
  'proxy_hide_header Strict-Transport-Security;',
];

/** Only what a front proxy says is encrypted gets the header: an empty one is not sent. */
const hstsBehindFront = (hstsSeconds: number): string[] =>
  hstsSeconds === 0
    ? []
    : [
        'set $tenantry_hsts "";',
        `if ($tenantry_scheme = https) { set $tenantry_hsts "max-age=${seconds(hstsSeconds)}"; }`,
        ...hsts('$tenantry_hsts'),
      ];

/**
 * WebSockets get their own location, by the status 418, which is not used for proxied answers: only they may be silent for
 * hours, while a request without an answer ends in the timeout page.
 */
function proxied(layout: Layout, host: SiteHost, role: SiteRole, slug: string, first: string[] = []): string[] {
  const upstream = upstreamLines(host, role, slug);
  const settings = host.backups ? failoverSettings : [`  include ${layout.common}/proxy.inc;`];
  return [
    ...('name' in upstreamHost(host.upstream.host)
      ? [`resolver ${layout.resolver} valid=1s ipv6=off;`, 'resolver_timeout 5s;']
      : []),
    `include ${layout.common}/${role}-unavailable.inc;`,
    'error_page 418 = @tenantry_websocket;',
    'location / {',
    ...first,
    '  if ($http_upgrade ~* ^websocket$) { return 418; }',
    ...settings,
    `  include ${layout.common}/request.inc;`,
    ...upstream,
    '}',
    'location @tenantry_websocket {',
    ...settings,
    `  include ${layout.common}/websocket.inc;`,
    ...upstream,
    '}',
  ];
}

/**
 * A name that is resolved per request cannot keep nginx from starting; an address needs no resolver. Answers are cached for a
 * second: two recreated units may swap addresses.
 */
function upstreamLines({ upstream, backups }: SiteHost, role: SiteRole, slug: string): string[] {
  if (backups) return [`  proxy_pass http://${upstreamName(slug, role)};`];
  const host = upstreamHost(upstream.host);
  if ('address' in host) return [`  proxy_pass http://${host.address}:${port(upstream.port)};`];
  return [`  set $tenantry_upstream ${host.name};`, `  proxy_pass http://$tenantry_upstream:${port(upstream.port)};`];
}

/**
 * proxy.inc for a unit with several addresses: 2 s for a connection, in which its first packet is sent twice. Within 10 s a request
 * goes on to the next address if it was not sent, or is repeatable (RFC 9110, 9.2.2: no POST or PATCH); later none does.
 */
const failoverSettings = `${proxySettings('2s')}proxy_next_upstream error timeout;
proxy_next_upstream_timeout 10s;`
  .split('\n')
  .map((line) => `  ${line}`);

const upstreamName = (slug: string, role: SiteRole): string => `tenantry-${slug}-${role}`;

/**
 * A unit that may move to another node: its own address, and the others when that one does not accept connections; it is then not
 * asked for 10 s. A backup is never skipped, and the own address is the last one again: a unit that restarts, or that closed one
 * connection, answers all others at once.
 */
function upstreamBlock(layout: Layout, { upstream, backups }: SiteHost, slug: string, role: SiteRole): string[] {
  if (!backups) return [];
  const line = (address: SiteHost['upstream'], rest: string) => {
    const host = upstreamHost(address.host);
    if (!('address' in host)) throw new Error(`A unit with several addresses needs IP addresses: ${address.host}`);
    return `  server ${host.address}:${port(address.port)} ${rest};`;
  };
  const lines = [
    line(upstream, 'max_fails=1 fail_timeout=10s'),
    ...backups.map((address) => line(address, 'max_fails=0 weight=1000 backup')),
    line(upstream, 'max_fails=0 backup'),
    `  include ${layout.common}/upstream.inc;`,
  ];
  return [`upstream ${upstreamName(slug, role)} {\n${lines.join('\n')}\n}\n`];
}
