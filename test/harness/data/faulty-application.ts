import { spaceOf } from '../../../src/features/tenants/tenant.ts';
import type { App } from '../app/app.ts';
import { makeFixtureRepository } from './fixture-repository.ts';
import type { TenantAnswer } from './tenants.ts';

/**
 * A tenant application without dependencies that fails in the way that the file `fault` in IMPORT_DIR says, `<role> <fault>`: at
 * its start or at requests; or API_FAULT says it. Each failure is a real one: the process does what a faulty program would do.
 */
const server = `
const fs = require('node:fs');
const http = require('node:http');
const net = require('node:net');
const role = process.argv[2];
const said = process.env.API_FAULT ? ['api', process.env.API_FAULT] : (() => { try { return fs.readFileSync(process.env.IMPORT_DIR + '/fault', 'utf8').trim().split(' '); } catch { return []; } })();
const fault = said[0] === role ? said[1] : 'none';
const port = Number(process.env.PORT);
const host = process.env.HOST;
const fails = (code) => (error) => { console.error(error); process.exit(code); };
const starts = {
  'exit-3': () => { console.error('cannot reach the moon'); process.exit(3); },
  'exit-0': () => process.exit(0),
  'type-error': () => undefined.name,
  'missing-module': () => require('no-such-module'),
  'missing-variable': () => { throw new Error('SMTP_HOST is not set'); },
  'syntax': () => new (require('node:vm').Script)('let x = = 1'),
  'kill': () => process.kill(process.pid, 'SIGKILL'),
  'abort': () => process.abort(),
  'heap': () => { process.exit(require('node:child_process').spawnSync(process.execPath, ['--max-old-space-size=16', '-e', 'const all = []; for (;;) all.push(new Array(10_000).fill(all.length))'], { stdio: 'inherit' }).status ?? 134); },
  'memory': () => { const all = []; for (;;) all.push(Buffer.alloc(8 * 1024 * 1024, 1)); },
  'schema': () => new (require('node:sqlite').DatabaseSync)(process.env.DATABASE_URL.replace('sqlite:', '')).exec('SELECT name FROM people'),
  'database-open': () => new (require('node:sqlite').DatabaseSync)('/no-such-directory/tenant.db'),
  'full-disk': () => fs.writeFileSync('/dev/full', 'x'),
  'permission': () => fs.unlinkSync('/proc/version'),
  'privileged-port': () => { if (process.getuid() === 0) process.setuid(65534); http.createServer(usual).listen(80, host); },
  'program': () => require('node:child_process').execSync('no-such-program', { stdio: 'inherit' }),
  'unresolved': () => require('node:dns').lookup('mail.invalid', (error) => { throw error; }),
  'refused': () => net.connect(1, '127.0.0.1').on('error', fails(1)),
  'database-refused': () => net.connect(6379, '127.0.0.1').on('error', fails(1)),
  'crash-later': () => { http.createServer(usual).listen(port, host); setTimeout(() => { throw new TypeError('cannot send mail with ' + process.env.SMTP_TOKEN); }, 2_000); },
  'no-listen': () => setInterval(() => {}, 1_000),
  'garbage': () => net.createServer((socket) => socket.on('error', () => {}).end('no protocol\\r\\n\\r\\n')).listen(port, host),
};
const json = (response, status, body) => response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
const answers = {
  'status-500': (request, response) => json(response, 500, {}),
  'error-page': (request, response) => response.writeHead(500, { 'content-type': 'text/html' }).end('<html><style>p { color: red }</style><p>Cannot connect with <b>' + process.env.SMTP_TOKEN + '</b></p></html>'),
  'status-404': (request, response) => json(response, 404, {}),
  'unwell': (request, response) => json(response, 200, { status: 'degraded', reason: 'queue is stuck: ' + process.env.SMTP_TOKEN }),
  'no-json': (request, response) => response.end('hello'),
  'hang': () => {},
  'reset': (request) => request.socket.destroy(),
  'log-then-500': (request, response) => { console.error('Error: connect ECONNREFUSED 10.0.0.9:8025'); json(response, 500, {}); },
  'no-probe': (request, response) => request.url.startsWith('/docs') ? json(response, 404, {}) : usual(request, response),
  'other-key': (request, response) => request.url.startsWith('/api/stats') ? json(response, 401, { detail: 'wrong key' }) : usual(request, response),
};
function usual(request, response) {
  const path = request.url.split('?')[0];
  if (role === 'frontend') return response.end('<h1>' + process.env.APP_NAME + '</h1>');
  if (path === '/api/health') return json(response, 200, { status: 'healthy' });
  if (path === '/docs') return response.end('docs');
  if (path === '/api/stats') return json(response, 200, { persons: 3, events: 1, tags: 2, segments: 0, communications: 5, database_size_mb: 1 });
  json(response, 404, { detail: 'nothing here' });
}
process.on('SIGTERM', () => process.exit(0));
if (starts[fault]) starts[fault]();
else http.createServer(answers[fault] ?? usual).listen(port, host, () => console.log(role + ' listens'));
`;

/** A repository whose version v2.0.0 is the faulty application, and v2.1.0 the same with a database on a server. */
export async function makeFaultyRepository(path: string) {
  const repository = await makeFixtureRepository(path);
  await repository.release('v2.0.0', { 'server.js': server });
  const manifest = repository.manifest
    .replace('engines: [sqlite]', 'engines: [mariadb]')
    .replace(/\nmigrations:[\s\S]*$/, '\n');
  await repository.release('v2.1.0', { 'tenant.yaml': manifest });
  return repository;
}

/** Makes a unit fail, or be well (`none`), from its next start on, and restarts it. */
export async function failWith(app: App, tenant: TenantAnswer, role: 'api' | 'frontend', fault: string): Promise<void> {
  const { runtime, tenants } = app.manager.app;
  const space = spaceOf(await tenants.get(tenant.id));
  await runtime.putImportFile(space, 'fault', contentOf(`${role} ${fault}`));
  await runtime.restart({ tenant: space, role }).catch(() => undefined);
}

async function* contentOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}
