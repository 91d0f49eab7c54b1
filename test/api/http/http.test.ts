import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { AppError } from '../../../src/lib/errors.ts';
import { mountRoutes } from '../../../src/lib/http/routing/mount.ts';
import { defineRoute, type Route } from '../../../src/lib/http/routing/route.ts';
import { adminPassword, startAccounts } from '../accounts/accounts-app.ts';

const common = { tag: 'Test', summary: 'For the test', access: 'view' } as const;
let release: () => void = () => undefined;

const callers: unknown[] = [];

const testRoutes: Route[] = [
  defineRoute(
    {
      ...common,
      method: 'get',
      path: '/api/things/next',
      responses: { 200: { schema: z.object({ next: z.boolean() }) } },
    },
    async () => ({ next: true }),
  ),
  defineRoute(
    {
      ...common,
      method: 'get',
      path: '/api/things/{id}',
      responses: { 200: { schema: z.object({ id: z.string() }) } },
    },
    async ({ params }) => ({ id: params.id }),
  ),
  defineRoute(
    {
      ...common,
      method: 'get',
      path: '/api/many',
      responses: { 200: { schema: z.object({ lines: z.array(z.string()) }) } },
    },
    async () => ({ lines: Array<string>(1_000).fill('a line of a long list') }),
  ),
  defineRoute(
    {
      ...common,
      method: 'get',
      path: '/api/download',
      ticket: true,
      responses: { 200: { mediaType: 'text/plain', description: 'Text' } },
    },
    async ({ response }) => {
      response.type('text/plain').send('bytes');
      return undefined;
    },
  ),
  defineRoute(
    {
      ...common,
      method: 'post',
      path: '/api/things',
      body: z.strictObject({ name: z.string(), nested: z.strictObject({ size: z.int() }).optional() }),
      responses: { 201: { schema: z.object({ name: z.string() }) } },
    },
    async ({ body }) => ({ name: body.name }),
  ),
  defineRoute(
    { ...common, method: 'get', path: '/api/broken', responses: { 200: { schema: z.object({}) } } },
    async () => {
      throw new Error('an inner message');
    },
  ),
  defineRoute(
    { ...common, access: 'public', method: 'get', path: '/api/open', responses: { 200: { schema: z.object({}) } } },
    async ({ principal }) => {
      callers.push(principal);
      return {};
    },
  ),
  defineRoute(
    { ...common, method: 'get', path: '/api/slow', responses: { 200: { schema: z.object({ done: z.boolean() }) } } },
    () =>
      new Promise((resolve) => {
        release = () => resolve({ done: true });
      }),
  ),
];

const streamRoute = defineRoute(
  {
    ...common,
    method: 'get',
    path: '/api/stream',
    responses: {
      200: { schema: z.object({}), alsoAs: { mediaType: 'text/event-stream', description: 'Without end' } },
    },
  },
  async ({ response }) => {
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    response.write(':\n\n');
    return undefined;
  },
);

let storeIsDown = false;
let runtimeIsDown = false;
let proxy: { kind: string; available: boolean; detail: string } | undefined;
const serverOptions = {
  metricsToken: 'a fixed token of the tests'.replaceAll(' ', '-'),
  moreRoutes: [...testRoutes, streamRoute],
  async pingStore() {
    if (storeIsDown) throw new AppError('database_unavailable', 'The database does not answer');
    return 'up' as const;
  },
  proxy: async () => proxy,
  runtime: async () => ({ kind: 'docker', available: !runtimeIsDown, detail: runtimeIsDown ? 'no engine' : '27.0' }),
};

let app: Awaited<ReturnType<typeof startAccounts>>;
let token: string;

beforeAll(async () => {
  app = await startAccounts(serverOptions);
  token = await app.tokenOf('admin', adminPassword);
});
afterAll(() => app.stop());

/** Sends bytes unchanged and returns the whole response. */
async function sendRaw(bytes: string): Promise<string> {
  const socket = connect(Number(new URL(app.url).port), '127.0.0.1');
  socket.write(bytes);
  let answer = '';
  for await (const chunk of socket) answer += chunk;
  return answer;
}

describe('every response', () => {
  test('has a request id: the caller’s, if it is valid', async () => {
    const kept = await app.request('GET', '/healthz', { headers: { 'X-Request-Id': 'trace-4711.a' } });
    expect(kept.headers.get('x-request-id')).toBe('trace-4711.a');
    for (const headers of [{}, { 'X-Request-Id': 'a b' }, { 'X-Request-Id': 'x'.repeat(200) }]) {
      const answer = await app.request('GET', '/nowhere', { headers });
      expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    }
  });

  test('is not cached, sniffed or framed, and does not name the server', async () => {
    const { headers } = await app.request('GET', '/api/things/1', { token });
    expect(Object.fromEntries(headers)).toMatchObject({
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none';frame-ancestors 'none'",
    });
    expect(headers.get('etag')).toBeNull();
    expect(headers.get('x-powered-by')).toBeNull();
  });

  test('is compressed if it is long JSON and the client can read that', async () => {
    const encodingOf = async (path: string, accepted: string) =>
      (await app.request('GET', path, { token, headers: { 'Accept-Encoding': accepted } })).headers.get(
        'content-encoding',
      );
    expect(await encodingOf('/api/many', 'gzip')).toBe('gzip');
    expect(await encodingOf('/api/many', 'identity')).toBeNull();
    expect(await encodingOf('/api/things/1', 'gzip')).toBeNull();
  });

  test('is readable for pages of the dashboard’s origin only', async () => {
    const from = async (origin: string) =>
      (await app.request('GET', '/healthz', { headers: { Origin: origin } })).headers.get(
        'access-control-allow-origin',
      );
    expect(await from('http://localhost:32200')).toBe('http://localhost:32200');
    expect(await from('http://evil.example')).toBeNull();
    const preflight = await app.request('OPTIONS', '/api/things', {
      headers: { Origin: 'http://localhost:32200', 'Access-Control-Request-Method': 'POST' },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-headers')).toContain('Authorization');
  });
});

describe('routes', () => {
  test('fixed paths take precedence over parameters', async () => {
    expect((await app.request('GET', '/api/things/next', { token })).body).toEqual({ next: true });
    expect((await app.request('GET', '/api/things/other', { token })).body).toEqual({ id: 'other' });
    const reversed = testRoutes.slice(0, 2).reverse();
    expect(() => mountRoutes(reversed, { authenticate: () => Promise.reject(), checkAnswers: true })).toThrow(
      '/api/things/next is never reached: /api/things/{id} comes before it',
    );
  });

  test('public routes have no caller', async () => {
    await app.request('GET', '/api/open', { token });
    await app.request('GET', '/api/open');
    expect(callers).toEqual([undefined, undefined]);
  });

  test('an unknown path is 404, also without a token', async () => {
    const answer = await app.request('GET', '/api/nothing/here');
    expect(answer.status).toBe(404);
    expect(answer.body).toEqual({
      error: 'Not found',
      detail: 'There is nothing at /api/nothing/here',
      code: 'not_found',
      timestamp: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
    });
  });

  test('another method is 405 with Allow', async () => {
    for (const method of ['PATCH', 'DELETE', 'OPTIONS']) {
      const answer = await app.request(method, '/api/things/1');
      expect(answer.status).toBe(405);
      expect(answer.headers.get('allow')).toBe('GET, HEAD');
      expect(answer.body.code).toBe('method_not_allowed');
    }
  });

  test('HEAD is GET without a body', async () => {
    const answer = await app.request('HEAD', '/api/things/1', { token });
    expect([answer.status, answer.text]).toEqual([200, '']);
  });

  test('a path that is not validly encoded is 400', async () => {
    const { status, text } = await app.request('GET', '/api/things/%E0%A4%A', { token });
    expect([status, JSON.parse(text)]).toMatchObject([
      400,
      { code: 'validation_error', issues: [{ path: 'path', message: 'is not validly encoded' }] },
    ]);
  });

  test('downloads reject the query token and accept a ticket', async () => {
    const body = { path: '/api/download' };
    const { ticket } = (await app.request('POST', '/api/auth/tickets', { token, body })).body;
    expect((await app.request('GET', `/api/download?ticket=${ticket}`)).text).toBe('bytes');
    expect((await app.request('GET', `/api/download?access_token=${token}`)).status).toBe(401);
    expect((await app.request('GET', `/api/things/1?access_token=${token}`)).status).toBe(401);
  });
});

describe('bodies', () => {
  const post = (body: string, headers: Record<string, string> = {}) =>
    app.request('POST', '/api/things', { token, body, headers });

  test('are parsed', async () => {
    const answer = await post('{"name":"x"}');
    expect([answer.status, answer.body]).toEqual([201, { name: 'x' }]);
  });

  test.each([
    ['cut off', '{"name": "x', 400, 'malformed_json'],
    ['no object', '"text"', 400, 'malformed_json'],
    ['an array', '[]', 400, 'validation_error'],
    ['empty', '', 400, 'validation_error'],
    ['too large', `{"name":"${'x'.repeat(1_100_000)}"}`, 413, 'payload_too_large'],
  ])('that are %s are rejected', async (_what, body, status, code) => {
    const answer = await post(body);
    expect([answer.status, answer.body.code]).toEqual([status, code]);
  });

  test('of another type, encoding or character set are rejected', async () => {
    for (const headers of [
      { 'Content-Type': 'text/plain' },
      { 'Content-Type': 'application/x-www-form-urlencoded' },
      { 'Content-Encoding': 'compress' },
      { 'Content-Type': 'application/json; charset=klingon' },
    ] as Record<string, string>[]) {
      const answer = await post('{"name":"x"}', headers);
      expect([answer.status, answer.body.code]).toEqual([415, 'unsupported_media_type']);
    }
  });

  test('report every invalid field', async () => {
    const { body } = await post('{"nested":{"size":"big","extra":1},"__proto__":{}}');
    const paths = body.issues.map((issue: { path: string }) => issue.path).sort();
    expect(paths).toEqual(['__proto__', 'name', 'nested.extra', 'nested.size']);
  });

  test('must not contain NUL, nor may a path', async () => {
    const inBody = await post('{"name":"x\\u0000"}');
    expect([inBody.status, inBody.body.issues[0].path]).toEqual([400, 'name']);
    expect((await app.request('GET', '/api/things/a%00b', { token })).status).toBe(400);
  });

  test('are not read before authentication', async () => {
    const answer = await app.request('POST', '/api/things', { body: '{"name": "x' });
    expect(answer.status).toBe(401);
  });
});

describe('errors', () => {
  test('unexpected ones show only a request id, which is in the log too', async () => {
    const answer = await app.request('GET', '/api/broken', { token, headers: { 'X-Request-Id': 'find-me' } });
    expect(answer.status).toBe(500);
    expect(answer.body).toMatchObject({ code: 'internal_error', detail: expect.stringContaining('find-me') });
    expect(answer.text).not.toContain('an inner message');
    expect(app.lines.find((line) => line.includes('an inner message'))).toContain('find-me');
  });

  test('of HTTP itself have the same form', async () => {
    for (const [bytes, status] of [
      ['NONSENSE\r\n\r\n', 400],
      [`GET /healthz HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(40_000)}\r\n\r\n`, 413],
      ['POST /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n', 400],
    ] as const) {
      const [head = '', body = ''] = (await sendRaw(bytes)).split('\r\n\r\n');
      expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
      expect(head).toMatch(/X-Request-Id: \S+/);
      const answer = JSON.parse(body);
      const more = status === 400 ? ['issues'] : [];
      expect(Object.keys(answer)).toEqual(['error', 'detail', 'code', 'timestamp', ...more]);
      if (status === 400) expect(answer.issues).toEqual([{ path: 'request', message: 'is not valid HTTP' }]);
    }
  });
});

describe('the log', () => {
  test('has neither tokens nor query strings', async () => {
    await app.request('GET', `/api/download?access%5Ftoken=${token}&access_token=${token}`);
    await app.request('GET', '/api/things/1', { token });
    const log = app.lines.join('\n');
    expect(log).toContain('"path":"/api/download"');
    expect(log).not.toContain(token);
    expect(log).not.toContain('Bearer');
  });
});

describe('/healthz and /readyz', () => {
  test('show a caller without a valid token neither kinds nor versions', async () => {
    proxy = { kind: 'nginx', available: false, detail: 'nginx 1.22.1 does not answer' };
    for (const given of [undefined, 'garbage']) {
      const { status, body } = await app.request('GET', '/readyz', { token: given });
      expect([status, body]).toEqual([
        200,
        { status: 'degraded', store: 'up', runtime: { available: true }, proxy: { available: false } },
      ]);
    }
    proxy = undefined;
  });

  test('show the state of the store, the runtime and the proxy', async () => {
    expect((await app.request('GET', '/healthz')).body).toEqual({ status: 'ok' });
    const runtime = { kind: 'docker', available: true, detail: '27.0' };
    expect((await app.request('GET', '/readyz', { token })).body).toEqual({ status: 'ready', store: 'up', runtime });
    runtimeIsDown = true;
    const degraded = await app.request('GET', '/readyz', { token });
    expect([degraded.status, degraded.body.status, degraded.body.runtime.detail]).toEqual([
      200,
      'degraded',
      'no engine',
    ]);
    runtimeIsDown = false;
    proxy = { kind: 'nginx', available: false, detail: 'nginx does not answer' };
    const proxyAway = await app.request('GET', '/readyz', { token });
    expect([proxyAway.status, proxyAway.body.status, proxyAway.body.proxy]).toEqual([200, 'degraded', proxy]);
    proxy = { kind: 'nginx', available: true, detail: '1.22.1' };
    expect((await app.request('GET', '/readyz', { token })).body).toMatchObject({ status: 'ready', proxy });
    proxy = undefined;
    storeIsDown = true;
    const down = await app.request('GET', '/readyz', { token });
    expect([down.status, down.body.code]).toEqual([503, 'database_unavailable']);
    expect((await app.request('GET', '/healthz')).status).toBe(200);
    storeIsDown = false;
  });
});

describe('/metrics', () => {
  test('accepts a token of any role or the fixed one', async () => {
    expect((await app.request('GET', '/metrics')).status).toBe(401);
    expect((await app.request('GET', '/metrics', { token: `${serverOptions.metricsToken}x` })).status).toBe(401);
    expect((await app.request('GET', '/metrics', { token })).status).toBe(200);
    expect((await app.request('GET', '/metrics', { token: serverOptions.metricsToken })).status).toBe(200);
    expect((await app.request('GET', '/api/things/1', { token: serverOptions.metricsToken })).status).toBe(401);
  });

  test('counts requests by route, never by path', async () => {
    app.http.metrics.gauge({
      name: 'things',
      help: 'Things by colour',
      labels: ['colour'],
      collect: async () => [{ labels: { colour: 'red' }, value: 3 }],
    });
    await app.request('GET', '/api/things/some-very-special-id', { token });
    const { text } = await app.request('GET', '/metrics', { token });
    expect(text).toMatch(
      /tenantry_http_request_duration_seconds_count\{method="GET",route="\/api\/things\/\{id\}",status="200"\} \d+/,
    );
    expect(text).not.toContain('some-very-special-id');
    expect(text).toContain('things{colour="red"} 3');
    expect(text).toContain('process_cpu_seconds_total');
  });
});

describe('behind a proxy', () => {
  test('uses the forwarded address only from a trusted proxy', async () => {
    const failAs = async (of: typeof app, address: string) =>
      of.request('POST', '/api/auth/login', {
        body: { username: 'nobody', password: 'wrong' },
        headers: { 'X-Forwarded-For': address },
      });
    const [direct, behind] = await Promise.all([startAccounts(), startAccounts({ trustProxy: ['loopback'] })]);
    for (let host = 1; host <= 10; host += 1) {
      await failAs(direct, `10.0.0.${host}`);
      await failAs(behind, `10.0.0.${host}`);
    }
    expect((await failAs(direct, '10.0.0.99')).status).toBe(429);
    expect((await failAs(behind, '10.0.0.99')).status).toBe(401);
    await Promise.all([direct.stop(), behind.stop()]);
  });
});

describe('stopping', () => {
  test('completes running requests, answers new ones with 503, and aborts slow ones', async () => {
    const stopping = await startAccounts(serverOptions);
    const itsToken = await stopping.tokenOf('admin', adminPassword);
    // A keep-alive connection, as a reverse proxy has it.
    const socket = connect(Number(new URL(stopping.url).port), '127.0.0.1');
    const answers = (async () => {
      let text = '';
      for await (const chunk of socket) text += chunk;
      return text;
    })();
    const slow = stopping.request('GET', '/api/slow', { token: itsToken });
    socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\nGET /api/nothing HTTP/1.1\r\nHost: x\r\n');
    await new Promise((resolve) => setTimeout(resolve, 100));
    const stopped = stopping.stop();
    socket.write('\r\n');
    expect(await answers).toMatch(/HTTP\/1.1 200 [\s\S]*HTTP\/1.1 503 [\s\S]*Retry-After: 5[\s\S]*"shutting_down"/i);
    release();
    expect((await slow).body).toEqual({ done: true });
    await stopped;
  });

  test('does not wait for event streams', async () => {
    const stopping = await startAccounts(serverOptions);
    const token = await stopping.tokenOf('admin', adminPassword);
    const stream = await fetch(`${stopping.url}/api/stream`, { headers: { Authorization: `Bearer ${token}` } });
    const ended = stream.text().catch(() => 'broken off');
    const slow = stopping.request('GET', '/api/slow', { token });
    await new Promise((resolve) => setTimeout(resolve, 100));
    const stopped = stopping.stop();
    // While a request is still running.
    expect(await ended).toBe('broken off');
    release();
    expect((await slow).body).toEqual({ done: true });
    await stopped;
  });
});
