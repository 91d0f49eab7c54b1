import { beforeAll, expect, test } from '@jest/globals';
import jsonwebtoken from 'jsonwebtoken';
import { accessTokenKey, signAccessToken } from '../../../src/features/accounts/sign-in/access-token.ts';
import { type Role, roles } from '../../../src/lib/http/routing/roles.ts';
import type { Access, RouteDefinition } from '../../../src/lib/http/routing/route.ts';
import { newId } from '../../../src/lib/ids.ts';
import { eachStoreApp } from '../../harness/app/each-store-app.ts';

const secretKey = 'the secret key of the access tests, long enough';

/** The path with parameters that match nothing. */
const pathOf = ({ path }: RouteDefinition): string => path.replaceAll(/\{\w+\}/g, newId());
const nameOf = ({ method, path }: RouteDefinition): string => `${method.toUpperCase()} ${path}`;
const needsToken = ({ access }: RouteDefinition): boolean => access !== 'public';
const order = ['public', 'viewer', 'operator', 'admin'] as const;
type Needed = (typeof order)[number];
const permissionFor: Record<Needed, Access> = {
  public: 'public',
  viewer: 'view',
  operator: 'operate',
  admin: 'administer',
};
const isBelow = (role: Role, row: RouteDefinition): boolean => order.indexOf(role) < order.indexOf(decided(row));

/** Who may call what, as decided; the route table must match. */
function decided({ method, path }: RouteDefinition): Needed {
  const open = ['/api/auth/login', '/healthz', '/readyz', '/api/openapi.json', '/api/docs'];
  if (open.includes(path) || (method === 'post' && path === '/api/auth/session')) return 'public';
  if (path.startsWith('/api/auth/')) return 'viewer';
  // Each user's own.
  if (path === '/api/notifications/preferences' || path.startsWith('/api/inbox')) return 'viewer';
  // Channels have secrets, and rules decide who hears what.
  if (path.startsWith('/api/notifications/')) return 'admin';
  if (path.startsWith('/api/users') || path === '/api/setup-checklist') return 'admin';
  // Who may use which credentials.
  if (path.startsWith('/api/system/registries')) return 'admin';
  if (path === '/api/system/preflight') return 'operator';
  if (path.startsWith('/api/system')) return method === 'get' ? 'operator' : 'admin';
  if (path.startsWith('/api/settings')) return method === 'get' ? 'operator' : 'admin';
  const contents = [
    '/download',
    '/version',
    '/versions',
    '/preview',
    '/findings',
    '/errors.csv',
    '/corrections',
    '/config/history',
    '/export',
  ];
  if (path === '/api/logs') return 'operator';
  if (method === 'get') return contents.some((end) => path.endsWith(end)) ? 'operator' : 'viewer';
  if (path === '/api/tenants/export') return 'viewer';
  const admins = ['delete /api/tenants/{id}', 'post /api/proxy/reload', 'delete /api/tenants/{id}/backups/{backup_id}'];
  if (admins.includes(`${method} ${path}`) || /\/(restore|move)$/.test(path)) return 'admin';
  return 'operator';
}

/** The role in a route's description. */
function documented(description: string): Needed {
  if (description.includes('Open without a token.')) return 'public';
  const [, role] = /Role: (operator|admin)/.exec(description) ?? [];
  return (role as Role | undefined) ?? 'viewer';
}

interface OpenApi {
  paths: Record<string, Record<string, { description: string }>>;
}

/** Routes that an API token cannot use, whatever its role. */
const ofSessions = new Set([
  'POST /api/auth/tokens',
  'DELETE /api/auth/tokens/{id}',
  'DELETE /api/auth/sessions',
  'DELETE /api/auth/sessions/{id}',
]);

eachStoreApp(
  'access',
  (app) => {
    let table: RouteDefinition[];
    /** API tokens: `logout` does not end them. They cannot create tokens, which the accounts suite tests. */
    const tokenOf = {} as Record<Role, string>;

    beforeAll(async () => {
      table = app().manager.routes.map((route) => route.definition);
      for (const role of roles) {
        const { token } = await app().userOf(role);
        const made = await app().call<{ token: string }>('POST', '/api/auth/tokens', { token, body: { name: 'walk' } });
        tokenOf[role] = made.body.token;
      }
    });

    /** Calls every route that `filter` accepts; returns `<method> <path> → <status> <code>` for each. */
    async function walk(
      token: string | null,
      filter: (definition: RouteDefinition) => boolean,
      inQuery = false,
    ): Promise<{ name: string; answer: string; headers: Headers }[]> {
      const answers: { name: string; answer: string; headers: Headers }[] = [];
      for (const definition of table.filter(filter)) {
        const path = inQuery ? `${pathOf(definition)}?access_token=${token}` : pathOf(definition);
        const { status, body, headers } = await app().call<{ code?: string }>(definition.method.toUpperCase(), path, {
          token: inQuery ? null : token,
        });
        answers.push({ name: nameOf(definition), answer: `${status} ${body.code ?? ''}`, headers });
      }
      return answers;
    }

    test('matches the decided table', () => {
      const list = (access: (definition: RouteDefinition) => Access) =>
        table.map((row) => `${nameOf(row)}: ${access(row)}`);
      expect(list((row) => row.access)).toEqual(list((row) => permissionFor[decided(row)]));
    });

    test('matches the API description', async () => {
      const { body } = await app().call<OpenApi>('GET', '/api/openapi.json');
      const described = Object.entries(body.paths).flatMap(([path, methods]) =>
        Object.entries(methods).map(
          ([method, { description }]) => `${method.toUpperCase()} ${path}: ${documented(description)}`,
        ),
      );
      expect(described.sort()).toEqual(table.map((row) => `${nameOf(row)}: ${decided(row)}`).sort());
    });

    test('needs a token: 401 without one', async () => {
      const answers = await walk(null, needsToken);
      expect(answers.length).toBeGreaterThan(35);
      expect(answers.filter(({ answer }) => answer !== '401 unauthorized')).toEqual([]);
      expect(answers.filter(({ headers }) => !headers.get('www-authenticate')?.startsWith('Bearer'))).toEqual([]);
    });

    test.each([
      ['garbage', 'garbage'],
      ['an unknown API token', 'tnt_garbage'],
      ['of no signature', 'eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0.'],
    ])('needs a valid token: 401 with %s', async (_what, token) => {
      expect((await walk(token, needsToken)).filter(({ answer }) => answer !== '401 unauthorized')).toEqual([]);
    });

    test('ends when the token expires: 401', async () => {
      const { sub, sid } = jsonwebtoken.decode(app().token) as { sub: string; sid: string };
      const ttl = 60;
      const signed = (ageSeconds: number): string => {
        const createdAt = new Date(Date.now() - ageSeconds * 1_000);
        const session = { id: sid, createdAt, expiresAt: new Date(createdAt.getTime() + ttl * 1_000) };
        return signAccessToken({ id: sub, role: 'admin' }, session, accessTokenKey(secretKey));
      };
      expect((await app().call('GET', '/api/auth/me', { token: signed(ttl - 10) })).status).toBe(200);
      const answers = await walk(signed(ttl + 1), needsToken);
      expect(answers.filter(({ answer }) => answer !== '401 token_expired')).toEqual([]);
    });

    test('ends when the token is revoked: 401', async () => {
      const { token } = await app().userOf('admin');
      expect((await app().call('POST', '/api/auth/logout', { token })).status).toBe(200);
      expect((await walk(token, needsToken)).filter(({ answer }) => answer !== '401 unauthorized')).toEqual([]);
    });

    test('accepts the query token on event streams only', async () => {
      const refused = await walk(tokenOf.admin, needsToken, true);
      expect(refused.filter(({ answer }) => answer !== '401 unauthorized')).toEqual([]);
      const streams = table.filter(({ streamWhen }) => streamWhen);
      expect(streams.length).toBeGreaterThan(1);
      for (const { path, streamWhen } of streams) {
        const query = `?${streamWhen}=true&access_token=${tokenOf.admin}`;
        const asked = path.replaceAll(/\{\w+\}/g, newId()) + query;
        expect((await app().call('GET', asked, { token: null })).status).toBe(404);
      }
    });

    test.each(roles)('of a %s: 403 on all routes that need more', async (role) => {
      const answers = await walk(tokenOf[role], (row) => isBelow(role, row));
      expect(answers.length > 0).toBe(role !== 'admin');
      expect(answers.filter(({ answer }) => answer !== '403 forbidden')).toEqual([]);
    });

    test('of an API token: it cannot end sessions or revoke tokens', async () => {
      const ends = (row: RouteDefinition): boolean => ofSessions.has(nameOf(row)) && row.method === 'delete';
      const answers = await walk(tokenOf.admin, ends);
      expect(answers.map(({ answer }) => answer)).toEqual(['403 forbidden', '403 forbidden', '403 forbidden']);
    });

    test.each(roles)('of a %s: neither 401 nor 403 on all other routes', async (role) => {
      const answers = await walk(tokenOf[role], (row) => !isBelow(role, row) && !ofSessions.has(nameOf(row)));
      expect(answers.filter(({ answer }) => /^(401|403)/.test(answer))).toEqual([]);
      expect(answers.filter(({ answer }) => /^500/.test(answer))).toEqual([]);
    });
  },
  { environment: { SECRET_KEY: secretKey } },
);
