// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders of steps look like those of JavaScript
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createTenantApi } from '../../../../src/adapters/tenant-api/tenant-api.ts';
import { userChecks } from '../../../../src/adapters/tenant-api/user-steps/definition.ts';
import { assertContent } from '../../../../src/adapters/tenant-api/user-steps/expectations.ts';
import { RenderBudget, render } from '../../../../src/adapters/tenant-api/user-steps/placeholders.ts';
import { runCheck } from '../../../../src/adapters/tenant-api/user-steps/run-check.ts';

interface Seen {
  method: string;
  url: string;
  headers: IncomingMessage['headers'];
  body: string;
}

const secret = 'correct horse & battery';
const tenantApi = createTenantApi();
let server: Server;
let port: number;
let seen: Seen[] = [];

async function answer(request: IncomingMessage, response: ServerResponse): Promise<unknown> {
  const { method = '', url = '', headers } = request;
  const body = await text(request);
  seen.push({ method, url, headers, body });
  const json = (status: number, value: unknown, more: Record<string, string | string[]> = {}): unknown =>
    response.writeHead(status, { 'content-type': 'application/json', ...more }).end(JSON.stringify(value));
  if (url === '/login') {
    if (body !== new URLSearchParams({ user: 'ada', password: secret }).toString())
      return json(401, { detail: `wrong password for ${body}` });
    return json(
      200,
      { token: 'token-0123456789', user: { id: 7 } },
      { 'set-cookie': ['sid=s1; Path=/; Secure', 'old=1; Max-Age=0'] },
    );
  }
  if (url === '/one') return json(200, {}, { 'set-cookie': 'sid=s1; Path=/' });
  if (url === '/me') return json(headers.cookie === 'sid=s1' ? 200 : 401, { name: 'Ada', id: 7, tags: [{ id: 'a' }] });
  if (url === '/echo')
    return json(500, { detail: `${secret} ${encodeURIComponent(secret)} ${String(headers.authorization)}` });
  if (url === '/elsewhere') return response.writeHead(302, { location: `http://127.0.0.1:${port}/secret` }).end();
  if (url === '/long') return response.end('x'.repeat(3_000));
  if (url === '/hang') return undefined;
  return json(200, { url });
}

beforeAll(async () => {
  server = createServer((request, response) => void answer(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  ({ port } = server.address() as AddressInfo);
});
afterAll(async () => {
  await tenantApi.close();
  server.closeAllConnections();
  server.close();
});

interface Options {
  cleanup?: unknown[];
  runMs?: number;
  signal?: AbortSignal;
}

function run(steps: unknown[], { cleanup = [], runMs = 20_000, signal }: Options = {}) {
  seen = [];
  const named = (list: unknown[], kind: string) =>
    list.map((step, at) => ({ name: `${kind} ${at}`, unit: 'api', ...(step as object) }));
  const [check] = userChecks.parse([
    { name: 'Check', steps: named(steps, 'step'), cleanup: named(cleanup, 'cleanup') },
  ]);
  if (!check) throw new Error('There is one check');
  return runCheck(check, {
    send: (_unit, request) => tenantApi.send({ host: '127.0.0.1', port }, request),
    environment: { PASSWORD: secret, APP_NAME: 'Contacts', LOGO: 'x'.repeat(10_000), NOTES: 'y'.repeat(1_000) },
    domains: { api: 'api.a.example', frontend: 'a.example' },
    deadline: performance.now() + runMs,
    signal,
  });
}

const login = {
  method: 'POST',
  path: '/login',
  form: { user: 'ada', password: '${env.PASSWORD}' },
  capture: { token: { json: 'token' }, id: { json: 'user.id' } },
};

describe('a check with a user’s steps', () => {
  test('keeps cookies and captured values with their types from step to step', async () => {
    const result = await run([
      login,
      {
        path: '/me',
        headers: { authorization: 'Bearer ${token}' },
        expect: { json: { id: '${id}', 'tags.0.id': 'a' } },
      },
      {
        method: 'PUT',
        path: '/people/${id}?q=${env.PASSWORD}',
        json: { id: '${id}', text: 'n ${id}', at: ['${run}'] },
      },
    ]);
    expect(result).toMatchObject({
      status: 'passed',
      steps: [{ status_code: 200 }, { status_code: 200 }, { error: null }],
    });
    expect(seen[1]?.headers).toMatchObject({ authorization: 'Bearer token-0123456789', cookie: 'sid=s1' });
    expect(seen[2]?.url).toBe(`/people/7?q=${encodeURIComponent(secret)}`);
    expect(JSON.parse(seen[2]?.body ?? '')).toEqual({
      id: 7,
      text: 'n 7',
      at: [expect.stringMatching(/^[0-9a-f]{16}$/)],
    });
  });

  test.each([
    [{ path: '/me' }, 'answered 401 instead of 2xx'],
    [{ path: '/people', expect: { status: [201, 204] } }, 'answered 200 instead of 201 or 204'],
    [{ path: '/people', expect: { text: 'Ada' } }, 'the answer does not contain “Ada”'],
    [{ path: '/people', expect: { json: { url: '/me' } } }, 'url is "/people" instead of "/me"'],
    [{ path: '/people', expect: { json: { 'a.b': 1 } } }, 'a.b is missing instead of 1'],
    [
      { path: '/people', expect: { json: { 'constructor.name': 'Object' } } },
      'constructor.name is missing instead of "Object"',
    ],
    [{ path: '/people', capture: { id: { json: 'id' } } }, 'id can’t be captured: the answer has no such value'],
    [{ path: '/people', capture: { id: { header: 'x-id' } } }, 'id can’t be captured: the answer has no such header'],
    [{ path: '/long', expect: { json: { a: 1 } } }, 'the answer is not JSON'],
    [{ path: '/long', max_answer_kb: 1 }, 'the answer is longer than 1 KB'],
    [{ path: '/hang', timeout_s: 0.2 }, 'no answer within 200 ms'],
    [{ path: '/${env.NOTHING}' }, '${env.NOTHING}: the tenant’s environment has no NOTHING'],
  ])('fails at %j: %s', async (step, error) => {
    const { status, steps } = await run([step, { path: '/people' }]);
    expect([status, steps[0]?.error, steps[1]?.status]).toEqual(['failed', error, 'skipped']);
  });

  test('fails before a request whose values make it too long', async () => {
    const json = Array.from({ length: 100 }, () => '${env.NOTES}');
    const { steps } = await run([{ method: 'POST', path: '/people', json }, { path: '/x' }]);
    expect(steps[0]?.error).toBe('the request’s body is longer than 64 KB');
    const { steps: long } = await run([{ method: 'POST', path: '/people', json: ['${env.LOGO}'] }]);
    expect(long[0]?.error).toBe('${env.LOGO} is longer than 8192 characters');
    expect(seen).toEqual([]);
  });

  test.each([
    ['path', { path: `/x?${'${env.NOTES}'.repeat(9)}` }, 'the request’s path is longer than 8 KB'],
    [
      'headers',
      { path: '/x', headers: { a: '${env.NOTES}'.repeat(17) } },
      'the request’s headers are longer than 16 KB',
    ],
    [
      'form',
      {
        method: 'POST',
        path: '/x',
        form: Object.fromEntries(['a', 'b'].map((name) => [name, '${env.NOTES}'.repeat(40)])),
      },
      'the request’s body is longer than 64 KB',
    ],
  ])('limits a %s whose values make it too long', async (_, step, error) => {
    expect((await run([step])).steps[0]?.error).toBe(error);
    expect(seen).toEqual([]);
  });

  test('limits an expected text, too', async () => {
    const { steps } = await run([{ path: '/people', expect: { text: '${env.NOTES}'.repeat(80) } }]);
    expect(steps[0]?.error).toBe('the expected texts are longer than 64 KB');
  });

  test('stops to render at the limit, not after the whole text', () => {
    let read = 0;
    class Captured extends Map<string, string> {
      override get(name: string): string | undefined {
        read += 1;
        return super.get(name);
      }
    }
    const values = { environment: {}, captured: new Captured([['a', '\u0001'.repeat(4_096)]]) };
    const rendering = () => render('${a}'.repeat(8_077), values, new RenderBudget(65_536, 'too long'));
    expect(rendering).toThrow('too long');
    expect(read).toBe(17);
  });

  test('finds an expected text as includes does', () => {
    const texts = Array.from({ length: 127 }, (_, at) => (at + 1).toString(2).slice(1)).filter((text) => text !== '');
    const [check] = userChecks.parse([{ name: 'c', steps: [{ name: 's', unit: 'api', path: '/' }] }]);
    const step = check?.steps[0];
    if (!step) throw new Error('There is one step');
    const finds = (body: string, text: string): boolean => {
      const answer = { statusCode: 200, headers: {}, body, cut: false, responseTimeMs: 1 };
      try {
        assertContent(answer, { ...step, expect: { text } }, { environment: {}, captured: new Map() });
        return true;
      } catch {
        return false;
      }
    };
    const wrong = texts.flatMap((body) => texts.filter((text) => finds(body, text) !== body.includes(text)));
    expect(wrong).toEqual([]);
  });

  test('keeps a single cookie, too', async () => {
    expect(await run([{ path: '/one' }, { path: '/me' }])).toMatchObject({ status: 'passed' });
  });

  test('does not follow a redirect', async () => {
    expect(await run([{ path: '/elsewhere', expect: { status: 302 } }])).toMatchObject({ status: 'passed' });
    expect(seen.map(({ url }) => url)).toEqual(['/elsewhere']);
  });

  test('masks secrets and captured tokens in its messages, in each form', async () => {
    const { steps } = await run([
      login,
      { path: '/echo', headers: { authorization: 'Bearer ${token}' }, expect: { json: { detail: '${env.PASSWORD}' } } },
    ]);
    expect(steps[1]?.error).toBe('answered 500 instead of 2xx: •••• •••• Bearer ••••');
    const { steps: refused } = await run([{ ...login, form: { ...login.form, user: 'eve' } }]);
    expect(refused[0]?.error).toBe('answered 401 instead of 2xx: wrong password for user=eve&password=••••');
    expect(JSON.stringify([steps, refused])).not.toContain('horse');
  });

  test('cleans up after a failure, and skips what was never created', async () => {
    const remove = { method: 'DELETE', path: '/notes/${note}' };
    const { steps } = await run([{ path: '/me' }, { path: '/note', capture: { note: { json: 'url' } } }], {
      cleanup: [remove, { method: 'POST', path: '/logout' }],
    });
    expect(steps.map(({ status }) => status)).toEqual(['failed', 'skipped', 'skipped', 'passed']);
    expect(seen.map(({ url }) => url)).toEqual(['/me', '/logout']);
  });

  test('a failed cleanup fails the check', async () => {
    expect(await run([{ path: '/people' }], { cleanup: [{ path: '/echo' }] })).toMatchObject({ status: 'failed' });
  });

  test('cleans up when it is cancelled, then throws the reason', async () => {
    const abort = new AbortController();
    const running = run([{ path: '/hang' }], { cleanup: [{ path: '/people' }], signal: abort.signal });
    setTimeout(() => abort.abort(new Error('cancelled')), 100);
    await expect(running).rejects.toThrow('cancelled');
    expect(seen.map(({ url }) => url)).toEqual(['/hang', '/people']);
  });

  test('ends with the time of the run, however long its steps may take', async () => {
    const { steps } = await run([{ path: '/hang', timeout_s: 30 }, { path: '/people' }], { runMs: 300 });
    // What is left of the 300 ms.
    expect(steps[0]?.error).toMatch(/^no answer within [12]?\d{2} ms$|^no answer within 300 ms$/);
  });
});
