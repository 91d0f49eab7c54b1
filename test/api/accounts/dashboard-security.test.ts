import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { WebSocket } from 'ws';
import type { RouteDefinition } from '../../../src/lib/http/routing/route.ts';
import { newId } from '../../../src/lib/ids.ts';
import { type App, adminPassword, sharedApp } from '../../harness/app/app.ts';
import { socketOutcome } from '../../harness/app/socket-outcome.ts';

let app: App;
let url = '';
let cookie = '';
let proof = '';
beforeAll(async () => {
  app = await sharedApp();
  url = app.manager.dashboardUrl ?? '';
  const response = await fetch(`${url}/api/auth/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'admin', password: adminPassword }),
  });
  cookie = response.headers.get('set-cookie')?.split(';')[0] ?? '';
  proof = ((await response.json()) as { csrf_token: string }).csrf_token;
});

const evil = 'https://evil.example';

describe('the session’s cookie alone opens no route', () => {
  const guarded = (): RouteDefinition[] =>
    app.manager.routes.map(({ definition }) => definition).filter(({ access }) => access !== 'public');

  /** Calls every route that is not public; returns those not rejected as cross-site. */
  async function notRefused(headers: Record<string, string>): Promise<string[]> {
    const wrong: string[] = [];
    for (const { method, path } of guarded()) {
      const response = await fetch(url + path.replaceAll(/\{\w+\}/g, newId()), {
        method,
        // What a form of another site can send without a preflight.
        headers: { cookie, ...(method === 'get' ? {} : { 'content-type': 'text/plain' }), ...headers },
        ...(method === 'get' ? {} : { body: '{}' }),
      });
      const { code } = (await response.json().catch(() => ({}))) as { code?: string };
      if (response.status !== 403 || code !== 'forbidden')
        wrong.push(`${method} ${path}: ${response.status} ${code ?? ''}`);
    }
    return wrong;
  }

  test('covers the whole table and every method that changes something', () => {
    expect(guarded().length).toBeGreaterThan(80);
    expect([...new Set(guarded().map(({ method }) => method))].sort()).toEqual(['delete', 'get', 'post', 'put']);
    expect(new Set(guarded().map(({ bodyType }) => bodyType))).toContain('multipart');
  });

  test('without its proof', async () => {
    expect(await notRefused({})).toEqual([]);
  });

  test('with a wrong proof', async () => {
    expect(await notRefused({ 'X-CSRF-Token': `${proof.slice(0, -1)}_` })).toEqual([]);
  });

  test('with its proof from another site’s page', async () => {
    expect(await notRefused({ 'X-CSRF-Token': proof, origin: evil })).toEqual([]);
  });

  test('a page of another site cannot sign its visitor in either', async () => {
    const response = await fetch(`${url}/api/auth/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: evil },
      body: JSON.stringify({ username: 'admin', password: adminPassword }),
    });
    expect(response.status).toBe(403);
    expect(response.headers.get('set-cookie')).toBeNull();
  });

  test('the session is unchanged', async () => {
    const response = await fetch(`${url}/api/auth/me`, { headers: { cookie, 'X-CSRF-Token': proof } });
    expect(response.status).toBe(200);
  });
});

describe('the session’s cookie alone opens no stream', () => {
  test.each(['polling', 'websocket'])('of Socket.io by %s', async (transport) => {
    const connect = (auth: object, origin?: string) => socketOutcome(url, { cookie, transport, auth, origin });
    expect(await connect({ csrf_token: proof })).toBe('connected');
    expect(await connect({})).toBe('forbidden');
    expect(await connect({ csrf_token: proof }, evil)).toBe('forbidden');
  });

  test.each([
    '/ws/events',
    `/ws/deployments/${newId()}`,
    `/ws/tenants/${newId()}/health`,
    `/ws/tenants/${newId()}/logs`,
    `/ws/imports/${newId()}`,
  ])('at %s', async (path) => {
    const connect = (protocols: string[], origin = url): Promise<string> =>
      new Promise((resolve) => {
        const socket = new WebSocket(url.replace('http', 'ws') + path, protocols, { headers: { cookie, origin } });
        socket.on('open', () => {
          socket.close();
          resolve('open');
        });
        socket.on('error', (error) => resolve(error.message));
      });
    expect(await connect([])).toContain('403');
    expect(await connect(['csrf', 'guess'])).toContain('403');
    expect(await connect(['csrf', proof], evil)).toContain('403');
    // The request is rejected, not the stream.
    expect(await connect(['csrf', proof])).not.toContain('403');
  });
});

describe('the content security policy', () => {
  const dist = join(import.meta.dirname, '..', '..', '..', 'dashboard', 'dist');
  const assets = existsSync(join(dist, 'assets'))
    ? readdirSync(join(dist, 'assets')).map((name) => `/assets/${name}`)
    : [];

  test.each(['/', '/sign-in', '/password', '/tenants/x/logs', '/system/proxy', '/no/such/page', '/icon.svg'])(
    'is strict at %s',
    async (path) => {
      const response = await fetch(url + path);
      const policy = response.headers.get('content-security-policy') ?? '';
      expect(policy.split(';')).toEqual(
        expect.arrayContaining([
          "default-src 'none'",
          // Besides files of our own: the one inline script and style of index.html.
          expect.stringMatching(/^script-src 'self' 'sha256-[\w+/]{43}='$/),
          expect.stringMatching(/^style-src 'self' 'sha256-[\w+/]{43}='$/),
          "connect-src 'self'",
          "base-uri 'none'",
          "form-action 'none'",
          "frame-ancestors 'none'",
        ]),
      );
      expect(policy).not.toMatch(/unsafe|\*|https?:/);
      expect(response.headers.get('x-content-type-options')).toBe('nosniff');
      expect(response.headers.get('x-frame-options')).toBe('SAMEORIGIN');
      expect(response.headers.get('referrer-policy')).toBe('no-referrer');
    },
  );

  test('is sent with every file, and allows nothing for other than pages', async () => {
    for (const path of [
      ...assets,
      '/assets/none.js',
      '/api/tenants',
      '/api/nothing',
      '/metrics',
      '/healthz',
      '/api/docs',
    ]) {
      const policy = (await fetch(url + path)).headers.get('content-security-policy') ?? '';
      expect([path, policy]).toEqual([path, expect.stringContaining("default-src 'none'")]);
      expect([path, policy]).toEqual([path, expect.stringContaining("frame-ancestors 'none'")]);
      expect([path, /script-src[^;]*unsafe/.test(policy)]).toEqual([path, false]);
    }
    expect((await fetch(url, { method: 'POST' })).headers.get('content-security-policy')).toContain("'none'");
  });

  test('the page has one inline style and one script, which the policy names, and no attributes with either', async () => {
    const page = await fetch(url);
    // If it is not built, it says how to build it.
    if (page.status === 503) {
      expect(process.env.CI).toBeUndefined();
      return;
    }
    const html = await page.text();
    expect(html.match(/<script(?![^>]*\ssrc=)[^>]*>|<style[^>]*>/gi)).toEqual(['<style>', '<script>']);
    expect(html).not.toMatch(/\sstyle=|\son\w+=/i);
  });
});
