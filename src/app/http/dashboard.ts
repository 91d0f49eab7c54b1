import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { join } from 'node:path';
import helmet from 'helmet';
import sirv from 'sirv';
import { type ConnectionLimits, limitConnections } from '../../lib/http/connections/connection-limits.ts';
import { refusePeers } from '../../lib/http/connections/refused-peers.ts';
import { createServer } from '../../lib/http/node-http.ts';
import { answerBrokenRequests } from '../../lib/http/requests/broken-requests.ts';

export interface Dashboard {
  server: Server;
  stop(): Promise<void>;
}

/** Paths of the API's server that the dashboard's port serves, too, so that pages need no other origin. */
const ofApi = /^\/(?:api|ws|socket\.io|healthz|readyz|metrics)(?:[/?]|$)/;

/** The headers of the pages; of inline scripts and styles, only those of the page itself are allowed. */
const securityHeadersFor = (page: string) =>
  helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        scriptSrc: ["'self'", ...inlineHashes(page, /<script>([\s\S]*?)<\/script>/g)],
        styleSrc: ["'self'", ...inlineHashes(page, /<style>([\s\S]*?)<\/style>/g)],
        imgSrc: ["'self'", 'data:', 'blob:'],
        fontSrc: ["'self'"],
        connectSrc: ["'self'"],
        manifestSrc: ["'self'"],
        baseUri: ["'none'"],
        formAction: ["'none'"],
        frameAncestors: ["'none'"],
      },
    },
    strictTransportSecurity: false,
    referrerPolicy: { policy: 'no-referrer' },
  });

const inlineHashes = (page: string, inline: RegExp): string[] =>
  [...page.matchAll(inline)].map(
    ([, content = '']) => `'sha256-${createHash('sha256').update(content).digest('base64')}'`,
  );

/** Serves the built dashboard, and the API and its streams at the same origin. */
export function createDashboard(options: {
  /** Of the built pages. */
  directory: string;
  /** The API's server, which answers what is not a page. */
  api: Server;
  /** See HttpServerOptions. */
  isRefused?(address: string): boolean;
  connectionLimits: ConnectionLimits;
}): Dashboard {
  const { directory, api, isRefused, connectionLimits } = options;
  const index = join(directory, 'index.html');
  const securityHeaders = securityHeadersFor(existsSync(index) ? readFileSync(index, 'utf8') : '');
  const serveFile = existsSync(directory)
    ? sirv(directory, {
        single: true,
        gzip: true,
        brotli: true,
        etag: true,
        setHeaders(response, path) {
          // Names of assets hold a hash of their content.
          const forEver = path.startsWith('/assets/');
          response.setHeader('Cache-Control', forEver ? 'public, max-age=31536000, immutable' : 'no-cache');
        },
      })
    : undefined;

  const answerPage = (request: IncomingMessage, response: ServerResponse): void => {
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.writeHead(405, { Allow: 'GET, HEAD' }).end();
    } else if (serveFile) {
      // A new build removes files that were there at the start: without a listener, the error would end the manager.
      response.once('pipe', (file) => file.once('error', () => response.destroy()));
      serveFile(
        request,
        response,
        () => void response.writeHead(404, { 'Content-Type': 'text/plain' }).end('Not found'),
      );
    } else {
      response.writeHead(503, { 'Content-Type': 'text/plain' }).end('The dashboard is not built: npm run build');
    }
  };

  const server = createServer((request, response) => {
    if (ofApi.test(request.url ?? '')) api.emit('request', request, response);
    else securityHeaders(request, response, () => answerPage(request, response));
  });
  server.headersTimeout = api.headersTimeout;
  server.requestTimeout = api.requestTimeout;
  server.keepAliveTimeout = api.keepAliveTimeout;
  server.on('upgrade', (request, socket, head) => {
    if (ofApi.test(request.url ?? '')) api.emit('upgrade', request, socket, head);
    else socket.destroy();
  });
  answerBrokenRequests(server);
  if (isRefused) refusePeers(server, isRefused);
  limitConnections(server, connectionLimits);

  return {
    server,
    async stop() {
      if (!server.listening) return;
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeIdleConnections();
      const cutOff = setTimeout(() => server.closeAllConnections(), 10_000);
      await closed;
      clearTimeout(cutOff);
    },
  };
}
