import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { eachDatabase } from '../../harness/servers/mariadb.ts';
import { adminPassword, startAccounts } from './accounts-app.ts';

const password = 'purple tractor lemonade';
const garbage = 'no.token.at-all';

eachDatabase('concurrent callers', (newDatabase) => {
  let app: Awaited<ReturnType<typeof startAccounts>>;
  /** Access tokens by the name of their user. */
  const tokens: Record<string, string> = {};
  let revoked: string;
  let queries = 0;
  let slow = false;

  beforeAll(async () => {
    app = await startAccounts({
      databaseUrl: await newDatabase(),
      async beforeQuery() {
        queries += 1;
        if (slow) await sleep(queries % 7);
      },
    });
    tokens.admin = await app.tokenOf('admin', adminPassword);
    for (const [username, role] of [
      ['vera', 'viewer'],
      ['otto', 'operator'],
      ['gone', 'viewer'],
    ] as const) {
      const body = { username, email: `${username}@example.org`, password, role };
      await app.request('POST', '/api/users', { token: tokens.admin, body });
      tokens[username] = await app.tokenOf(username, password);
    }
    revoked = tokens.gone ?? '';
    await app.request('POST', '/api/auth/logout', { token: revoked });
  });
  afterAll(() => app.stop());

  const me = async (token: string): Promise<string> => {
    const { status, body } = await app.request('GET', '/api/auth/me', { token });
    return status === 200 ? body.username : String(status);
  };

  for (const lookup of ['usual', 'slow']) {
    test(`each is authenticated as itself, among revoked and invalid tokens (${lookup} lookups)`, async () => {
      slow = lookup === 'slow';
      const callers: [expected: string, token: string][] = [
        ...['admin', 'vera', 'otto'].map((name): [string, string] => [name, tokens[name] ?? '']),
        ['401', revoked],
        ['401', garbage],
      ];
      for (let round = 0; round < 10; round += 1) {
        const mixed = Array.from({ length: 6 }, () => callers).flat();
        const answers = await Promise.all(mixed.map(([, token]) => me(token)));
        expect(answers).toEqual(mixed.map(([expected]) => expected));
      }
    });

    test(`a viewer creates no administrator while an administrator works (${lookup} lookups)`, async () => {
      slow = lookup === 'slow';
      const body = (n: number) => ({ username: `evil${n}`, email: 'evil@example.org', password, role: 'admin' });
      const attack = async (token: string): Promise<number[]> => {
        const statuses: number[] = [];
        for (let n = 0; n < 10; n += 1) {
          statuses.push((await app.request('POST', '/api/users', { token, body: body(n) })).status);
        }
        return statuses;
      };
      const victim = async (): Promise<number[]> => {
        const statuses: number[] = [];
        for (let n = 0; n < 20; n += 1) {
          statuses.push((await app.request('GET', '/api/users', { token: tokens.admin })).status);
        }
        return statuses;
      };
      const [victims, viewers, strangers] = await Promise.all([
        Promise.all(Array.from({ length: 3 }, victim)),
        Promise.all(Array.from({ length: 8 }, () => attack(tokens.vera ?? ''))),
        Promise.all(Array.from({ length: 8 }, () => attack(revoked))),
      ]);
      expect(new Set(victims.flat())).toEqual(new Set([200]));
      expect(new Set(viewers.flat())).toEqual(new Set([403]));
      expect(new Set(strangers.flat())).toEqual(new Set([401]));
      const { body: users } = await app.request('GET', '/api/users', { token: tokens.admin });
      expect(users.users.filter(({ role }: { role: string }) => role === 'admin')).toHaveLength(1);
    });

    test(`an administrator is served under a flood of invalid tokens (${lookup} lookups)`, async () => {
      slow = lookup === 'slow';
      let over = false;
      const flood = async (): Promise<void> => {
        while (!over) expect(await me(garbage)).toBe('401');
      };
      const floods = Promise.all(Array.from({ length: 15 }, flood));
      const answers: string[] = [];
      for (let n = 0; n < 30; n += 1) answers.push(await me(tokens.admin ?? ''));
      over = true;
      await floods;
      expect(new Set(answers)).toEqual(new Set(['admin']));
    });
  }
});
