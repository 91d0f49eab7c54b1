/**
 * Another tenant application without dependencies, for tests through a reverse proxy: both units report their
 * identity at `/`, the API counts an upload at `/upload`, and greets a WebSocket with its version.
 */
const server = `
const http = require('node:http');
const crypto = require('node:crypto');
const role = process.argv[2];
http.createServer((request, response) => {
  const path = request.url.split('?')[0];
  const json = (body) => response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  if (path === '/upload') {
    let bytes = 0;
    request.on('data', (chunk) => { bytes += chunk.length; });
    request.on('end', () => json({ bytes }));
    return;
  }
  if (path === '/api/health') return json({ status: 'healthy' });
  json({ slug: process.env.TENANT_SLUG, role, version: process.env.APP_VERSION, headers: request.headers });
}).on('upgrade', (request, socket) => {
  const accept = crypto.createHash('sha1').update(request.headers['sec-websocket-key'] + '258EAFA5-E914-47DA-95CA-C5AB0DC85B11').digest('base64');
  socket.write('HTTP/1.1 101 Switching Protocols\\r\\nUpgrade: websocket\\r\\nConnection: Upgrade\\r\\nSec-WebSocket-Accept: ' + accept + '\\r\\n\\r\\n');
  const greeting = Buffer.from('hello from ' + process.env.TENANT_SLUG);
  socket.write(Buffer.concat([Buffer.from([0x81, greeting.length]), greeting]));
  socket.on('error', () => {});
}).listen(Number(process.env.PORT), process.env.HOST);
process.on('SIGTERM', () => process.exit(0));
`;

const manifest = `
version: 1
units:
  api: { start: node server.js api, port: 8000, health: /api/health }
  frontend: { start: node server.js frontend, port: 3000, health: / }
`;

/** The files of a version of it, for `FixtureRepository.release`. */
export const tenantWeb: Record<string, string> = { 'server.js': server, 'tenant.yaml': manifest };
