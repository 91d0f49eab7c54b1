import { afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import jsonwebtoken from 'jsonwebtoken';
import { eachDatabase } from '../../harness/servers/mariadb.ts';
import { adminPassword, startAccounts } from './accounts-app.ts';

eachDatabase('accounts over HTTP', (newDatabase) => {
  const start = async (options: Parameters<typeof startAccounts>[0] = {}) =>
    startAccounts({ databaseUrl: await newDatabase(), ...options });

  let databaseUrl: string;
  let app: Awaited<ReturnType<typeof startAccounts>>;
  let admin: string;
  const password = 'purple tractor lemonade';

  beforeAll(async () => {
    databaseUrl = await newDatabase();
  });
  beforeEach(async () => {
    app = await startAccounts({ databaseUrl, emptyDatabase: true });
    admin = await app.tokenOf('admin', adminPassword);
  });
  afterEach(() => app.stop());

  async function createUser(fields: Record<string, unknown> = {}) {
    const body = { username: 'vera', email: 'vera@example.org', password, role: 'viewer', ...fields };
    const created = await app.request('POST', '/api/users', { token: admin, body });
    expect(created.status).toBe(201);
    return created.body as { id: string; username: string };
  }

  const me = (token: string) => app.request('GET', '/api/auth/me', { token });

  describe('login', () => {
    test('returns a bearer token and the user', async () => {
      const { status, body } = await app.login('admin', adminPassword);
      expect(status).toBe(200);
      expect(body).toEqual({
        access_token: expect.any(String),
        token_type: 'bearer',
        user: { id: expect.any(String), username: 'admin', email: 'admin@localhost', role: 'admin' },
      });
      const claims = jsonwebtoken.decode(body.access_token) as jsonwebtoken.JwtPayload;
      expect(claims).toMatchObject({ sub: body.user.id, role: 'admin', sid: expect.any(String) });
      expect((claims.exp ?? 0) - (claims.iat ?? 0)).toBe(3_600);
    });

    test('accepts a form, and ignores additional fields', async () => {
      const form = new URLSearchParams({
        username: 'admin',
        password: adminPassword,
        grant_type: 'password',
        scope: '',
      });
      const response = await fetch(`${app.url}/api/auth/login`, { method: 'POST', body: form });
      expect(response.status).toBe(200);
    });

    test('rejects unknown fields of JSON', async () => {
      const body = { username: 'admin', password: adminPassword, scope: '' };
      const answer = await app.request('POST', '/api/auth/login', { body });
      expect(answer.status).toBe(400);
      expect(answer.body.issues).toEqual([{ path: 'scope', message: 'Unknown field' }]);
    });

    test('responds identically to a wrong name, a wrong password and a disabled user', async () => {
      await createUser({ disabled: true });
      const answers = await Promise.all([
        app.login('nobody', password),
        app.login('admin', 'not the password'),
        app.login('vera', password),
      ]);
      for (const { status, body } of answers) {
        expect(status).toBe(401);
        expect(body).toMatchObject({ code: 'invalid_credentials', detail: answers[0]?.body.detail });
      }
    });

    test('takes equally long for a wrong name and a wrong password', async () => {
      const slow = await start({ bcryptCost: 10 });
      const fastest = { admin: Infinity, unknown: Infinity };
      const ratio = (): number => fastest.unknown / fastest.admin;
      const isAlike = (): boolean => ratio() > 0.5 && ratio() < 2;
      // Alternating, the best time of each, until a busy machine has slowed both equally.
      for (let round = 0; round < 20 && !isAlike(); round += 1) {
        for (const name of ['admin', 'unknown'] as const) {
          const began = performance.now();
          await slow.login(name, 'not the password');
          fastest[name] = Math.min(fastest[name], performance.now() - began);
        }
      }
      // At this cost bcrypt takes nearly all of the time: skipping it would show in every round.
      expect(isAlike()).toBe(true);
      await slow.stop();
    });

    test('is limited after ten failures of a name, with Retry-After', async () => {
      await createUser();
      for (let attempt = 0; attempt < 10; attempt += 1) {
        expect((await app.login('vera', `wrong ${attempt}`)).status).toBe(401);
      }
      const answer = await app.login('vera', password);
      expect(answer.status).toBe(429);
      expect(answer.body.code).toBe('rate_limited');
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(800);
    });

    test('counts concurrent attempts', async () => {
      const answers = await Promise.all(Array.from({ length: 40 }, (_, n) => app.login('admin', `wrong ${n}`)));
      expect(answers.filter(({ status }) => status === 401)).toHaveLength(10);
      expect(answers.filter(({ status }) => status === 429)).toHaveLength(30);
    });

    test('accepts many valid concurrent sign-ins', async () => {
      const answers = await Promise.all(Array.from({ length: 30 }, () => app.login('admin', adminPassword)));
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(30);
    });

    test('counts names that differ in case or white space as one', async () => {
      await createUser();
      const spellings = ['vera ', ' vera', 'VERA', 'Vera  '];
      for (let attempt = 0; attempt < 10; attempt += 1) await app.login(spellings[attempt % 4] ?? '', 'wrong');
      expect((await app.login('vera', password)).status).toBe(429);
    });

    test('stores only the start of an unknown name: it may be a password', async () => {
      await app.login('My-Secret-Passw0rd!', 'x');
      await app.login('admin', 'wrong');
      const names = app.entries
        .filter(({ message }) => message === 'Login failed')
        .map(({ details }) => details?.username);
      expect(names).toEqual(['My…', 'admin']);
      expect(JSON.stringify([app.entries, app.lines])).not.toContain('Secret');
    });

    test('logs failures without the password', async () => {
      await app.login('admin', 'my secret guess');
      expect(app.entries).toContainEqual(
        expect.objectContaining({ level: 'warning', category: 'audit', message: 'Login failed' }),
      );
      expect(JSON.stringify(app.entries)).not.toContain('my secret guess');
    });
  });

  describe('access tokens', () => {
    test('are rejected if signed with another key, unsigned or of another kind', async () => {
      const { body } = await me(admin);
      const claims = { sub: body.id, role: 'admin', ver: 1, exp: Math.floor(Date.now() / 1_000) + 60 };
      const [, payload] = admin.split('.');
      const none = `${Buffer.from('{"alg":"none","typ":"JWT"}').toString('base64url')}.${payload}.`;
      for (const token of [jsonwebtoken.sign(claims, 'another key'), none, 'garbage', 'tnt_garbage', `${admin}x`]) {
        const answer = await me(token);
        expect(answer.status).toBe(401);
        expect(answer.body.code).toBe('unauthorized');
        expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer/);
      }
    });

    test('expire', async () => {
      app.advance(3_600_000 + 1_000);
      const answer = await me(admin);
      expect(answer.status).toBe(401);
      expect(answer.body.code).toBe('token_expired');
    });

    test('are not accepted as a query parameter on ordinary routes', async () => {
      const answer = await app.request('GET', `/api/auth/me?access_token=${admin}`);
      expect(answer.status).toBe(401);
    });

    test('all end with logout', async () => {
      const other = await app.tokenOf('admin', adminPassword);
      expect((await app.request('POST', '/api/auth/logout', { token: admin })).status).toBe(200);
      for (const token of [admin, other]) {
        const answer = await me(token);
        expect(answer.status).toBe(401);
        expect(answer.body.code).toBe('unauthorized');
      }
      expect((await app.login('admin', adminPassword)).status).toBe(200);
    });
  });

  describe('changing the password', () => {
    const change = (token: string, current_password: string, new_password: string) =>
      app.request('POST', '/api/auth/change-password', { token, body: { current_password, new_password } });

    test('ends older tokens and returns a new one', async () => {
      const answer = await change(admin, adminPassword, password);
      expect(answer.status).toBe(200);
      expect((await me(admin)).body.code).toBe('unauthorized');
      expect((await me(answer.body.access_token)).status).toBe(200);
      expect((await app.login('admin', adminPassword)).status).toBe(401);
      expect((await app.login('admin', password)).status).toBe(200);
    });

    test('records the date, also if an administrator set the password', async () => {
      const { id } = await createUser();
      const changedAt = async (secret: string): Promise<number> =>
        Date.parse((await me(await app.tokenOf('vera', secret))).body.password_changed_at);
      const before = await changedAt(password);
      const next = 'green window seventeen';
      await app.request('PUT', `/api/users/${id}`, { token: admin, body: { password: next } });
      expect(await changedAt(next)).toBeGreaterThan(before);
    });

    test('needs the current password', async () => {
      const answer = await change(admin, 'not the current one', password);
      expect(answer.status).toBe(400);
      expect(answer.body).toMatchObject({ code: 'validation_error', issues: [{ path: 'current_password' }] });
    });

    test.each([
      ['short', 'velvet-7mop'],
      ['long', 'x7'.repeat(101)],
      ['trivial', 'password1234'],
      ['a common word with digits and punctuation', 'Password12345!'],
      ['another such word', 'Sunshine2026!!'],
      ['a well-known phrase', 'correcthorsebatterystaple'],
      ['that phrase in another spelling', 'Correct-Horse-Battery-Staple1'],
      ['the user’s own name', 'adminadminadmin'],
      ['the same', adminPassword],
    ])('rejects a new one that is %s', async (_what, next) => {
      const answer = await change(admin, adminPassword, next);
      expect(answer.status).toBe(400);
      expect(answer.body.issues[0].path).toBe('new_password');
    });

    test('accepts 12 characters, and names the rule for a shorter one', async () => {
      const short = await change(admin, adminPassword, 'velvet-7mop');
      expect(short.body.issues).toEqual([{ path: 'new_password', message: 'must have at least 12 characters' }]);
      expect((await change(admin, adminPassword, 'velvet-7mops')).status).toBe(200);
    });

    test('uses all characters of a long password', async () => {
      const long = `${'lorem ipsum dolor sit amet consectetur '.repeat(4)} and then the end`;
      expect((await change(admin, adminPassword, long)).status).toBe(200);
      expect((await app.login('admin', `${long.slice(0, -1)}x`)).status).toBe(401);
      expect((await app.login('admin', long)).status).toBe(200);
    });

    test('limits attempts', async () => {
      for (let attempt = 0; attempt < 10; attempt += 1) await change(admin, `wrong guess ${attempt}`, password);
      expect((await change(admin, adminPassword, password)).status).toBe(429);
    });
  });

  describe('the first administrator', () => {
    test('with a generated password must change it first', async () => {
      const fresh = await start({ adminPassword: undefined });
      const made = fresh.firstAdmin.password ?? '';
      expect(made.length).toBeGreaterThanOrEqual(20);
      const token = await fresh.tokenOf('admin', made);
      const users = await fresh.request('GET', '/api/users', { token });
      expect(users.status).toBe(403);
      expect(users.body.code).toBe('password_change_required');
      expect((await fresh.request('GET', '/api/auth/me', { token })).body.must_change_password).toBe(true);

      const changed = await fresh.request('POST', '/api/auth/change-password', {
        token,
        body: { current_password: made, new_password: password },
      });
      expect((await fresh.request('GET', '/api/users', { token: changed.body.access_token })).status).toBe(200);
      expect(JSON.stringify(fresh.entries)).not.toContain(made);
      expect(fresh.lines.join()).not.toContain(made);
      await fresh.stop();
    });

    test('is created only once', async () => {
      expect(app.firstAdmin).toEqual({ created: true, username: 'admin' });
      expect(await app.accounts.ensureFirstAdmin('another long password')).toEqual({
        created: false,
        username: 'admin',
      });
      expect((await app.login('admin', 'another long password')).status).toBe(401);
    });
  });

  describe('users', () => {
    const put = (id: string, body: object) => app.request('PUT', `/api/users/${id}`, { token: admin, body });

    test('are created, listed, read, changed and deleted, without their password', async () => {
      const { id } = await createUser();
      const shown = {
        id,
        username: 'vera',
        email: 'vera@example.org',
        role: 'viewer',
        disabled: false,
        must_change_password: false,
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      };
      expect((await app.request('GET', `/api/users/${id}`, { token: admin })).body).toEqual(shown);
      const list = await app.request('GET', '/api/users?limit=1&offset=1', { token: admin });
      expect(list.body).toEqual({ users: [shown], total: 2, limit: 1, offset: 1 });
      const changed = await put(id, { email: 'v@example.org', role: 'operator' });
      expect(changed.body).toEqual({ ...shown, email: 'v@example.org', role: 'operator' });
      expect((await app.request('DELETE', `/api/users/${id}`, { token: admin })).status).toBe(200);
      expect((await app.request('GET', `/api/users/${id}`, { token: admin })).status).toBe(404);
    });

    test('have a unique name, regardless of case', async () => {
      await createUser();
      for (const username of ['vera', 'Vera', 'ADMIN']) {
        const body = { username, email: 'x@example.org', password };
        const answer = await app.request('POST', '/api/users', { token: admin, body });
        expect(answer.status).toBe(409);
        expect(answer.body.code).toBe('username_taken');
      }
    });

    test('a name is unique under concurrent requests', async () => {
      const body = { username: 'twin', email: 'twin@example.org', password };
      const answers = await Promise.all(
        Array.from({ length: 6 }, () => app.request('POST', '/api/users', { token: admin, body })),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409, 409]);
    });

    test.each([
      ['a trivial password', { password: 'qwertyuiop123' }, 'password'],
      ['its name as password', { username: 'maximilian', password: 'maximilian12' }, 'password'],
      ['white space in the name', { username: 'a b' }, 'username'],
      ['no address', { email: 'nowhere' }, 'email'],
      ['another role', { role: 'root' }, 'role'],
    ])('are not created with %s', async (_what, fields, path) => {
      const body = { username: 'vera', email: 'vera@example.org', password, ...fields };
      const answer = await app.request('POST', '/api/users', { token: admin, body });
      expect(answer.status).toBe(400);
      expect(answer.body.issues[0].path).toBe(path);
    });

    test('get a changed role immediately', async () => {
      const { id } = await createUser({ role: 'admin' });
      const token = await app.tokenOf('vera', password);
      expect((await app.request('GET', '/api/users', { token })).status).toBe(200);
      await put(id, { role: 'viewer' });
      expect((await app.request('GET', '/api/users', { token })).status).toBe(403);
      await put(id, { role: 'admin' });
      expect((await app.request('GET', '/api/users', { token })).status).toBe(200);
    });

    test('that are disabled lose their tokens immediately and permanently', async () => {
      const { id } = await createUser();
      const token = await app.tokenOf('vera', password);
      const apiToken = (await app.request('POST', '/api/auth/tokens', { token, body: { name: 'script' } })).body.token;
      await put(id, { disabled: true });
      expect((await me(token)).body.code).toBe('unauthorized');
      expect((await me(apiToken)).body.code).toBe('unauthorized');
      await put(id, { disabled: false });
      expect((await me(token)).body.code).toBe('unauthorized');
    });

    test('with a new password lose their access tokens', async () => {
      const { id } = await createUser();
      const token = await app.tokenOf('vera', password);
      await put(id, { password: 'green window seventeen' });
      expect((await me(token)).status).toBe(401);
      expect((await app.login('vera', 'green window seventeen')).status).toBe(200);
    });

    test('with a password set by someone else must choose their own first', async () => {
      const { id } = await createUser({ must_change_password: true });
      const token = await app.tokenOf('vera', password);
      expect((await me(token)).body.must_change_password).toBe(true);
      expect((await app.request('GET', '/api/auth/tokens', { token })).body.code).toBe('password_change_required');
      const own = 'blue ladder of november';
      const body = { current_password: password, new_password: own };
      await app.request('POST', '/api/auth/change-password', { token, body });
      expect((await me(await app.tokenOf('vera', own))).body.must_change_password).toBe(false);

      const given = 'green window seventeen';
      expect((await put(id, { password: given })).body.must_change_password).toBe(false);
      expect((await put(id, { password, must_change_password: true })).body.must_change_password).toBe(true);
      expect((await me(await app.tokenOf('vera', password))).body.must_change_password).toBe(true);
    });

    test('one enabled administrator always remains', async () => {
      const { id } = (await me(admin)).body;
      for (const change of [{ disabled: true }, { role: 'viewer' }]) {
        const answer = await put(id, change);
        expect(answer.status).toBe(409);
        expect(answer.body.code).toBe('invalid_state');
      }
      expect((await app.request('DELETE', `/api/users/${id}`, { token: admin })).status).toBe(409);
      await createUser({ role: 'admin', disabled: true });
      expect((await put(id, { disabled: true })).status).toBe(409);
    });

    test('one enabled administrator remains if all are demoted concurrently', async () => {
      const ids = [(await me(admin)).body.id];
      for (const username of ['ada', 'bob', 'cyd']) ids.push((await createUser({ username, role: 'admin' })).id);
      // The tokens survive the demotion of their users, who may no longer administer.
      const made = await app.request('POST', '/api/auth/tokens', { token: admin, body: { name: 'x' } });
      const { token } = made.body;
      const answers = await Promise.all(
        ids.map((id) => app.request('PUT', `/api/users/${id}`, { token, body: { role: 'viewer' } })),
      );
      expect(answers.some(({ status }) => status === 409 || status === 403)).toBe(true);
      const [left] = await app.store.sequelize.query("SELECT id FROM users WHERE role = 'admin' AND disabled = 0");
      expect(left.length).toBeGreaterThanOrEqual(1);
    });
  });

  describe('API tokens', () => {
    const create = (body: object, token = admin) => app.request('POST', '/api/auth/tokens', { token, body });

    test('are shown once, work, report their last use, and end when revoked', async () => {
      const created = await create({ name: 'backup script' });
      expect(created.status).toBe(201);
      expect(created.body).toEqual({
        id: expect.any(String),
        name: 'backup script',
        token: expect.stringMatching(/^tnt_[\w-]{43}$/),
        role: 'admin',
        created_at: expect.any(String),
        expires_at: expect.any(String),
        last_used_at: null,
      });
      const { token, id } = created.body;
      expect((await me(token)).body.username).toBe('admin');
      const list = await app.request('GET', '/api/auth/tokens', { token });
      expect(list.body).toMatchObject({ total: 1, limit: 50, offset: 0, max_days: 365 });
      expect(list.body.tokens[0]).not.toHaveProperty('token');
      expect(list.body.tokens[0].last_used_at).not.toBeNull();
      expect((await app.request('DELETE', `/api/auth/tokens/${id}`, { token: admin })).status).toBe(200);
      expect((await me(token)).body.code).toBe('unauthorized');
      const [rows] = await app.store.sequelize.query('SELECT * FROM api_tokens');
      expect(JSON.stringify([rows, app.entries, app.lines])).not.toContain(token);
    });

    test('are limited to 50 for each user, expired ones included', async () => {
      const expires_at = new Date(Date.now() + 60_000).toISOString();
      const made = await Promise.all(Array.from({ length: 52 }, () => create({ name: 'x', expires_at })));
      expect(made.filter(({ status }) => status === 201)).toHaveLength(50);
      app.advance(61_000);
      const refused = await create({ name: 'x' });
      expect([refused.status, refused.body]).toMatchObject([
        409,
        { code: 'invalid_state', detail: 'A user may have at most 50 API tokens. Revoke one first.' },
      ]);
      const { tokens } = (await app.request('GET', '/api/auth/tokens', { token: admin })).body;
      await app.request('DELETE', `/api/auth/tokens/${tokens[0].id}`, { token: admin });
      expect((await create({ name: 'x' })).status).toBe(201);
    });

    test('survive logout, and expire', async () => {
      const { token } = (await create({ name: 'x', expires_at: new Date(Date.now() + 60_000).toISOString() })).body;
      await app.request('POST', '/api/auth/logout', { token: admin });
      expect((await me(token)).status).toBe(200);
      app.advance(61_000);
      expect((await me(token)).body.code).toBe('token_expired');
    });

    const days = (count: number): string => new Date(Date.now() + count * 86_400_000).toISOString();

    test('expire after the maximum lifetime by default', async () => {
      const { expires_at, created_at } = (await create({ name: 'x' })).body;
      expect(Date.parse(expires_at) - Date.parse(created_at)).toBe(365 * 86_400_000);
    });

    test.each([
      ['in the past', '2020-01-01T00:00:00Z', 'Must be in the future'],
      ['after the longest life', days(366), 'Must be at most 365 days from now (setting api_token_max_days)'],
    ])('cannot end %s', async (_what, expires_at, message) => {
      const answer = await create({ name: 'x', expires_at });
      expect(answer.status).toBe(400);
      expect(answer.body.issues).toEqual([{ path: 'expires_at', message }]);
    });

    test('cannot create tokens', async () => {
      const { token } = (await create({ name: 'x' })).body;
      const answer = await create({ name: 'y' }, token);
      expect([answer.status, answer.body.code]).toEqual([403, 'forbidden']);
      expect((await app.request('GET', '/api/auth/tokens', { token })).body.total).toBe(1);
    });

    const put = (id: string, body: object) => app.request('PUT', `/api/users/${id}`, { token: admin, body });

    test('keep their role when their user is promoted, and lose it when the user is demoted', async () => {
      const { id } = await createUser({ role: 'operator' });
      const { token } = (await create({ name: 'hers' }, await app.tokenOf('vera', password))).body;
      const roleNow = async () => (await app.request('GET', '/api/auth/tokens', { token })).body.tokens[0].role;
      await put(id, { role: 'admin' });
      expect(await roleNow()).toBe('operator');
      expect((await app.request('GET', '/api/users', { token })).status).toBe(403);
      await put(id, { role: 'viewer' });
      expect(await roleNow()).toBe('viewer');
    });

    test('may do no more than their user once the user is demoted', async () => {
      const { id } = await createUser({ role: 'admin' });
      const { token } = (await create({ name: 'hers' }, await app.tokenOf('vera', password))).body;
      const users = () => app.request('GET', '/api/users', { token });
      expect((await users()).status).toBe(200);
      await put(id, { role: 'viewer' });
      expect((await users()).status).toBe(403);
    });

    test('can have a lower role than their user, but no higher one', async () => {
      const viewing = (await create({ name: 'x', role: 'viewer' })).body;
      expect(viewing.role).toBe('viewer');
      expect((await app.request('GET', '/api/users', { token: viewing.token })).status).toBe(403);
      await createUser();
      const answer = await create({ name: 'x', role: 'operator' }, await app.tokenOf('vera', password));
      expect(answer.body.issues).toEqual([{ path: 'role', message: 'Must not be above your own role, viewer' }]);
    });

    test.each([
      ['an administrator sets a new password', [{ password: 'green window seventeen' }]],
      ['their user is disabled, also once it is enabled again', [{ disabled: true }, { disabled: false }]],
    ])('end when %s', async (_what, changes) => {
      const { id } = await createUser();
      const { token } = (await create({ name: 'hers' }, await app.tokenOf('vera', password))).body;
      for (const change of changes) expect((await put(id, change)).status).toBe(200);
      expect((await me(token)).body.code).toBe('unauthorized');
      expect((await app.request('GET', `/api/users/${id}/tokens`, { token: admin })).body.total).toBe(0);
      expect(app.entries.at(-changes.length)?.details).toMatchObject({ api_tokens_revoked: 1 });
    });

    test('end when their user’s password changes, unless they should be kept', async () => {
      const { token } = (await create({ name: 'x' })).body;
      const change = async (
        session: string,
        current_password: string,
        new_password: string,
        keep_api_tokens: boolean,
      ) => {
        const body = { current_password, new_password, keep_api_tokens };
        const answer = await app.request('POST', '/api/auth/change-password', { token: session, body });
        return answer.body.access_token as string;
      };
      const session = await change(admin, adminPassword, password, true);
      expect((await me(token)).status).toBe(200);
      await change(session, password, 'blue ladder of november', false);
      expect((await me(token)).body.code).toBe('unauthorized');
    });

    test('are listed and revoked by administrators', async () => {
      const { id } = await createUser();
      const { token, ...made } = (await create({ name: 'hers' }, await app.tokenOf('vera', password))).body;
      const tokens = `/api/users/${id}/tokens`;
      expect((await app.request('GET', tokens, { token: admin })).body).toEqual({
        tokens: [made],
        total: 1,
        limit: 50,
        offset: 0,
      });
      expect((await app.request('GET', tokens, { token })).status).toBe(403);
      expect((await app.request('DELETE', `${tokens}/${made.id}`, { token })).status).toBe(403);
      const { id: adminId } = (await me(admin)).body;
      expect((await app.request('DELETE', `/api/users/${adminId}/tokens/${made.id}`, { token: admin })).status).toBe(
        404,
      );
      expect((await app.request('DELETE', `${tokens}/${made.id}`, { token: admin })).status).toBe(200);
      expect((await me(token)).body.code).toBe('unauthorized');
      expect(app.entries.at(-1)?.message).toBe('API token of vera revoked by admin');
      expect((await app.request('GET', `/api/users/${made.id}/tokens`, { token: admin })).status).toBe(404);
    });

    test('belong to their user only', async () => {
      await createUser();
      const vera = await app.tokenOf('vera', password);
      const { id } = (await create({ name: 'hers' }, vera)).body;
      expect((await app.request('DELETE', `/api/auth/tokens/${id}`, { token: admin })).status).toBe(404);
      expect((await app.request('GET', '/api/auth/tokens', { token: admin })).body.tokens).toEqual([]);
    });

    test('are deleted with their user', async () => {
      const { id } = await createUser();
      const { token } = (await create({ name: 'hers' }, await app.tokenOf('vera', password))).body;
      await app.request('DELETE', `/api/users/${id}`, { token: admin });
      expect((await me(token)).body.code).toBe('unauthorized');
    });
  });
});
