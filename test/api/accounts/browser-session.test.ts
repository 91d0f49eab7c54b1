import { readFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { WebSocket } from 'ws';
import { schemaFile } from '../../../scripts/api-types/schema-file.ts';
import type { Description } from '../../../scripts/api-types/types-of.ts';
import { type App, adminPassword, startApp } from '../../harness/app/app.ts';
import { socketOutcome } from '../../harness/app/socket-outcome.ts';
import { eachDatabase } from '../../harness/servers/mariadb.ts';

eachDatabase('browser sessions', (newDatabase) => {
  let app: App;
  let url = '';
  beforeAll(async () => {
    app = await startApp({
      environment: {
        DATABASE_URL: await newDatabase(),
        TRUST_PROXY: 'loopback',
        DASHBOARD_ORIGIN: 'https://tenantry.example.org',
      },
    });
    url = app.manager.dashboardUrl ?? '';
  });
  afterAll(() => app.stop());

  interface SignedIn {
    cookie: string;
    setCookie: string;
    proof: string;
    status: number;
    text: string;
  }

  async function signIn(headers: Record<string, string> = {}): Promise<SignedIn> {
    const response = await fetch(`${url}/api/auth/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ username: 'admin', password: adminPassword }),
    });
    const text = await response.text();
    const setCookie = response.headers.get('set-cookie') ?? '';
    const proof = JSON.parse(text).csrf_token ?? '';
    return { cookie: setCookie.split(';')[0] ?? '', setCookie, proof, status: response.status, text };
  }

  const ask = (path: string, headers: Record<string, string>, method = 'GET'): Promise<Response> =>
    fetch(url + path, { method, headers });

  describe('a cookie session', () => {
    test('its cookie is not readable by scripts, not sent by other sites, and not in the response', async () => {
      const { setCookie, cookie, text } = await signIn();
      expect(setCookie).toMatch(/; HttpOnly/);
      expect(setCookie).toMatch(/; SameSite=Strict/);
      expect(setCookie).toMatch(/; Path=\//);
      expect(setCookie).toMatch(/; Max-Age=43200/);
      expect(setCookie).not.toMatch(/Secure/);
      expect(text).not.toContain(cookie.split('=')[1]);
    });

    test('behind a TLS proxy it is Secure, bound to its host, and accepted', async () => {
      const { setCookie, cookie, proof } = await signIn({ 'X-Forwarded-Proto': 'https' });
      expect(setCookie).toMatch(/^__Host-tenantry_session=/);
      expect(setCookie).toMatch(/; Path=\/; .*; Secure/);
      expect(setCookie).not.toMatch(/Domain/);
      expect((await ask('/api/auth/me', { cookie, 'X-CSRF-Token': proof })).status).toBe(200);
      // A cookie with the plain name, which a neighbouring site could have set, does not take precedence.
      const planted = `tenantry_session=planted; ${cookie}`;
      expect((await ask('/api/auth/me', { cookie: planted, 'X-CSRF-Token': proof })).status).toBe(200);
    });

    test('is accepted only with its proof', async () => {
      const { cookie, proof } = await signIn();
      const other = await signIn();
      expect((await ask('/api/auth/me', { cookie, 'X-CSRF-Token': proof })).status).toBe(200);
      expect((await ask('/api/auth/me', { cookie })).status).toBe(403);
      expect((await ask('/api/auth/me', { cookie, 'X-CSRF-Token': `${proof}x` })).status).toBe(403);
      expect((await ask('/api/auth/me', { 'X-CSRF-Token': proof })).status).toBe(401);
      // Both belong to the administrator, but tokens created in the same second are equal.
      if (other.cookie !== cookie)
        expect((await ask('/api/auth/me', { cookie, 'X-CSRF-Token': other.proof })).status).toBe(403);
    });

    test('is rejected for pages of other sites, unless the operator allows them', async () => {
      const { cookie, proof } = await signIn();
      const from = async (origin: string): Promise<number> =>
        (await ask('/api/auth/logout', { cookie, 'X-CSRF-Token': proof, origin }, 'POST')).status;
      expect(await from('https://evil.example')).toBe(403);
      expect(await from('null')).toBe(403);
      expect(await from('http://127.0.0.1:32300')).toBe(403);
      const sessions = async (): Promise<number> =>
        JSON.parse(await (await ask('/api/auth/sessions', { cookie, 'X-CSRF-Token': proof })).text()).total;
      const before = await sessions();
      expect((await signIn({ origin: 'https://evil.example' })).status).toBe(403);
      expect(await sessions()).toBe(before);
      expect(await from('https://tenantry.example.org')).toBe(200);
    });

    test('ends everywhere with logout', async () => {
      const { cookie, proof } = await signIn();
      const out = await ask('/api/auth/session', { cookie, 'X-CSRF-Token': proof, origin: url }, 'DELETE');
      expect(out.status).toBe(200);
      expect(out.headers.get('set-cookie')).toMatch(/^tenantry_session=; .*Max-Age=0/);
      expect((await ask('/api/auth/me', { cookie, 'X-CSRF-Token': proof })).status).toBe(401);
    });

    test('changing the password renews it and ends the older one', async () => {
      app.token = '';
      const { cookie, proof } = await signIn();
      const change = (
        current_password: string,
        new_password: string,
        headers: Record<string, string>,
      ): Promise<Response> =>
        fetch(`${url}/api/auth/session`, {
          method: 'PUT',
          headers: { 'content-type': 'application/json', ...headers },
          body: JSON.stringify({ current_password, new_password }),
        });
      const next = 'another horse battery staple 3';
      const changed = await change(adminPassword, next, { cookie, 'X-CSRF-Token': proof });
      expect(changed.status).toBe(200);
      const renewed = {
        cookie: changed.headers.get('set-cookie')?.split(';')[0] ?? '',
        'X-CSRF-Token': ((await changed.json()) as { csrf_token: string }).csrf_token,
      };
      expect((await ask('/api/auth/me', { cookie, 'X-CSRF-Token': proof })).status).toBe(401);
      expect((await ask('/api/auth/me', renewed)).status).toBe(200);
      expect((await change(next, adminPassword, renewed)).status).toBe(200);
    });

    test('opens Socket.io only with its proof', async () => {
      const { cookie, proof } = await signIn();
      const connect = (auth: object, origin?: string) =>
        socketOutcome(url, { cookie, transport: 'websocket', auth, origin });
      expect(await connect({ csrf_token: proof })).toBe('connected');
      expect(await connect({})).toBe('forbidden');
      expect(await connect({ csrf_token: 'guess' })).toBe('forbidden');
      expect(await connect({ csrf_token: proof }, 'https://evil.example')).toBe('forbidden');
    });

    test('opens plain WebSockets only with its proof', async () => {
      const { cookie, proof } = await signIn();
      const connect = (protocols: string[]): Promise<string> =>
        new Promise((resolve) => {
          const socket = new WebSocket(`${url.replace('http', 'ws')}/ws/events`, protocols, { headers: { cookie } });
          socket.on('open', () => {
            socket.close();
            resolve('open');
          });
          socket.on('error', (error) => resolve(error.message));
        });
      expect(await connect(['csrf', proof])).toBe('open');
      expect(await connect([])).toContain('403');
      expect(await connect(['csrf', 'guess'])).toContain('403');
    });
  });

  describe('the dashboard’s port', () => {
    test('serves the API, and pages under a strict policy', async () => {
      expect((await ask('/healthz', {})).status).toBe(200);
      expect((await ask('/api/tenants', {})).status).toBe(401);
      const page = await ask('/tenants/some-id', {});
      const policy = page.headers.get('content-security-policy') ?? '';
      expect(policy).toContain("default-src 'none'");
      expect(policy).not.toContain('unsafe');
      expect(page.headers.get('x-content-type-options')).toBe('nosniff');
      expect((await ask('/', {}, 'POST')).status).toBe(405);
    });

    test('serves the page for deep links, and caches assets for long', async () => {
      const page = await ask('/tenants/some-id/deployments', {});
      // If it is not built, it says how to build it.
      if (page.status === 503) {
        expect(process.env.CI).toBeUndefined();
        return;
      }
      const text = await page.text();
      expect(page.headers.get('cache-control')).toBe('no-cache');
      const script = /src="(\/assets\/[^"]+\.js)"/.exec(text)?.[1] ?? '';
      const asset = await ask(script, { 'Accept-Encoding': 'gzip' });
      expect(asset.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      expect(asset.headers.get('content-encoding')).toBe('gzip');
      expect((await ask('/assets/none-123.js', {})).status).toBe(404);
    });

    test('serves no file outside of its directory', async () => {
      // fetch would normalize the path.
      const textAt = (path: string): Promise<string> =>
        new Promise((resolve, reject) => {
          const { hostname, port } = new URL(url);
          request({ hostname, port, path }, (response) => {
            let text = '';
            response.on('data', (part) => {
              text += String(part);
            });
            response.on('end', () => resolve(text));
          })
            .on('error', reject)
            .end();
        });
      for (const path of ['/../../package.json', '/%2e%2e/%2e%2e/package.json', '/..%2f..%2fpackage.json'])
        expect(await textAt(path)).not.toContain('"dependencies"');
    });
  });

  test('the dashboard’s types of the API are those of the API: npm run api-types', async () => {
    const { body } = await app.call<Description & Record<string, unknown>>('GET', '/api/openapi.json', { token: null });
    const kept = await readFile(
      join(import.meta.dirname, '..', '..', '..', 'dashboard', 'src', 'api', 'schema.ts'),
      'utf8',
    );
    expect(schemaFile(body) === kept).toBe(true);
  });
});
