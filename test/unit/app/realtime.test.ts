import { once } from 'node:events';
import { createServer, request as httpRequest, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { io, type Socket } from 'socket.io-client';
import { type ClientOptions, WebSocket } from 'ws';
import { OpenStreams, type StreamTiming } from '../../../src/app/realtime/open-streams.ts';
import { createRealtime, type Realtime, type RealtimeOptions } from '../../../src/app/realtime/realtime.ts';
import { AppError, notFound } from '../../../src/lib/errors.ts';
import type { Credential } from '../../../src/lib/http/requests/credential.ts';
import { serveTail } from '../../../src/lib/http/responses/sse.ts';
import type { Principal } from '../../../src/lib/http/routing/route.ts';
import { createLogger } from '../../../src/lib/logger.ts';
import { ReplayStream } from '../../../src/lib/streams/replay-stream.ts';

const principal: Principal = { userId: '1', username: 'eva', role: 'viewer', mustChangePassword: false };
const token = 'a-good.token';
const bearer = { headers: { Authorization: `Bearer ${token}` } };

let server: Server;
let live: Realtime;
let openStreams: OpenStreams;
let port: number;
let valid: Map<string, Principal>;
/** Replaces the lookup of tokens. */
let checks: Map<string, () => Promise<Principal>>;
let tail: ReplayStream;
let events: ReplayStream;
let services: (string | undefined)[];
let logged: string[];
const clients: Socket[] = [];

function only(id: string, known: () => ReplayStream) {
  return async (asked: string): Promise<ReplayStream> => {
    if (asked !== id) throw notFound('thing', asked);
    return known();
  };
}

async function start(timing?: RealtimeOptions['timing'] & Partial<StreamTiming>): Promise<void> {
  logged = [];
  server = createServer((request, response) => {
    if (request.url?.startsWith('/sse')) void serveTail(request, response, tail, { commentEvery: 20 });
    else response.writeHead(418).end();
  });
  const logger = createLogger({ level: 'trace', destination: { write: (line: string) => void logged.push(line) } });
  const authenticate = async ({ value }: Credential): Promise<Principal> => {
    const check = checks.get(value);
    if (check) return check();
    const found = valid.get(value);
    if (value === 'explode') throw new Error('the store is gone');
    if (!found) throw new AppError('unauthorized', 'The token is not valid');
    return found;
  };
  openStreams = new OpenStreams({ authenticate, logger, ...(timing ? { timing } : {}) });
  live = createRealtime({
    httpServer: server,
    streams: {
      deployment: only('d 1', () => tail),
      health: only('t1', () => tail),
      tenant_logs: async (id, { service }) => {
        services.push(service);
        return only('t1', () => tail)(id);
      },
      events: async () => events,
    },
    authenticate,
    addressOf: ({ socket }) => socket.remoteAddress ?? '',
    openStreams,
    allowedOrigins: ['http://dashboard.test'],
    logger,
    ...(timing ? { timing } : {}),
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
}

async function stop(): Promise<void> {
  for (const client of clients.splice(0)) client.disconnect();
  live.close();
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
}

beforeEach(async () => {
  valid = new Map([[token, principal]]);
  checks = new Map();
  tail = new ReplayStream();
  events = new ReplayStream();
  services = [];
  await start();
});
afterEach(stop);

const log = (text: string) => ({ type: 'log', message: text });
const complete = { type: 'complete', deployment_id: 'd 1', status: 'success', duration_seconds: 3 };

/** A plain WebSocket and all that it received. */
class Client {
  readonly messages: { type: string; seq: number; message?: string }[] = [];
  readonly socket: WebSocket;
  readonly closed: Promise<number>;

  constructor(path: string, options: ClientOptions = bearer, protocols: string[] = []) {
    this.socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, protocols, options);
    this.socket.on('message', (data) => this.messages.push(JSON.parse(String(data))));
    this.closed = new Promise((resolve) => this.socket.once('close', resolve));
    this.socket.on('error', () => undefined);
  }

  get numbers(): number[] {
    return this.messages.map(({ seq }) => seq);
  }

  async opened(): Promise<this> {
    await once(this.socket, 'open');
    return this;
  }

  async has(count: number): Promise<void> {
    while (this.messages.length < count) await once(this.socket, 'message');
  }

  /** The HTTP response to a rejected handshake. */
  async refused(): Promise<{
    status: number;
    body: { code: string; detail: string };
    headers: IncomingMessage['headers'];
  }> {
    const [, response] = (await once(this.socket, 'unexpected-response')) as [unknown, IncomingMessage];
    const chunks = (await response.toArray()) as Buffer[];
    const body = JSON.parse(Buffer.concat(chunks).toString());
    return { status: response.statusCode ?? 0, body, headers: response.headers };
  }
}

describe('plain WebSocket', () => {
  test('replays a deployment, continues live, closes normally at its end', async () => {
    tail.append(log('before'));
    const client = await new Client('/ws/deployments/d%201').opened();
    await client.has(1);
    tail.append(log('„live“ '.repeat(20_000)));
    tail.append(complete);
    tail.close();
    expect(await client.closed).toBe(1000);
    expect(client.messages[0]).toEqual({ type: 'log', message: 'before', seq: 1 });
    expect(client.messages[1]).toEqual({ type: 'log', message: '„live“ '.repeat(20_000), seq: 2 });
    expect(client.messages[2]).toEqual({ ...complete, seq: 3 });
  });

  test('since skips what was seen; a late client gets everything', async () => {
    for (let at = 1; at <= 5; at += 1) tail.append(log(String(at)));
    tail.close();
    const client = new Client('/ws/deployments/d%201?since=3');
    expect(await client.closed).toBe(1000);
    expect(client.numbers).toEqual([4, 5]);
  });

  test('states start with the next change, logs with the existing lines', async () => {
    tail.append(log('old'));
    events.append({ type: 'tenant_status', tenant_id: 't1', status: 'running' });
    const health = await new Client('/ws/tenants/t1/health').opened();
    const all = await new Client('/ws/events').opened();
    const again = await new Client('/ws/events?since=0').opened();
    const logs = await new Client('/ws/tenants/t1/logs?service=backend').opened();
    tail.append(log('new'));
    events.append({ type: 'tenant_status', tenant_id: 't1', status: 'stopped' });
    await Promise.all([health.has(1), all.has(1), again.has(2), logs.has(2)]);
    expect([health.numbers, all.numbers, again.numbers, logs.numbers]).toEqual([[2], [2], [1, 2], [1, 2]]);
    expect(services).toEqual(['backend']);
  });

  test('accepts a token by header, sub-protocol or query, and never logs it', async () => {
    await new Client('/ws/events').opened();
    await new Client(`/ws/events?access_token=${token}`, {}).opened();
    const client = await new Client('/ws/events', {}, ['bearer', token]).opened();
    expect(client.socket.protocol).toBe('bearer');
    const failing = await new Client('/ws/events?access_token=explode', {}).refused();
    expect(failing).toMatchObject({ status: 500, body: { code: 'internal_error' } });
    expect(logged.join()).toContain(failing.headers['x-request-id']);
    expect(logged.join()).not.toContain(token);
    expect(logged.join()).not.toContain('access_token');
  });

  test.each([
    ['no token', '/ws/deployments/d%201', {}, 401, 'unauthorized'],
    ['a wrong token', '/ws/deployments/d%201', { headers: { Authorization: 'Bearer other' } }, 401, 'unauthorized'],
    ['an unknown id', '/ws/deployments/other', bearer, 404, 'not_found'],
    ['an unknown id without a token', '/ws/deployments/other', {}, 401, 'unauthorized'],
    ['a kind that is not there', '/ws/imports/imp_1', bearer, 404, 'not_found'],
    ['an unknown path', '/ws/other', {}, 404, 'not_found'],
    ['a path that is not encoded', '/ws/deployments/%zz', bearer, 404, 'not_found'],
    ['a since that is no number', '/ws/events?since=soon', bearer, 400, 'validation_error'],
  ])('answers %s as HTTP', async (_name, path, options: ClientOptions, status, code) => {
    const answer = await new Client(path, options).refused();
    expect(answer).toMatchObject({ status, body: { code } });
    expect(Object.keys(answer.body).slice(0, 4)).toEqual(['error', 'detail', 'code', 'timestamp']);
    expect(answer.headers['x-request-id']).toBeTruthy();
    expect(live.connections()).toBe(0);
  });

  test.each([
    '/ws/tenants/../events',
    '/ws/%2e%2E/ws/events',
    '/ws\\events',
    '//elsewhere/ws/events',
    'http://x/ws/events',
  ])('rejects a path that is not normalized as not found: %s', async (path) => {
    const handshake = {
      Connection: 'Upgrade',
      Upgrade: 'websocket',
      'Sec-WebSocket-Version': '13',
      'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
    };
    const request = httpRequest({ port, path, headers: { ...handshake, ...bearer.headers } });
    const opened = once(request, 'upgrade').then(([{ statusCode }, socket]) => {
      socket.destroy();
      return statusCode;
    });
    const answered = once(request, 'response').then(([{ statusCode }]) => statusCode);
    request.end();
    expect(await Promise.race([opened, answered])).toBe(404);
  });

  test('a user who must change the password sees nothing', async () => {
    valid.set('fresh', { ...principal, mustChangePassword: true });
    const answer = await new Client('/ws/events?access_token=fresh', {}).refused();
    expect(answer).toMatchObject({ status: 403, body: { code: 'password_change_required' } });
  });

  test('rejects an invalid handshake in the agreed form', async () => {
    const request = httpRequest({
      port,
      path: '/ws/events',
      headers: { Connection: 'Upgrade', Upgrade: 'nonsense', ...bearer.headers },
    });
    request.end();
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    expect(response.statusCode).toBe(400);
    expect(JSON.parse(String(await response.toArray()))).toMatchObject({ code: 'validation_error' });
  });

  test('a revoked token ends the connection, and a new one of the same user opens another', async () => {
    valid.set('other', principal);
    const revoked = await new Client('/ws/events').opened();
    const stays = await new Client('/ws/events?access_token=other', {}).opened();
    await openStreams.recheck();
    valid.delete(token);
    await openStreams.recheck();
    expect(await revoked.closed).toBe(4401);
    events.append({ type: 'tenant_status', tenant_id: 't1', status: 'running' });
    await stays.has(1);
    expect(live.connections()).toBe(1);
  });

  test.each([
    ['fails', async (): Promise<Principal> => Promise.reject(new Error('the store is gone'))],
    ['never ends', () => new Promise<Principal>(() => undefined)],
  ])('closes a connection whose check %s after the third time, and still checks others', async (_how, check) => {
    await stop();
    await start({ checkTimeout: 20 });
    valid.set('unchecked', principal);
    const unchecked = await new Client('/ws/events?access_token=unchecked', {}).opened();
    const revoked = await new Client('/ws/events').opened();
    checks.set('unchecked', check);
    valid.delete(token);
    await openStreams.recheck();
    expect(await revoked.closed).toBe(4401);
    await openStreams.recheck();
    expect(unchecked.socket.readyState).toBe(WebSocket.OPEN);
    await openStreams.recheck();
    expect(await unchecked.closed).toBe(1011);
  });

  test('a check during another sees changes made after the first started', async () => {
    const began = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<Principal>();
    const revoked = await new Client('/ws/events').opened();
    checks.set(token, () => {
      began.resolve();
      return answer.promise;
    });
    const first = openStreams.recheck();
    await began.promise;
    checks.delete(token);
    valid.delete(token);
    const second = openStreams.recheck();
    answer.resolve(principal);
    await Promise.all([first, second]);
    expect(await revoked.closed).toBe(4401);
  });

  test('an invalid address is not found, and logs no unexpected error', async () => {
    for (const path of ['//', '///', '/%', '//[']) {
      const socket = connect(port, '127.0.0.1');
      socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`);
      const [first] = (await once(socket, 'data')) as [Buffer];
      expect(first.toString()).toMatch(/^HTTP\/1\.1 404 /);
    }
    expect(logged).toEqual([]);
  });

  test('limits what clients may send', async () => {
    const large = await new Client('/ws/events').opened();
    large.socket.send('x'.repeat(10_000));
    expect(await large.closed).toBe(1009);
    const chatty = await new Client('/ws/events').opened();
    for (let at = 0; at < 200; at += 1) chatty.socket.send('x');
    expect(await chatty.closed).toBe(1008);
  });

  test('asks a viewer that the buffer has overtaken to reconnect', async () => {
    tail = new ReplayStream({ ring: 10, ringCharacters: 1_000_000 });
    const slow = await new Client('/ws/deployments/d%201').opened();
    slow.socket.pause();
    for (let round = 0; round < 300; round += 1) {
      tail.append(log('x'.repeat(100_000)));
      await delay(0);
    }
    slow.socket.resume();
    expect(await slow.closed).toBe(1013);
    expect(slow.numbers).toEqual(slow.numbers.map((_seq, at) => at + 1));
    expect(slow.numbers.length).toBeLessThan(300);
  });

  test('reports a shutdown', async () => {
    const client = await new Client('/ws/events').opened();
    live.close();
    expect(await client.closed).toBe(1001);
    expect(await new Client('/ws/events').refused()).toMatchObject({ status: 503, body: { code: 'shutting_down' } });
  });

  test('leaves other requests of the server alone', async () => {
    expect((await fetch(`http://127.0.0.1:${port}/else`)).status).toBe(418);
  });
});

describe('connection checks', () => {
  beforeEach(async () => {
    await stop();
    await start({ heartbeat: 60, sweepEvery: 20, dropStalledAfter: 200, recheckEvery: 20 });
  });

  test('drop an unresponsive peer, and keep one that answers', async () => {
    const here = await new Client('/ws/events').opened();
    const gone = await new Client('/ws/events', { ...bearer, autoPong: false }).opened();
    expect(await gone.closed).toBe(1006);
    events.append({ type: 'tenant_status', tenant_id: 't1', status: 'running' });
    await here.has(1);
  });

  test('detect an expired token automatically', async () => {
    const client = await new Client('/ws/events').opened();
    valid.clear();
    expect(await client.closed).toBe(4401);
  });
});

describe('a viewer whose socket does not drain', () => {
  beforeEach(async () => {
    await stop();
    await start({ sweepEvery: 20, dropStalledAfter: 200 });
  });

  test('is dropped while the others see everything', async () => {
    tail = new ReplayStream({ ring: 1_000, ringCharacters: 64_000_000 });
    const stalled = connect(port, '127.0.0.1');
    stalled.write(
      `GET /ws/deployments/d%201 HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nAuthorization: Bearer ${token}\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n`,
    );
    await once(stalled, 'data');
    stalled.pause();
    const reader = await new Client('/ws/deployments/d%201').opened();
    for (let at = 0; at < 300; at += 1) tail.append(log('x'.repeat(100_000)));
    await reader.has(300);
    while (live.connections() > 1) await delay(20);
    expect(reader.numbers).toHaveLength(300);
    stalled.destroy();
  });
});

describe('Socket.io', () => {
  function client(options: Parameters<typeof io>[1] = { auth: { token } }): Socket {
    const socket = io(`http://127.0.0.1:${port}/streams`, { reconnection: false, forceNew: true, ...options });
    clients.push(socket);
    return socket;
  }
  const ask = (socket: Socket, event: string, body: unknown): Promise<{ ok: boolean; seq?: number; code?: string }> =>
    socket.timeout(5_000).emitWithAck(event, body);
  const nextEvent = (socket: Socket, event: string): Promise<unknown[]> =>
    new Promise((resolve) => socket.once(event, (...args: unknown[]) => resolve(args)));
  type Heard = [{ seq: number; type: string }, { stream: string; id: string }];
  function heard(socket: Socket): { all: Heard[]; until(count: number): Promise<void> } {
    const all: Heard[] = [];
    socket.on('message', (...args: Heard) => all.push(args));
    return {
      all,
      async until(count) {
        while (all.length < count) await delay(5);
      },
    };
  }

  test.each([['websocket'], ['polling']])('by %s: the same messages, each with its stream', async (transport) => {
    tail.append(log('before'));
    const socket = client({ auth: { token }, transports: [transport] });
    const messages = heard(socket);
    expect(await ask(socket, 'subscribe', { stream: 'deployment', id: 'd 1' })).toEqual({ ok: true, seq: 1 });
    expect(await ask(socket, 'subscribe', { stream: 'events' })).toEqual({ ok: true, seq: 0 });
    await messages.until(1);
    events.append({ type: 'tenant_status', tenant_id: 't1', status: 'running' });
    await messages.until(2);
    tail.append(complete);
    tail.close();
    expect(await nextEvent(socket, 'closed')).toEqual([
      { code: 1000, reason: 'the stream has ended' },
      { stream: 'deployment', id: 'd 1' },
    ]);
    expect(messages.all).toEqual([
      [
        { ...log('before'), seq: 1 },
        { stream: 'deployment', id: 'd 1' },
      ],
      [
        { type: 'tenant_status', tenant_id: 't1', status: 'running', seq: 1 },
        { stream: 'events', id: '' },
      ],
      [
        { ...complete, seq: 2 },
        { stream: 'deployment', id: 'd 1' },
      ],
    ]);
  });

  test('thousands of messages arrive in order, also across a transport upgrade', async () => {
    const socket = client();
    const messages = heard(socket);
    await ask(socket, 'subscribe', { stream: 'tenant_logs', id: 't1', service: 'backend' });
    for (let at = 0; at < 5_000; at += 1) {
      tail.append(log(String(at)));
      if (at % 50 === 0) await delay(1);
    }
    await messages.until(5_000);
    expect(messages.all.map(([{ seq }]) => seq)).toEqual(Array.from({ length: 5_000 }, (_, at) => at + 1));
    expect(services).toEqual(['backend']);
  });

  test('unsubscribe ends it; subscribe with since resumes without a gap', async () => {
    const socket = client();
    const messages = heard(socket);
    const name = { stream: 'health', id: 't1' };
    await ask(socket, 'subscribe', name);
    tail.append(log('1'));
    await messages.until(1);
    expect(await ask(socket, 'unsubscribe', name)).toEqual({ ok: true, seq: 1 });
    tail.append(log('2'));
    tail.append(log('3'));
    expect(await ask(socket, 'unsubscribe', name)).toMatchObject({ ok: false, code: 'not_found' });
    await ask(socket, 'subscribe', { ...name, since: 1 });
    await messages.until(3);
    expect(messages.all.map(([{ seq }]) => seq)).toEqual([1, 2, 3]);
  });

  test('answers invalid subscriptions without closing', async () => {
    const socket = client();
    expect(await ask(socket, 'subscribe', { stream: 'deployment', id: 'other' })).toMatchObject({
      ok: false,
      code: 'not_found',
    });
    expect(await ask(socket, 'subscribe', { stream: 'import', id: 'imp_1' })).toMatchObject({
      ok: false,
      code: 'not_found',
    });
    for (const body of [
      null,
      'x',
      {},
      { stream: 'deployment' },
      { stream: 'secrets', id: '1' },
      { stream: 'events', since: -1 },
    ]) {
      expect(await ask(socket, 'subscribe', body)).toMatchObject({ ok: false, code: 'validation_error' });
    }
    socket.emit('subscribe');
    socket.emit('subscribe', { stream: 'events' }, 'not a function');
    const answers = await Promise.all(
      Array.from({ length: 80 }, (_, at) =>
        ask(socket, 'subscribe', { stream: 'tenant_logs', id: 't1', service: `s${at}` }),
      ),
    );
    expect(answers.filter(({ ok }) => ok)).toHaveLength(63);
    expect(answers.at(-1)).toMatchObject({ ok: false, code: 'rate_limited' });
  });

  test.each([
    ['auth.token', { auth: { token } }],
    ['the header', { extraHeaders: { Authorization: `Bearer ${token}` } }],
    ['the query', { query: { access_token: token } }],
  ])('accepts a token by %s', async (_name, options) => {
    await nextEvent(client(options), 'connect');
  });

  test('rejects connections without a valid token, and closes the main namespace', async () => {
    for (const options of [{}, { auth: { token: 'other' } }, { auth: { token: { $ne: '' } } }]) {
      const [error] = (await nextEvent(client(options), 'connect_error')) as [Error & { data: { code: string } }];
      expect(error.data.code).toBe('unauthorized');
    }
    const main = io(`http://127.0.0.1:${port}/`, { reconnection: false, forceNew: true, auth: { token } });
    clients.push(main);
    await nextEvent(main, 'connect_error');
  });

  test('a revoked token closes the connection', async () => {
    const socket = client();
    await nextEvent(socket, 'connect');
    valid.clear();
    const goodbye = nextEvent(socket, 'unauthorized');
    await openStreams.recheck();
    expect(await goodbye).toMatchObject([{ code: 'unauthorized' }]);
    while (live.connections() > 0) await delay(5);
  });

  test('limits connections without a token for one address', async () => {
    const poll = async (): Promise<number> =>
      (await fetch(`http://127.0.0.1:${port}/socket.io/?EIO=4&transport=polling`)).status;
    for (let handshake = 0; handshake < 100; handshake += 1) expect(await poll()).toBe(200);
    expect(await poll()).toBe(403);
  });

  test('rejects polling from origins other than the dashboard’s', async () => {
    const poll = async (origin: string) =>
      (
        await fetch(`http://127.0.0.1:${port}/socket.io/?EIO=4&transport=polling`, { headers: { Origin: origin } })
      ).headers.get('access-control-allow-origin');
    expect(await poll('http://dashboard.test')).toBe('http://dashboard.test');
    expect(await poll('http://evil.test')).not.toBe('http://evil.test');
  });
});

describe('server-sent events', () => {
  const open = (headers: Record<string, string> = {}) => fetch(`http://127.0.0.1:${port}/sse`, { headers });

  test('sends number, type and the same JSON; ends with the stream', async () => {
    tail.append(log('„eins“'));
    const response = await open();
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    expect(response.headers.get('cache-control')).toContain('no-transform');
    tail.append(complete);
    tail.close();
    const text = (await response.text()).replaceAll(':\n\n', '');
    expect(text).toBe(
      `id: 1\nevent: log\ndata: {"type":"log","message":"„eins“","seq":1}\n\nid: 2\nevent: complete\ndata: ${JSON.stringify({ ...complete, seq: 2 })}\n\n`,
    );
  });

  test('Last-Event-ID resumes without a gap; after a complete stream there is nothing to resume', async () => {
    for (let at = 1; at <= 1_500; at += 1) tail.append(log(String(at)));
    tail.close();
    const text = await (await open({ 'Last-Event-ID': '1000' })).text();
    expect([...text.matchAll(/^id: (\d+)$/gm)].map((match) => Number(match[1]))).toEqual(
      Array.from({ length: 500 }, (_, at) => 1_001 + at),
    );
    expect((await open({ 'Last-Event-ID': '1500' })).status).toBe(204);
    expect((await open({ 'Last-Event-ID': 'x' })).status).toBe(200);
  });

  test('comments keep a silent connection open; a client that leaves is removed', async () => {
    const abort = new AbortController();
    const response = await fetch(`http://127.0.0.1:${port}/sse`, { signal: abort.signal });
    const reader = response.body?.getReader();
    expect(new TextDecoder().decode((await reader?.read())?.value)).toBe(':\n\n');
    abort.abort();
    await expect(reader?.read()).rejects.toThrow();
    tail.append(log('unread'));
    tail.close();
  });
});
