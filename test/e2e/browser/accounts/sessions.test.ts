import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { WebSocket } from 'ws';
import { type App, adminPassword, startApp } from '../../../harness/app/app.ts';
import { socketOutcome } from '../../../harness/app/socket-outcome.ts';
import { describeInBrowser, screen, signIn, visit } from '../../../harness/browser/browser.ts';

describeInBrowser('sessions in the dashboard', () => {
  let app: App;
  let page: Page;
  let complaints: string[];

  beforeAll(async () => {
    app = await startApp();
    ({ page, complaints } = await visit(app.manager.dashboardUrl ?? ''));
    await page.goto('/tenants');
    await signIn(page);
  });
  afterAll(async () => {
    await app?.stop();
  });

  const meStatus = async (token: string): Promise<number> => (await app.call('GET', '/api/auth/me', { token })).status;
  const tokenOfSignIn = async (): Promise<string> => {
    const body = { username: 'admin', password: adminPassword };
    const answer = await app.call<{ access_token: string }>('POST', '/api/auth/login', {
      token: null,
      body,
      headers: { 'user-agent': 'curl/8.14.1' },
    });
    return answer.body.access_token;
  };

  test('are listed in plain words, and ended one by one or all but the current one', async () => {
    const script = await tokenOfSignIn();
    await page.goto('/account/sessions');
    const row = page.getByRole('row').filter({ hasText: 'curl/8.14.1' });
    await row.waitFor();
    await page.getByRole('row').filter({ hasText: 'This browser' }).getByText('Chrome on Linux').waitFor();
    expect(await screen(page, 'sessions')).toEqual([]);
    await row.getByRole('button').click();
    expect(await screen(page, 'sessions-end')).toEqual([]);
    await page.getByRole('button', { name: 'End session' }).click();
    // The open dialog hides the row from roles, so only the message says that the session has ended.
    await page.getByText('Session ended.').waitFor();
    expect(await meStatus(script)).toBe(401);
    await row.waitFor({ state: 'detached' });

    const other = await tokenOfSignIn();
    await page.getByRole('button', { name: 'End all others…' }).click();
    await page.getByRole('button', { name: 'End all others', exact: true }).click();
    await page.getByText('All other sessions ended.').waitFor();
    expect(await meStatus(other)).toBe(401);
    await page.getByRole('button', { name: 'End all others…' }).waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
  });

  test('the cookie that a page on another port of the host receives opens nothing', async () => {
    const received: IncomingHttpHeaders[] = [];
    const neighbour: Server = createServer((request, response) => {
      received.push(request.headers);
      response.end('a tenant');
    });
    neighbour.listen(0, '127.0.0.1');
    await once(neighbour, 'listening');
    try {
      // A link of the dashboard to the tenant, followed by a signed-in user.
      const address = `http://127.0.0.1:${(neighbour.address() as AddressInfo).port}/`;
      await page.evaluate((href) => {
        const { document } = globalThis as unknown as { document: { createElement(name: string): HTMLLink } };
        interface HTMLLink {
          href: string;
          click(): void;
        }
        const link = document.createElement('a');
        link.href = href;
        link.click();
      }, address);
      await page.getByText('a tenant').waitFor();
    } finally {
      neighbour.close();
    }
    const cookie = received[0]?.cookie ?? '';
    const secret = /tenantry_session=([^;]+)/.exec(cookie)?.[1] ?? '';
    // Browsers send cookies to all ports of a host: the secret does arrive there.
    expect(secret).not.toBe('');
    const refused = async (path: string, headers: Record<string, string> = {}): Promise<number> =>
      (await fetch(app.url + path, { headers })).status;
    const logs = '/api/deployments/00000000-0000-4000-8000-000000000000/logs?stream=true';
    expect(await refused('/api/auth/me', { authorization: `Bearer ${secret}` })).toBe(401);
    expect(await refused(`${logs}&access_token=${secret}`)).toBe(401);
    expect(await refused(`${logs}&ticket=${secret}`)).toBe(401);
    expect(await refused('/api/auth/me', { cookie })).toBe(403);
    expect(await refused('/api/auth/me', { cookie, 'x-csrf-token': secret })).toBe(403);
    const wsUrl = `${app.url.replace('http', 'ws')}/ws/events`;
    const webSocket = (url: string, protocols: string[], headers: Record<string, string> = {}): Promise<string> =>
      new Promise((resolve) => {
        const socket = new WebSocket(url, protocols, { headers });
        socket.on('error', (error) => resolve(error.message));
        socket.on('open', () => {
          socket.close();
          resolve('open');
        });
      });
    expect(await webSocket(wsUrl, ['bearer', secret])).toContain('401');
    expect(await webSocket(`${wsUrl}?access_token=${secret}`, [])).toContain('401');
    expect(await webSocket(wsUrl, [], { cookie })).toContain('403');
    expect(await webSocket(wsUrl, ['csrf', secret], { cookie })).toContain('403');
    const socketIo = (auth: object, sent = ''): Promise<string> =>
      socketOutcome(app.url, { auth, cookie: sent, transport: 'websocket' });
    expect(await socketIo({ token: secret })).toBe('unauthorized');
    expect(await socketIo({}, cookie)).toBe('forbidden');
    expect(await socketIo({ csrf_token: secret }, cookie)).toBe('forbidden');
  });
});
