import { expect, test } from '@jest/globals';
import { WebSocket } from 'ws';
import { eachStoreApp } from '../../harness/app/each-store-app.ts';

const nothing = '00000000-0000-4000-8000-000000000000';
/** A route that accepts tickets; the deployment does not exist, so an authenticated caller gets 404. */
const logs = `/api/deployments/${nothing}/logs`;

eachStoreApp('one-time tickets', (app) => {
  const open = async (address: string): Promise<number> => (await fetch(address)).status;
  const ticketOf = async (path: string, token?: string): Promise<string> =>
    new URL(await app().withTicket(path, token)).searchParams.get('ticket') ?? '';

  test('are valid once', async () => {
    const address = await app().withTicket(logs);
    expect(await open(address)).toBe(404);
    expect(await open(address)).toBe(401);
  });

  test('are valid for their path only, and are consumed by a wrong one', async () => {
    const ticket = await ticketOf(logs);
    const other = `/api/tenants/${nothing}/logs`;
    expect(await open(`${app().url}${other}?ticket=${ticket}`)).toBe(401);
    expect(await open(`${app().url}${logs}?ticket=${ticket}`)).toBe(401);
  });

  test('are not accepted as another credential, or on routes that neither stream nor download', async () => {
    const me = '/api/auth/me';
    expect(await open(await app().withTicket(me))).toBe(401);
    const ticket = await ticketOf(logs);
    expect((await app().call('GET', me, { token: ticket })).status).toBe(401);
    expect(await open(`${app().url}${logs}?stream=true&access_token=${ticket}`)).toBe(401);
  });

  test('have the permissions of the caller, and end with the caller’s session', async () => {
    const viewer = await app().userOf('viewer');
    const download = `/api/tenants/${nothing}/backups/${nothing}/download`;
    expect(await open(await app().withTicket(download, viewer.token))).toBe(403);
    expect(await open(await app().withTicket(download))).toBe(404);
    const late = await app().withTicket(logs, viewer.token);
    await app().call('POST', '/api/auth/logout', { token: viewer.token });
    expect(await open(late)).toBe(401);
  });

  test('open a WebSocket, once', async () => {
    const address = (await app().withTicket('/ws/events')).replace('http', 'ws');
    const outcome = (): Promise<string> =>
      new Promise((resolve) => {
        const socket = new WebSocket(address);
        socket.on('error', (error) => resolve(error.message));
        socket.on('open', () => {
          socket.close();
          resolve('open');
        });
      });
    expect(await outcome()).toBe('open');
    expect(await outcome()).toContain('401');
  });

  test.each(['', 'api/x', '/healthz', '/api/x?a=b', '/api/ x', `/api/${'x'.repeat(500)}`])(
    'are not created for %p',
    async (path) => {
      const { status, body } = await app().call('POST', '/api/auth/tickets', { body: { path } });
      expect([status, body]).toMatchObject([400, { issues: [{ path: 'path' }] }]);
    },
  );

  test('are limited for each user', async () => {
    const { token } = await app().userOf('viewer');
    const make = () => app().call('POST', '/api/auth/tickets', { token, body: { path: logs } });
    const made = await Promise.all(Array.from({ length: 101 }, make));
    expect(made.filter(({ status }) => status === 201)).toHaveLength(100);
    expect(made.find(({ status }) => status !== 201)).toMatchObject({ status: 429, body: { code: 'rate_limited' } });
  });

  test('the query token is accepted on event streams for scripts, but not in their WebSocket form', async () => {
    const { token } = app();
    expect(await open(`${app().url}${logs}?access_token=${token}`)).toBe(401);
    expect(await open(`${app().url}${logs}?stream=false&access_token=${token}`)).toBe(401);
    expect(await open(`${app().url}${logs}?stream=true&access_token=${token}`)).toBe(404);
  });
});
