import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createLogger } from '../../../src/lib/logger.ts';
import { type App, startApp } from '../../harness/app/app.ts';
import { type FixtureRepository, makeFixtureRepository } from '../../harness/data/fixture-repository.ts';

interface Check {
  reachable: boolean;
  reason: string | null;
  default_branch: string | null;
  latest: string | null;
  versions: string[];
  version_count: number;
}

const secret = 's3cr3t-t0ken';
const commit = 'c'.repeat(40);
let app: App;
let repository: FixtureRepository;
let logged = '';
const servers: Server[] = [];

async function serve(host: string, listener: RequestListener): Promise<number> {
  const server = createServer(listener).listen(0, host);
  servers.push(server);
  await new Promise((resolve) => server.once('listening', resolve));
  return (server.address() as AddressInfo).port;
}

/** A repository that wants credentials, with one version, over the dumb HTTP protocol. */
const closed: RequestListener = ({ url = '', headers }, response) => {
  const wanted = `Basic ${Buffer.from(`robot:${secret}`).toString('base64')}`;
  if (headers.authorization !== wanted) response.writeHead(401, { 'www-authenticate': 'Basic' }).end();
  else if (url.includes('/info/refs')) response.end(`${commit}\trefs/heads/main\n${commit}\trefs/tags/v2.0.0\n`);
  else if (url.endsWith('/HEAD')) response.end('ref: refs/heads/main\n');
  else response.writeHead(404).end();
};

/** Requests to a server of the host that the manager must not reach. */
const seen: string[] = [];
const closedPort = { allowed: 0, forbidden: 0, silent: 0, redirecting: 0 };
const waiting = new Set<IncomingMessage>();

beforeAll(async () => {
  closedPort.allowed = await serve('127.0.0.2', closed);
  closedPort.forbidden = await serve('127.0.0.1', ({ url = '' }, response) => {
    seen.push(url);
    response.end();
  });
  closedPort.silent = await serve('127.0.0.3', (request) => {
    waiting.add(request);
    request.socket.once('close', () => waiting.delete(request));
  });
  closedPort.redirecting = await serve('127.0.0.4', ({ url = '' }, response) => {
    response.writeHead(302, { location: `http://127.0.0.1:${closedPort.forbidden}${url}` }).end();
  });
  const destination = new Writable({
    write(chunk, _encoding, done) {
      logged += String(chunk);
      done();
    },
  });
  app = await startApp({
    logger: createLogger({ level: 'trace', destination }),
    environment: { GIT_HOSTS: '127.0.0.2,127.0.0.3,127.0.0.4' },
  });
  repository = await makeFixtureRepository(join(app.directory, 'repository'));
  await repository.release('v2.0.0-rc.1', { 'NEWS.md': 'Candidate\n' });
});
afterAll(async () => {
  await app?.stop();
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
});

const check = async (git_repo: string, token = app.token) =>
  app.call<Check>('POST', '/api/tenants/repository-check', { token, body: { git_repo } });

describe('the check of a repository', () => {
  test('lists the versions of a repository that can be reached, and changes nothing', async () => {
    const { status, body } = await check(repository.path);
    expect(status).toBe(200);
    expect(body).toEqual({
      reachable: true,
      reason: null,
      default_branch: 'main',
      latest: 'v1.1.0',
      versions: ['v2.0.0-rc.1', 'v1.1.0', 'v1.0.0'],
      version_count: 3,
    });
    expect((await app.call('GET', '/api/tenants')).body.total).toBe(0);
  });

  test('says why a repository cannot be used', async () => {
    const missing = await check(join(app.directory, 'none'));
    expect(missing.body).toMatchObject({ reachable: false, versions: [], latest: null });
    expect(missing.body.reason).toContain('The repository does not exist');
    expect((await check('http://127.0.0.2:9/app.git')).body.reason).toContain('cannot be reached');
  });

  test('uses credentials, and shows and logs none', async () => {
    const address = (word: string) => `http://robot:${word}@127.0.0.2:${closedPort.allowed}/app.git`;
    const right = await check(address(secret));
    expect(right.body).toMatchObject({ reachable: true, latest: 'v2.0.0', version_count: 1 });
    const wrong = await check(address('wr0ng-t0ken'));
    expect(wrong.body).toMatchObject({ reachable: false });
    expect(wrong.body.reason).toContain('refuses the credentials');
    const all = JSON.stringify([right.body, wrong.body]) + logged;
    expect(logged).toContain('git failed');
    for (const word of [secret, 'wr0ng-t0ken']) {
      expect(all).not.toContain(word);
      expect(all).not.toContain(Buffer.from(`robot:${word}`).toString('base64'));
    }
  });

  test.each([
    ['this machine', () => `http://127.0.0.1:${closedPort.forbidden}/app.git`],
    ['this machine in another spelling', () => `http://2130706433:${closedPort.forbidden}/app.git`],
    ['a name of this machine', () => `http://localhost:${closedPort.forbidden}/app.git`],
    ['a redirect to this machine', () => `http://127.0.0.4:${closedPort.redirecting}/app.git`],
    ['a cloud’s metadata', () => 'http://169.254.169.254/latest'],
    ['a program of git', () => `ext::sh -c "curl http://127.0.0.1:${closedPort.forbidden}"`],
    ['an option', () => `--upload-pack=curl http://127.0.0.1:${closedPort.forbidden}`],
    ['a masked address', () => `http://robot:***@127.0.0.2:${closedPort.allowed}/app.git`],
  ])('does not connect to what deployments may not connect to: %s', async (_what, address) => {
    const { status, body } = await check(address());
    expect(status).toBe(200);
    expect(body).toMatchObject({ reachable: false, reason: expect.any(String) });
    expect(seen).toEqual([]);
  });

  test('ends its request when the caller hangs up', async () => {
    const caller = new AbortController();
    const arrived = new Promise<void>((resolve) => servers[2]?.once('request', () => resolve()));
    const asked = fetch(`${app.url}/api/tenants/repository-check`, {
      method: 'POST',
      signal: caller.signal,
      headers: { authorization: `Bearer ${app.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ git_repo: `http://127.0.0.3:${closedPort.silent}/app.git` }),
    });
    await arrived;
    const [request] = waiting;
    const left = new Promise<void>((resolve) => request?.socket.once('close', () => resolve()));
    caller.abort();
    await expect(asked).rejects.toThrow();
    await left;
    expect(waiting.size).toBe(0);
  });

  test('answers when the repository does not', async () => {
    const { status, body } = await check(`http://127.0.0.3:${closedPort.silent}/app.git`);
    expect({ status, reason: body.reason }).toEqual({
      status: 200,
      reason: 'The repository did not answer within 15 seconds.',
    });
  });

  test('is limited for each user', async () => {
    const { token } = await app.userOf('operator');
    const other = await app.userOf('operator');
    const statuses: number[] = [];
    for (let asked = 0; asked < 31; asked += 1) statuses.push((await check('no address', token)).status);
    expect(statuses).toEqual([...Array.from({ length: 30 }, () => 200), 429]);
    expect((await check('no address', token)).headers.get('retry-after')).toMatch(/^\d+$/);
    expect((await check('no address', other.token)).status).toBe(200);
  });
});
