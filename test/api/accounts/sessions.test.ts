import { afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { eachDatabase } from '../../harness/servers/mariadb.ts';
import { adminPassword, startAccounts } from './accounts-app.ts';

const minute = 60_000;

interface ListedSession {
  id: string;
  kind: string;
  current: boolean;
  address: string;
  user_agent: string;
  last_used_at: string;
}

eachDatabase('sessions', (newDatabase) => {
  let databaseUrl: string;
  let app: Awaited<ReturnType<typeof startAccounts>>;
  let mine: string;

  beforeAll(async () => {
    databaseUrl = await newDatabase();
  });
  beforeEach(async () => {
    app = await startAccounts({ databaseUrl, emptyDatabase: true });
    mine = await app.tokenOf('admin', adminPassword);
  });
  afterEach(() => app.stop());

  const meStatus = async (token: string) => (await app.request('GET', '/api/auth/me', { token })).body.code ?? 'ok';
  const list = async (token: string): Promise<ListedSession[]> => {
    const { status, body } = await app.request('GET', '/api/auth/sessions', { token });
    expect(status).toBe(200);
    return body.sessions;
  };
  const signInByCookie = async (headers: Record<string, string> = {}) => {
    const credentials = { username: 'admin', password: adminPassword };
    const answer = await app.request('POST', '/api/auth/session', { body: credentials, headers });
    const cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? '';
    return { cookie, secret: cookie.split('=')[1] ?? '', proof: String(answer.body.csrf_token) };
  };
  const newUser = async (username: string) => {
    const password = 'purple tractor lemonade';
    const body = { username, email: `${username}@example.org`, password, role: 'viewer' };
    const { id } = (await app.request('POST', '/api/users', { token: mine, body })).body;
    return { id, token: await app.tokenOf(username, password), password };
  };

  test('are listed with their origin, the current one marked', async () => {
    const { cookie, proof } = await signInByCookie({ 'User-Agent': 'Browser/1.0 '.repeat(40) });
    const sessions = await list(mine);
    expect(sessions.map(({ kind, current }) => ({ kind, current }))).toEqual(
      expect.arrayContaining([
        { kind: 'token', current: true },
        { kind: 'browser', current: false },
      ]),
    );
    expect(sessions.every(({ address }) => address.includes('127.0.0.1'))).toBe(true);
    expect(sessions.find(({ kind }) => kind === 'browser')?.user_agent).toMatch(/^Browser\/1\.0 /);
    const { body } = await app.request('GET', '/api/auth/sessions', { headers: { cookie, 'X-CSRF-Token': proof } });
    expect(body.sessions.filter(({ current }: ListedSession) => current)).toMatchObject([{ kind: 'browser' }]);
    expect(JSON.stringify(body)).not.toContain('hash');
  });

  test('can be ended one by one, and the access token ends with its session', async () => {
    const other = await app.tokenOf('admin', adminPassword);
    const [ended] = (await list(mine)).filter(({ current }) => !current);
    expect((await app.request('DELETE', `/api/auth/sessions/${ended?.id}`, { token: mine })).status).toBe(200);
    expect(await meStatus(other)).toBe('unauthorized');
    expect(await meStatus(mine)).toBe('ok');
    expect((await app.request('DELETE', `/api/auth/sessions/${ended?.id}`, { token: mine })).status).toBe(404);
  });

  test('of another user cannot be listed or ended', async () => {
    const vera = await newUser('vera');
    const [foreign] = await list(vera.token);
    expect((await list(mine)).map(({ id }) => id)).not.toContain(foreign?.id);
    expect((await app.request('DELETE', `/api/auth/sessions/${foreign?.id}`, { token: mine })).status).toBe(404);
    expect((await app.request('DELETE', '/api/auth/sessions', { token: mine })).status).toBe(200);
    expect(await meStatus(vera.token)).toBe('ok');
  });

  test('all but the current one can be ended together', async () => {
    const other = await app.tokenOf('admin', adminPassword);
    const { cookie, proof } = await signInByCookie();
    expect((await app.request('DELETE', '/api/auth/sessions', { token: mine })).status).toBe(200);
    expect(await meStatus(other)).toBe('unauthorized');
    const headers = { cookie, 'X-CSRF-Token': proof };
    expect((await app.request('GET', '/api/auth/me', { headers })).status).toBe(401);
    expect((await list(mine)).map(({ current }) => current)).toEqual([true]);
  });

  test('all end with logout, with a new password and with disabling', async () => {
    const vera = await newUser('vera');
    const sessionsLeft = async (): Promise<string> => meStatus(vera.token);
    expect(await sessionsLeft()).toBe('ok');
    await app.request('PUT', `/api/users/${vera.id}`, { token: mine, body: { disabled: true } });
    expect(await sessionsLeft()).toBe('unauthorized');
    await app.request('PUT', `/api/users/${vera.id}`, { token: mine, body: { disabled: false } });
    expect(await sessionsLeft()).toBe('unauthorized');
    const again = await app.tokenOf('vera', vera.password);
    expect(await list(again)).toHaveLength(1);
    expect((await app.request('POST', '/api/auth/logout', { token: again })).status).toBe(200);
    expect(await meStatus(again)).toBe('unauthorized');
  });

  test('end after the idle time, which each use restarts', async () => {
    const unused = await app.tokenOf('admin', adminPassword);
    app.advance(20 * minute);
    expect(await meStatus(mine)).toBe('ok');
    app.advance(20 * minute);
    expect(await meStatus(unused)).toBe('token_expired');
    expect(await meStatus(mine)).toBe('ok');
    expect(await list(mine)).toHaveLength(1);
    await app.accounts.removeEndedSessions();
    expect(await list(mine)).toHaveLength(1);
    app.advance(31 * minute);
    expect(await meStatus(mine)).toBe('token_expired');
  });

  test('are not kept alive by automatic requests of a page', async () => {
    app.advance(20 * minute);
    const background = { 'X-Background-Request': 'true' };
    expect((await app.request('GET', '/api/auth/me', { token: mine, headers: background })).status).toBe(200);
    app.advance(15 * minute);
    expect(await meStatus(mine)).toBe('token_expired');
  });

  test('record their last use at most once a minute', async () => {
    const lastUse = async () => (await list(mine))[0]?.last_used_at;
    const first = await lastUse();
    app.advance(minute / 2);
    expect(await meStatus(mine)).toBe('ok');
    expect(await lastUse()).toBe(first);
    app.advance(minute);
    expect(await meStatus(mine)).toBe('ok');
    while ((await lastUse()) === first) await meStatus(mine);
  });

  test('checks of an open stream do not use its session', async () => {
    const credential = { kind: 'token', value: mine } as const;
    for (let checks = 0; checks < 2; checks += 1) {
      app.advance(14 * minute);
      await app.accounts.authenticateCredential(credential, { countsAsUse: false });
    }
    app.advance(3 * minute);
    const check = app.accounts.authenticateCredential(credential, { countsAsUse: false });
    await expect(check).rejects.toMatchObject({ code: 'token_expired' });
  });

  test('stores the cookie’s secret only as a hash, which is no valid token', async () => {
    const { secret } = await signInByCookie();
    expect(secret).toMatch(/^[\w-]{43}$/);
    const [row] = await app.store.select<{ secret_hash: string }>(
      'SELECT secret_hash FROM sessions WHERE kind = :kind',
      { kind: 'browser' },
    );
    expect(row?.secret_hash).toMatch(/^[0-9a-f]{64}$/);
    expect(await meStatus(secret)).toBe('unauthorized');
    expect((await app.request('GET', `/api/auth/me?access_token=${secret}`)).status).toBe(401);
    expect(
      (await app.request('GET', '/api/auth/me', { headers: { cookie: `tenantry_session=${secret}` } })).status,
    ).toBe(403);
  });
});
