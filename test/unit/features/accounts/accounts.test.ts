import { expect, test } from '@jest/globals';
import { managerActor as actor } from '../../../../src/adapters/events/audit-log-entry.ts';
import { createSessions } from '../../../../src/features/accounts/sessions/session-service.ts';
import { createSessionStore } from '../../../../src/features/accounts/sessions/store.ts';
import { createAuthentication } from '../../../../src/features/accounts/sign-in/authentication.ts';
import { createBrowserSessions } from '../../../../src/features/accounts/sign-in/browser-session.ts';
import { createSignIn } from '../../../../src/features/accounts/sign-in/sign-in.ts';
import { createAccountStore, type User } from '../../../../src/features/accounts/store.ts';
import { createApiTokens } from '../../../../src/features/accounts/tokens/api-tokens.ts';
import { createTickets } from '../../../../src/features/accounts/tokens/tickets.ts';
import { ensureFirstAdmin } from '../../../../src/features/accounts/users/first-admin.ts';
import { createPasswordHasher } from '../../../../src/features/accounts/users/password-hash.ts';
import { createUsers } from '../../../../src/features/accounts/users/users.ts';
import { systemClock as clock } from '../../../../src/lib/clock.ts';
import { createLogger } from '../../../../src/lib/logger.ts';
import { eachStore } from '../../../harness/servers/mariadb.ts';

const password = 'purple tractor lemonade';

/** Rules that rely on the database. */
eachStore('accounts', (store) => {
  function open() {
    const accounts = createAccountStore(store());
    const key = Buffer.from('a key of the tests');
    const logger = createLogger({ level: 'silent' });
    const silent = { writeAuditLog: async () => undefined, accessChanged: () => undefined };
    const browser = createBrowserSessions({ secretKey: 'a key of the tests', accessTokenTtl: 60, origins: [] });
    const rows = createSessionStore(store());
    const deps = { browser, rows, accounts, clock, logger, key, ...silent, hasher: createPasswordHasher(4) };
    const idleMinutes = async () => 60;
    const sessions = createSessions({ ...deps, accessTokenTtl: 60, idleMinutes });
    return {
      deps,
      accounts,
      /** A caller of the API with a session of the user. */
      async creatorOf(user: User) {
        await sessions.open(user, 'browser', { address: '127.0.0.1', userAgent: '' });
        const { items } = await sessions.list(user.id, { limit: 1, offset: 0 });
        const { id: userId, username, role } = user;
        return { userId, username, role, mustChangePassword: false, sessionId: items[0]?.id ?? '' };
      },
      users: createUsers(deps),
      signIn: createSignIn({ ...deps, sessions }),
      tokens: createApiTokens({ ...deps, maxDays: async () => 365 }),
      authentication: createAuthentication({ ...deps, sessions, tickets: createTickets(clock) }),
    };
  }
  const newUser = (username: string) => ({
    username,
    email: `${username}@example.org`,
    password,
    role: 'admin' as const,
    disabled: false,
    must_change_password: false,
  });
  const codeOf = (outcome: PromiseSettledResult<unknown>): string =>
    outcome.status === 'fulfilled' ? 'done' : String((outcome.reason as { code?: string }).code ?? outcome.reason);

  test('two managers that start concurrently create one first administrator', async () => {
    const made = await Promise.all([ensureFirstAdmin(open().deps, password), ensureFirstAdmin(open().deps, password)]);
    expect(made.map(({ created }) => created).sort()).toEqual([false, true]);
  });

  test('a name is unique regardless of case', async () => {
    const { users } = open();
    const names = ['twin', 'Twin', 'TWIN', 'twin'];
    const outcomes = await Promise.allSettled(names.map((name) => users.create(newUser(name), actor)));
    expect(outcomes.map(codeOf).sort()).toEqual(['done', 'username_taken', 'username_taken', 'username_taken']);
  });

  test('one enabled administrator remains if all are demoted, disabled and deleted concurrently', async () => {
    const { users } = open();
    for (const name of ['ada', 'bob']) await users.create(newUser(name), actor);
    const { items } = await users.list({ limit: 50, offset: 0 });
    expect(items).toHaveLength(4);
    const outcomes = await Promise.allSettled(
      items.map(({ id }, at) => {
        if (at === 0) return users.remove(id, actor);
        return users.update(id, at === 1 ? { disabled: true } : { role: 'viewer' }, actor);
      }),
    );
    expect(outcomes.map(codeOf).sort()).toEqual(['done', 'done', 'done', 'invalid_state']);
  });

  test('tokens are found with their user, and concurrent logouts all count', async () => {
    const { creatorOf, users, tokens, signIn, authentication, accounts } = open();
    const callerOf = (value: string) =>
      authentication.authenticateCredential({ kind: 'token', value }, { countsAsUse: true });
    const user = await users.create({ ...newUser('carl'), role: 'viewer' }, actor);
    const expiresAt = new Date(Math.floor(Date.now() / 1_000) * 1_000 + 86_400_678);
    const { secret, id } = await tokens.create(await creatorOf(user), { name: 'ünïcode', expiresAt });
    expect(await callerOf(secret)).toMatchObject({ userId: user.id, role: 'viewer' });
    expect((await accounts.findToken(user.id, id))?.expiresAt).toEqual(expiresAt);
    const client = { address: '127.0.0.1', userAgent: '' };
    const { secret: accessToken } = await signIn.login('carl', password, 'token', client);
    expect(await callerOf(accessToken)).toMatchObject({ username: 'carl' });
    await Promise.all(Array.from({ length: 5 }, () => signIn.logout({ userId: user.id, username: 'carl' })));
    expect((await accounts.findUser(user.id))?.tokenVersion).toBe(6);
    await expect(callerOf(accessToken)).rejects.toMatchObject({ code: 'unauthorized' });
    await users.remove(user.id, actor);
    await expect(callerOf(secret)).rejects.toMatchObject({ code: 'unauthorized' });
  });

  test('does not create a token requested before its user is disabled or gets a new password', async () => {
    const { creatorOf, users, tokens, accounts } = open();
    for (const change of [{ disabled: true }, { password: 'violet engine marmalade' }]) {
      const user = await users.create({ ...newUser(`fred-${Object.keys(change)[0]}`), role: 'viewer' }, actor);
      const creator = await creatorOf(user);
      await users.update(user.id, change, actor);
      await expect(tokens.create(creator, { name: 'late' })).rejects.toMatchObject({ code: 'unauthorized' });
      expect((await accounts.listTokens(user.id, { limit: 1, offset: 0 })).total).toBe(0);
    }
  });

  test('names that differ only in trailing blanks are different', async () => {
    const { users, signIn } = open();
    await users.create(newUser('erik'), actor);
    const client = { address: '127.0.0.1', userAgent: '' };
    await expect(signIn.login('erik  ', password, 'token', client)).rejects.toMatchObject({
      code: 'invalid_credentials',
    });
    expect((await signIn.login('erik', password, 'token', client)).user.username).toBe('erik');
  });
});
