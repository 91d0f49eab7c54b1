import { join } from 'node:path';
import { revisionOf, revisionPath } from '../../site-header.ts';
import type { Layout } from '../options.ts';
import { unavailableConfig } from './unavailable-pages.ts';

/** The host name under which nginx answers that it runs with our configuration; RFC 2606 reserves it. */
export const ownHost = 'tenantry.invalid';

/** Prefix of our own host's revision. */
export const ownAnswer = 'tenantry ';

export interface CommonChoices {
  /** Has `http2 on;` (from 1.25.1), where `listen ... http2` is deprecated. */
  http2Directive: boolean;
  /** Keeps connections to upstream blocks open by default (from 1.29.7). */
  keepsConnections: boolean;
  /** Directives that exist elsewhere already: nginx accepts them once. */
  omit: readonly string[];
}

export interface CommonConfig {
  /** By absolute path. */
  files: ReadonlyMap<string, string>;
  revision: string;
}

const heading = '# Managed by Tenantry. Manual changes will be overwritten.\n';

/** What all sites share. Pure. */
export function commonConfig(layout: Layout, choices: CommonChoices): CommonConfig {
  const included = new Map([
    ['well-known.inc', wellKnown(layout)],
    ['proxy.inc', proxySettings('5s')],
    ['request.inc', request],
    ['websocket.inc', websocket],
    ['tls.inc', tls(choices)],
    ['upstream.inc', upstream(choices)],
    ['frontend-unavailable.inc', unavailableConfig('frontend')],
    ['api-unavailable.inc', unavailableConfig('api')],
  ]);
  const first = (revision: string): string => httpConfig(layout, choices, revision);
  const revision = revisionOf([first(''), ...included.values()].join('\0'));
  const files = new Map([...included].map(([name, text]) => [join(layout.common, name), heading + text]));
  files.set(commonSitePath(layout), heading + first(revision));
  return { files, revision };
}

/** Read before every site, whose names start with a letter: so it has the default servers. */
export const commonSitePath = (layout: Layout): string => join(layout.sites, '00-tenantry.conf');

export const hashDirectives = ['server_names_hash_max_size', 'server_names_hash_bucket_size'] as const;

/** Space for thousands of names of up to 253 characters: nginx's defaults allow about 46 characters. */
const hashSizes: Record<(typeof hashDirectives)[number], number> = {
  server_names_hash_max_size: 16_384,
  server_names_hash_bucket_size: 512,
};

function httpConfig(layout: Layout, choices: CommonChoices, revision: string): string {
  const hashes = hashDirectives
    .filter((name) => !choices.omit.includes(name))
    .map((name) => `${name} ${hashSizes[name]};\n`);
  const http2 = choices.http2Directive ? '' : ' http2';
  const listens = (all: readonly string[], flags: string): string =>
    all.map((listen) => `  listen ${listen}${flags};\n`).join('');
  const unknownHosts = `
# Default servers: catch unknown host names so they never reach a tenant (unless another server is the default).
server {
${listens(layout.listenHttp, '')}  server_name ${ownHost};
  access_log off;
  include ${layout.common}/well-known.inc;
  location = ${revisionPath} {
    default_type text/plain;
    add_header Cache-Control no-store;
    return 200 "${ownAnswer}${revision}";
  }
  location / {
    default_type text/plain;
    return 404 "There is no site of this name here.\\n";
  }
}
`;
  const unknownTlsHosts = `
# A name without a certificate gets no handshake; HTTP/2 is a matter of the whole port before nginx 1.25.1.
server {
${listens(layout.listenHttps, ` ssl${http2}`)}  server_name ${ownHost};
  access_log off;
  ssl_reject_handshake on;
  include ${layout.common}/tls.inc;
  location / {
    default_type text/plain;
    return 421 "There is no site of this name here.\\n";
  }
}
`;
  return `${hashes.join('')}
${frontProxies(layout)}
# The visitor's scheme: the connection's, or the one that a front proxy names.
map $tenantry_front:$http_x_forwarded_proto $tenantry_scheme {
  default $scheme;
  1:http http;
  1:https https;
}
# What follows a host name where the port is not the scheme's own. Front proxies use the schemes' own.
map $tenantry_front:$server_port $tenantry_port {
  default "";
  0:${layout.serverPorts.http} "${layout.httpSuffix}";
  0:${layout.serverPorts.https} "${layout.httpsSuffix}";
}
map $tenantry_front $tenantry_https_port {
  default "";
  0 "${layout.httpsSuffix}";
}
${unknownHosts}${layout.tls ? unknownTlsHosts : ''}`;
}

/** Whether a connection comes from a front proxy: the address before it is replaced by the visitor's. */
const frontProxies = ({ frontProxies: all }: Layout): string =>
  all.length === 0
    ? 'map "" $tenantry_front {\n  default 0;\n}'
    : `geo $realip_remote_addr $tenantry_front {\n  default 0;\n${all.map((one) => `  ${one} 1;\n`).join('')}}`;

/** The visitor's address is the last one that no front proxy has. */
const visitorsAddress = ({ frontProxies: all }: Layout): string =>
  all.length === 0
    ? ''
    : `${all.map((one) => `set_real_ip_from ${one};\n`).join('')}real_ip_header X-Forwarded-For;
real_ip_recursive on;
`;

/** Applications read X_Forwarded_For as X-Forwarded-For, so no header with an underscore passes, whatever the main configuration says. */
const wellKnown = (layout: Layout): string => `server_tokens off;
underscores_in_headers off;
ignore_invalid_headers on;
${visitorsAddress(layout)}\
# HTTP-01 challenges (RFC 8555, 8.3), also of a host whose other requests are redirected to https.
location ^~ /.well-known/acme-challenge/ {
  alias ${layout.challenges}/;
  default_type text/plain;
  types { }
  access_log off;
}
`;

/**
 * Mozilla's "intermediate" settings, version 5.7 (https://ssl-config.mozilla.org/guidelines/5.7.json), without its DHE suites:
 * they need a parameter file, and every client that knows them knows the ECDHE ones.
 */
const tls = ({ http2Directive }: CommonChoices): string => `${http2Directive ? 'http2 on;\n' : ''}\
ssl_protocols TLSv1.2 TLSv1.3;
ssl_ciphers ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384:ECDHE-RSA-AES256-GCM-SHA384:ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305;
ssl_ecdh_curve X25519:prime256v1:secp384r1;
ssl_prefer_server_ciphers off;
ssl_session_timeout 1d;
ssl_session_cache shared:tenantry_tls:10m;
ssl_session_tickets off;
`;

/**
 * The client's address is the connection's, or the one that a front proxy names, never what the client claims. Uploads (200 MB plus
 * multipart overhead) are streamed to the application, and long answers are not buffered in temporary files: neither fills the
 * proxy's disk.
 */
export const proxySettings = (connectTimeout: string): string => `proxy_http_version 1.1;
proxy_set_header Host $server_name$tenantry_port;
proxy_set_header X-Real-IP $remote_addr;
proxy_set_header X-Forwarded-For $remote_addr;
proxy_set_header X-Forwarded-Proto $tenantry_scheme;
proxy_set_header X-Forwarded-Host $server_name$tenantry_port;
proxy_set_header Forwarded "";
proxy_set_header Proxy "";
proxy_redirect off;
proxy_connect_timeout ${connectTimeout};
send_timeout 300s;
client_body_timeout 300s;
client_max_body_size 256m;
proxy_request_buffering off;
proxy_max_temp_file_size 0;
proxy_buffer_size 16k;
proxy_buffers 8 16k;
proxy_busy_buffers_size 32k;
gzip on;
gzip_vary on;
gzip_proxied any;
gzip_min_length 1024;
gzip_comp_level 5;
gzip_types text/plain text/css text/csv text/javascript text/xml application/javascript application/json application/ld+json application/manifest+json application/xml application/rss+xml application/wasm image/svg+xml font/ttf;
`;

/**
 * A new connection for each request: a kept one to a lost node looks alive, so that the request would wait for its answer instead
 * of going on to the next address, and Node closes one that was idle for 5 s just when it is used again. Older versions refuse 0.
 */
const upstream = ({ keepsConnections }: CommonChoices): string => (keepsConnections ? 'keepalive 0;\n' : '');

/** Between two reads or writes, not for the whole. */
const request = `proxy_send_timeout 300s;
proxy_read_timeout 300s;
`;

/** A connection silent for an hour stays. */
const websocket = `proxy_set_header Upgrade $http_upgrade;
proxy_set_header Connection upgrade;
proxy_send_timeout 7200s;
proxy_read_timeout 7200s;
`;
