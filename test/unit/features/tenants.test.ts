import { beforeEach, describe, expect, jest, test } from '@jest/globals';
import express from 'express';
import fc from 'fast-check';
import { QueryTypes } from 'sequelize';
import request from 'supertest';
import { type AuditLogEntry, managerActor } from '../../../src/adapters/events/audit-log-entry.ts';
import { createEventBus } from '../../../src/adapters/events/bus.ts';
import type { DomainEvent } from '../../../src/adapters/events/messages.ts';
import { maskCredentials, repositoryProblem } from '../../../src/adapters/git/address-rule.ts';
import { createHostRule } from '../../../src/adapters/git/host-rule.ts';
import type { Store } from '../../../src/adapters/store/store.ts';
import { createPorts } from '../../../src/features/ports/ports.ts';
import { hostName, hostNameProblem } from '../../../src/features/tenants/schema.ts';
import type { LiveRelease, Tenant } from '../../../src/features/tenants/tenant.ts';
import {
  createRepositorySecrets,
  createTenantAdministration,
  createTenantRecords,
  createTenants,
  type Tenants,
} from '../../../src/features/tenants/tenants.ts';
import { AppError } from '../../../src/lib/errors.ts';
import { errorMiddleware } from '../../../src/lib/http/responses/errors.ts';
import { mountRoutes } from '../../../src/lib/http/routing/mount.ts';
import type { Role } from '../../../src/lib/http/routing/roles.ts';
import { createLogger } from '../../../src/lib/logger.ts';
import { createSecretBox } from '../../../src/lib/secret-box.ts';
import { eachStore } from '../../harness/servers/mariadb.ts';

const rules = { allowLocal: false, hosts: createHostRule({ allowed: [] }) };

const quiet = createLogger({ level: 'silent' });

/** A registry of tenants on an emptied store, with its audit log entries. */
async function openRegister(store: Store, changes: Partial<Parameters<typeof createTenantAdministration>[0]> = {}) {
  for (const table of ['tenants', 'tags']) await store.sequelize.getQueryInterface().bulkDelete(table, {});
  const entries: AuditLogEntry[] = [];
  const published: DomainEvent[] = [];
  const events = createEventBus(quiet);
  events.onAny((event) => published.push(event));
  let now = Date.UTC(2026, 10, 20, 11);
  const clock = {
    now: () => {
      now += 1;
      return new Date(now);
    },
  };
  const writeAuditLog = async (entry: AuditLogEntry) => void entries.push(entry);
  const ports = createPorts({
    store,
    clock,
    pool: { start: 32_300, end: 32_499 },
    isListening: async (port) => port === 32_302,
  });
  const records = createTenantRecords(store, ports);
  const repositorySecrets = createRepositorySecrets(createSecretBox('k'.repeat(32)), rules);
  const tenants = createTenants({ store, clock, events, writeAuditLog, records, ports, repositorySecrets });
  const relatedRecords = { createFor: async () => undefined };
  const administration = createTenantAdministration({
    ...{ store, clock, writeAuditLog, tenants, records, ports, repositorySecrets },
    dataDirectory: '/data',
    configs: relatedRecords,
    themes: relatedRecords,
    engine: { assertIdle: () => undefined },
    health: { lastDetails: () => undefined, responseMs: () => 42 },
    backups: { lastOf: async (ids) => new Map(ids.map((id) => [id, new Date('2026-11-20T10:00:00Z')])) },
    sites: { sync: async () => undefined },
    source: { detailsOf: async () => undefined },
    updates: { updateOf: () => null },
    removeResources: async (_tenant, { removeFiles, removeProxy, removeServices }) => ({
      files: removeFiles,
      proxy: removeProxy,
      services: removeServices,
    }),
    ...changes,
  });
  const app = express()
    .use(
      mountRoutes(administration.routes, {
        authenticate: async (asked) => ({
          userId: 'u1',
          username: 'ada',
          role: (asked.get('x-role') ?? 'admin') as Role,
          mustChangePassword: false,
        }),
        checkAnswers: true,
      }),
    )
    .use(errorMiddleware(quiet));
  return { tenants, administration, app, entries, published };
}

const acme = { name: 'Acme', slug: 'acme', domain: 'acme.example', api_domain: 'api.acme.example' };
const numbered = (number: number) => ({
  name: `Tenant ${number}`,
  slug: `tenant-${number}`,
  domain: `t${number}.example`,
  apiDomain: `api.t${number}.example`,
});
const release: LiveRelease = {
  version: 'v1.2.0',
  commit: 'c'.repeat(40),
  key: 'repo-c',
  checkout: '/data/releases/repo-c',
  units: { api: { port: 8_000, health: '/api/health' }, frontend: { port: 3_000, health: '/' } },
  database: 'sqlite',
};

eachStore('tenants', (store) => {
  let register: Awaited<ReturnType<typeof openRegister>>;
  beforeEach(async () => {
    register = await openRegister(store());
  });

  const post = (body: object) => request(register.app).post('/api/tenants').send(body);
  const create = async (body: object = acme): Promise<string> => (await post(body).expect(201)).body.id;
  const get = async (id: string) => (await request(register.app).get(`/api/tenants/${id}`).expect(200)).body;
  const put = (id: string, body: object) => request(register.app).put(`/api/tenants/${id}`).send(body);

  test('a new tenant is pending, with the specified fields', async () => {
    const { body } = await post({ ...acme, name: '  Acme  ', domain: 'ACME.example' }).expect(201);
    expect(body).toEqual({
      id: expect.stringMatching(/^[\da-f-]{36}$/),
      name: 'Acme',
      slug: 'acme',
      domain: 'acme.example',
      status: 'pending',
      frontend_port: 32_300,
      backend_port: 32_301,
      created_at: expect.stringMatching(/^2026-11-20T11:00:00\.\d{3}Z$/),
    });
    expect(await get(body.id)).toEqual({
      ...body,
      api_domain: 'api.acme.example',
      health_status: 'unknown',
      health_since: null,
      health_details: null,
      deployed_commit: null,
      written_domain: null,
      written_api_domain: null,
      update_available: null,
      directory: '/data/tenants/acme',
      git_repo: null,
      notes: null,
      tags: [],
      version: null,
      last_backup_at: '2026-11-20T10:00:00.000Z',
      response_ms: 42,
      deployed_at: null,
    });
    expect(register.entries).toEqual([
      expect.objectContaining({
        category: 'audit',
        message: 'Tenant acme created by ada',
        tenant: { id: body.id, slug: 'acme' },
      }),
    ]);
  });

  test.each([
    ['no slug', { slug: undefined }, 'slug'],
    ['a slug with a double hyphen', { slug: 'a--b' }, 'slug'],
    ['a slug that ends with a hyphen', { slug: 'ab-' }, 'slug'],
    ['a slug of one letter', { slug: 'a' }, 'slug'],
    ['a slug of 41 letters', { slug: 'a'.repeat(41) }, 'slug'],
    ['a slug with a line break', { slug: 'acme\n' }, 'slug'],
    ['a blank name', { name: '   ' }, 'name'],
    ['a name of 121 characters', { name: 'ä'.repeat(121) }, 'name'],
    ['a name with a line break', { name: 'a\nb' }, 'name'],
    ['a domain with a scheme', { domain: 'https://acme.example' }, 'domain'],
    ['equal domains', { api_domain: 'Acme.Example' }, 'api_domain'],
    ['a port below 1024', { frontend_port: 1_023 }, 'frontend_port'],
    ['a port that is a text', { backend_port: '32300' }, 'backend_port'],
    ['equal ports', { frontend_port: 40_000, backend_port: 40_000 }, 'backend_port'],
    ['notes of 10,001 characters', { notes: 'n'.repeat(10_001) }, 'notes'],
    ['a program as repository', { git_repo: 'ext::sh -c id' }, 'git_repo'],
    ['a local repository', { git_repo: '/srv/app.git' }, 'git_repo'],
    ['a repository in a private network', { git_repo: 'http://169.254.169.254/x' }, 'git_repo'],
    ['a repository on this machine by ssh', { git_repo: 'git@localhost:app.git' }, 'git_repo'],
    ['a blank tag', { tags: ['  '] }, 'tags.0'],
    ['a tag of 41 characters', { tags: ['pilot', 'ä'.repeat(41)] }, 'tags.1'],
    ['a tag with a line break', { tags: ['a\nb'] }, 'tags.0'],
    ['a tag with a quote', { tags: ['a"b'] }, 'tags.0'],
    ['a tag with an invisible character', { tags: ['pi\u200dlot'] }, 'tags.0'],
    ['a tag given twice', { tags: ['São', 'sao'] }, 'tags'],
    ['21 tags', { tags: Array.from({ length: 21 }, (_, n) => `t${n}`) }, 'tags'],
    ['an unknown field', { status: 'running' }, 'status'],
  ])('rejects %s by field', async (_what, changes, path) => {
    const { body } = await post({ ...acme, ...changes }).expect(400);
    expect(body).toMatchObject({ code: 'validation_error', issues: [{ path }] });
    expect(await register.tenants.counts()).toMatchObject({ total: 0 });
  });

  test('accepts names at their limits', async () => {
    const id = await create({ ...acme, name: '🎈'.repeat(120), slug: 'a'.repeat(40), notes: '🎈'.repeat(10_000) });
    expect(await get(id)).toMatchObject({ name: '🎈'.repeat(120), notes: '🎈'.repeat(10_000) });
  });

  test('slug and both domains are unique over all tenants', async () => {
    await create();
    const other = { name: 'B', slug: 'other', domain: 'b.example', api_domain: 'api.b.example' };
    expect((await post({ ...other, slug: 'acme' }).expect(409)).body.code).toBe('slug_taken');
    expect((await post({ ...other, domain: 'API.acme.example' }).expect(409)).body.code).toBe('domain_taken');
    expect((await post({ ...other, api_domain: 'acme.example' }).expect(409)).body.code).toBe('domain_taken');
    const id = await create(other);
    expect((await put(id, { domain: 'acme.example' }).expect(409)).body.code).toBe('domain_taken');
    expect((await put(id, { domain: 'api.b.example' }).expect(400)).body.issues[0].path).toBe('api_domain');
    await put(id, { domain: 'api.b.example', api_domain: 'b.example' }).expect(200);
  });

  test('of many concurrent requests for one slug or domain, one succeeds', async () => {
    const ask = (slug: string, domain: string, number: number) =>
      register.administration.create({ ...numbered(number), slug, domain }, managerActor);
    const slugs = await Promise.allSettled(Array.from({ length: 8 }, (_, n) => ask('same', `s${n}.example`, n)));
    expect(slugs.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const domains = await Promise.allSettled(
      Array.from({ length: 8 }, (_, n) => ask(`d-${n}`, 'same.example', n + 20)),
    );
    const lost = domains.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason.code] : []));
    expect(lost).toEqual(Array(7).fill('domain_taken'));
  });

  test('50 tenants created concurrently get 50 pairs, and a port in use on the machine is skipped', async () => {
    const made = await Promise.all(
      Array.from({ length: 50 }, (_, number) => register.administration.create(numbered(number), managerActor)),
    );
    const ports = made.flatMap((tenant) => [tenant.frontendPort, tenant.backendPort]);
    expect(new Set(ports).size).toBe(100);
    expect(ports).not.toContain(32_302);
    expect(Math.max(...ports)).toBe(32_300 + 101);
  });

  test('explicit ports: validates them, and completes a pair if one is given', async () => {
    const ask = (slug: string, ports: object) =>
      post({ ...acme, slug, domain: `${slug}.example`, api_domain: `api.${slug}.example`, ...ports });
    expect((await ask('aa', { frontend_port: 32_311 }).expect(201)).body.backend_port).toBe(32_310);
    expect((await ask('ab', { backend_port: 32_321 }).expect(201)).body.frontend_port).toBe(32_320);
    expect((await ask('ac', { frontend_port: 40_000 }).expect(201)).body.backend_port).toBe(40_001);
    await ask('ad', { frontend_port: 50_001, backend_port: 50_000 }).expect(201);
    expect((await ask('ae', { frontend_port: 32_310 }).expect(409)).body.code).toBe('port_taken');
    expect((await ask('af', { frontend_port: 32_330, backend_port: 50_001 }).expect(409)).body.code).toBe('port_taken');
    expect((await ask('ag', { frontend_port: 32_302 }).expect(409)).body.code).toBe('port_taken');
    await ask('ah', { frontend_port: 65_535 }).expect(400);
    expect(await register.tenants.counts()).toMatchObject({ total: 4 });
  });

  test('PUT changes ports: swaps its own, rejects others’, keeps the rest', async () => {
    const id = await create();
    await create({ ...acme, slug: 'bb', domain: 'b.example', api_domain: 'api.b.example', frontend_port: 32_400 });
    expect((await put(id, { frontend_port: 32_401 }).expect(409)).body.code).toBe('port_taken');
    expect((await put(id, { frontend_port: 32_301 }).expect(400)).body.issues[0].path).toBe('backend_port');
    const swapped = await put(id, { frontend_port: 32_301, backend_port: 32_300 }).expect(200);
    expect(swapped.body).toMatchObject({ frontend_port: 32_301, backend_port: 32_300, name: 'Acme' });
    expect((await put(id, { frontend_port: 41_000 }).expect(200)).body.backend_port).toBe(32_300);
  });

  test('PUT changes the given fields, logs before and after, and never changes the slug', async () => {
    const id = await create({ ...acme, notes: 'old' });
    register.entries.length = 0;
    const { body } = await put(id, { name: 'Acme Ltd', notes: null, domain: 'WWW.acme.example' }).expect(200);
    expect(body).toMatchObject({ name: 'Acme Ltd', notes: null, domain: 'www.acme.example', slug: 'acme' });
    expect(register.entries).toEqual([
      expect.objectContaining({
        category: 'audit',
        details: {
          user_id: 'u1',
          username: 'ada',
          changes: {
            name: { before: 'Acme', after: 'Acme Ltd' },
            domain: { before: 'acme.example', after: 'www.acme.example' },
            notes: { before: 'old', after: null },
          },
        },
      }),
    ]);
    await put(id, {}).expect(200);
    expect(register.entries).toHaveLength(1);
    expect((await put(id, { slug: 'new' }).expect(400)).body.issues[0].path).toBe('slug');
    await put('none', { name: 'x' }).expect(404);
  });

  test('repository credentials are sealed, masked in responses, and survive the masked address sent back', async () => {
    const address = 'https://ada:s3cr3t@git.example/app.git';
    const id = await create({ ...acme, git_repo: address });
    const masked = 'https://ada:***@git.example/app.git';
    expect((await get(id)).git_repo).toBe(masked);
    expect(await register.tenants.repositoryOf(id)).toBe(address);
    await put(id, { git_repo: masked, name: 'B' }).expect(200);
    expect(await register.tenants.repositoryOf(id)).toBe(address);
    expect((await put(id, { git_repo: 'https://eve:***@evil.example/app.git' }).expect(400)).body.issues[0].path).toBe(
      'git_repo',
    );
    const everything = JSON.stringify([
      register.entries,
      await store().sequelize.query('SELECT * FROM tenants', { type: QueryTypes.SELECT }),
    ]);
    expect(everything).not.toContain('s3cr3t');
    expect((await put(id, { git_repo: '' }).expect(200)).body.git_repo).toBeNull();
    expect(await register.tenants.repositoryOf(id)).toBeNull();
  });

  test('host names and ports do not change while an operation is running', async () => {
    const assertIdle = jest.fn((_id: string) => {
      throw new AppError('operation_in_progress', 'deploy');
    });
    register = await openRegister(store(), { engine: { assertIdle } });
    const id = await create();
    expect((await put(id, { domain: 'x.example' }).expect(409)).body.code).toBe('operation_in_progress');
    expect((await put(id, { backend_port: 45_000 }).expect(409)).body.code).toBe('operation_in_progress');
    await put(id, { name: 'Free', domain: 'acme.example', frontend_port: 32_300 }).expect(200);
    expect(assertIdle).toHaveBeenCalledTimes(2);
  });

  test('related records are created with the tenant or not at all', async () => {
    const companion = jest.fn(async (_tenant: Tenant) => {
      throw new Error('no room');
    });
    register = await openRegister(store(), { themes: { createFor: companion } });
    await post(acme).expect(500);
    expect(companion.mock.calls[0]?.[0]).toMatchObject({ slug: 'acme', frontendPort: 32_300 });
    expect(await register.tenants.findBySlug('acme')).toBeUndefined();
    register = await openRegister(store());
    expect((await post(acme).expect(201)).body.frontend_port).toBe(32_300);
  });

  test('lists newest first, in pages, by status and search', async () => {
    for (let number = 0; number < 5; number += 1) await register.administration.create(numbered(number), managerActor);
    await create({ ...acme, name: 'ÄRGER 100%' });
    const list = async (query: string) => (await request(register.app).get(`/api/tenants${query}`).expect(200)).body;
    const slugs = async (query: string) => (await list(query)).tenants.map(({ slug }: { slug: string }) => slug);

    expect(await list('?limit=2&offset=1')).toMatchObject({ total: 6, limit: 2, offset: 1 });
    expect(await slugs('?limit=2&offset=1')).toEqual(['tenant-4', 'tenant-3']);
    expect(Object.keys((await list('')).tenants[0]).sort()).toEqual(
      [
        ...['api_domain', 'backend_port', 'created_at', 'deployed_at', 'domain', 'frontend_port'],
        ...['health_since', 'health_status', 'id', 'last_backup_at', 'name', 'response_ms', 'slug', 'update_available'],
        ...['status', 'tags', 'version'],
      ].sort(),
    );
    expect(await slugs('?search=%C3%A4rger')).toEqual(['acme']);
    expect(await slugs('?search=arger')).toEqual(['acme']);
    expect(await slugs('?search=100%25')).toEqual(['acme']);
    expect(await slugs('?search=_')).toEqual([]);
    expect(await slugs('?search=API.T3')).toEqual(['tenant-3']);
    expect(await slugs('?search=TENANT-2')).toEqual(['tenant-2']);
    expect(await slugs(`?search=${encodeURIComponent("' OR 1=1 --")}`)).toEqual([]);

    const first = await register.tenants.findBySlug('tenant-0');
    await register.tenants.setStatus(first?.id ?? '', 'running');
    expect(await slugs('?status=running')).toEqual(['tenant-0']);
    expect((await list('?status=pending')).total).toBe(5);
    expect(await list('?status=pending&search=t1.')).toMatchObject({ total: 1 });
    for (const query of ['?status=deleted', '?limit=501', '?limit=0', '?offset=-1', '?limit=x'])
      await request(register.app).get(`/api/tenants${query}`).expect(400);
  });

  test('tags have one spelling and a colour, are counted, filtered by, and kept in the audit log', async () => {
    const { app } = register;
    const id = await create({ ...acme, tags: ['pilots', ' Ohio '] });
    const other = await create({ name: 'B', slug: 'bb', domain: 'b.example', api_domain: 'api.b.example' });
    expect((await get(id)).tags).toEqual(['Ohio', 'pilots']);
    register.entries.length = 0;
    expect((await put(other, { tags: ['OHIO', 'Länder'] }).expect(200)).body.tags).toEqual(['Länder', 'Ohio']);
    expect(register.entries).toEqual([
      expect.objectContaining({
        details: expect.objectContaining({ changes: { tags: { before: [], after: ['Länder', 'Ohio'] } } }),
      }),
    ]);
    const listed = async () => (await request(app).get('/api/tags').expect(200)).body.tags;
    const before = await listed();
    expect(before.map(({ name, tenants }: { name: string; tenants: number }) => [name, tenants])).toEqual([
      ['Länder', 1],
      ['Ohio', 2],
      ['pilots', 1],
    ]);
    expect(new Set(before.map(({ color }: { color: string }) => color)).size).toBe(3);

    const setColor = (name: string, color: string) =>
      request(app)
        .put(`/api/tags/${encodeURIComponent(name)}`)
        .send({ color });
    register.entries.length = 0;
    const { color: first } = before[0];
    for (let count = 0; count < 2; count += 1)
      expect((await setColor('lander', 'clay').expect(200)).body).toEqual({ name: 'Länder', color: 'clay' });
    expect(register.entries).toEqual([
      expect.objectContaining({
        category: 'audit',
        message: expect.stringMatching(/^Colour of the tag Länder changed by /),
        details: expect.objectContaining({ tag: 'Länder', before: first, after: 'clay' }),
      }),
    ]);
    await setColor('none', 'plum').expect(404);
    await setColor('Ohio', 'red').expect(400);
    await setColor('Ohio', 'sky').set({ 'x-role': 'viewer' }).expect(403);
    expect((await listed())[0]).toEqual({ name: 'Länder', color: 'clay', tenants: 1 });

    const slugs = async (query: string) =>
      (await request(app).get(`/api/tenants${query}`).expect(200)).body.tenants.map(
        ({ slug }: { slug: string }) => slug,
      );
    expect(await slugs('?tag=ohio')).toEqual(['bb', 'acme']);
    expect(await slugs('?tag=L%C3%A4nder&status=pending')).toEqual(['bb']);
    expect(await slugs('?tag=oh')).toEqual([]);

    await put(other, { tags: [] }).expect(200);
    expect((await get(other)).tags).toEqual([]);
    await put(id, { name: 'Acme 2' }).expect(200);
    expect((await listed()).map(({ name }: { name: string }) => name)).toEqual(['Ohio', 'pilots']);
    await setColor('lander', 'plum').expect(404);
    expect((await put(other, { tags: ['lander'] }).expect(200)).body.tags).toEqual(['lander']);
    expect((await listed())[0]).toEqual({ name: 'lander', color: expect.any(String), tenants: 1 });
    await register.tenants.remove(other, managerActor);
    await setColor('lander', 'plum').expect(404);
    expect((await listed()).map(({ name }: { name: string }) => name)).toEqual(['Ohio', 'pilots']);
  });

  test('exports the chosen tenants as CSV, in their order, without formulas', async () => {
    const ids = [await create({ ...acme, name: '=1+1, "Müller"', tags: ['a', '@b'] })];
    for (let number = 1; number < 3; number += 1)
      ids.push((await register.administration.create(numbered(number), managerActor)).id);
    const [first = '', second = '', third = ''] = ids;
    await register.tenants.recordDeployment(first, release);
    const exported = async (body: object) => {
      const answer = await request(register.app)
        .post('/api/tenants/export')
        .set('x-role', 'viewer')
        .send(body)
        .expect(200);
      expect(answer.headers['content-type']).toBe('text/csv; charset=utf-8');
      expect(answer.headers['content-disposition']).toBe('attachment; filename="tenants.csv"');
      expect(answer.text.startsWith('\uFEFFname,slug,domain,')).toBe(true);
      return answer.text.slice(1).trimEnd().split('\r\n').slice(1);
    };
    const { created_at } = await get(first);
    expect(await exported({ tenant_ids: [third, first] })).toEqual([
      expect.stringMatching(/^Tenant 2,tenant-2,/),
      `"'=1+1, ""Müller""",acme,acme.example,api.acme.example,"'@b, a",pending,unknown,,v1.2.0,,42,2026-11-20T10:00:00.000Z,,${created_at},32300,32301,${first}`,
    ]);
    const slugs = (rows: string[]) => rows.map((row) => /tenant-\d|acme/.exec(row)?.[0]);
    expect(slugs(await exported({}))).toEqual(['acme', 'tenant-1', 'tenant-2']);
    expect(slugs(await exported({ filter: { search: 'TENANT' } }))).toEqual(['tenant-1', 'tenant-2']);
    await register.tenants.remove(second, managerActor);
    expect(slugs(await exported({ tenant_ids: [second, first] }))).toEqual(['acme']);
    for (const body of [{ tenant_ids: [first], filter: {} }, { tenant_ids: ['x'] }, { filter: { status: 'gone' } }])
      await request(register.app).post('/api/tenants/export').send(body).expect(400);
  });

  test('tags created at once for many tenants are one tag', async () => {
    const ids = [];
    for (let number = 0; number < 6; number += 1)
      ids.push((await register.administration.create(numbered(number), managerActor)).id);
    const name = (index: number): string => (index % 2 === 0 ? 'Pilot' : 'pilot');
    await Promise.all(ids.map((id, index) => put(id, { tags: [name(index)] }).expect(200)));
    const { body } = await request(register.app).get('/api/tags').expect(200);
    expect(body.tags).toEqual([{ name: expect.stringMatching(/^pilot$/i), color: expect.any(String), tenants: 6 }]);
  });

  test('a tag that some tenants lose while others get it is listed with those that have it', async () => {
    const ids: string[] = [];
    for (let number = 0; number < 6; number += 1)
      ids.push((await register.administration.create({ ...numbered(number), tags: ['a'] }, managerActor)).id);
    const tagsOf = (index: number): string[] => (index % 2 === 0 ? ['b'] : ['a', 'b']);
    await Promise.all(ids.map((id, index) => put(id, { tags: tagsOf(index) }).expect(200)));
    const counts = async () =>
      (await request(register.app).get('/api/tags').expect(200)).body.tags.map(
        ({ name, tenants }: { name: string; tenants: number }) => `${name} ${tenants}`,
      );
    expect(await counts()).toEqual(['a 3', 'b 6']);
    await Promise.all(ids.map((id) => put(id, { tags: [] }).expect(200)));
    expect(await counts()).toEqual([]);
    await request(register.app).put('/api/tags/a').send({ color: 'sky' }).expect(404);
  });

  test('tags may contain emoji of one or more characters, and are found by them', async () => {
    const tags = ['❤️ friends', '🏴󠁧󠁢󠁷󠁬󠁳󠁿', '👩🏽‍🚀 crew', '🚀'];
    const id = await create({ ...acme, tags });
    expect((await get(id)).tags).toEqual([...tags].sort());
    for (const tag of tags) {
      const found = await request(register.app)
        .get(`/api/tenants?tag=${encodeURIComponent(tag)}`)
        .expect(200);
      expect([tag, found.body.total]).toEqual([tag, 1]);
    }
    const { body } = await put(id, { tags: ['🚀 \u200d'] }).expect(400);
    expect(body.detail).toContain('invisible characters');
  });

  test('tags added to and removed from one tenant at once are all applied', async () => {
    const id = await create({ ...acme, tags: ['a', 'b', 'c'] });
    const change = (changes: Parameters<typeof register.administration.update>[1]) =>
      register.administration.update(id, changes, managerActor);
    await Promise.all([
      ...['d', 'e', 'f'].map((tag) => change({ addTags: [tag] })),
      ...['a', 'b'].map((tag) => change({ removeTags: [tag] })),
    ]);
    expect((await get(id)).tags).toEqual(['c', 'd', 'e', 'f']);
  });

  test('viewers read, operators change, administrators delete', async () => {
    const id = await create();
    const as = (role: Role) => ({ 'x-role': role });
    const directoryFor = async (role: Role) =>
      (await request(register.app).get(`/api/tenants/${id}`).set(as(role)).expect(200)).body.directory;
    expect([await directoryFor('viewer'), await directoryFor('operator')]).toEqual([null, expect.any(String)]);
    await request(register.app).put(`/api/tenants/${id}`).set(as('viewer')).send({ name: 'x' }).expect(403);
    await request(register.app).put(`/api/tenants/${id}`).set(as('operator')).send({ name: 'x' }).expect(200);
    await request(register.app).delete(`/api/tenants/${id}`).set(as('operator')).expect(403);
  });

  test('DELETE disposes, frees names and ports, and reports what was removed', async () => {
    const id = await create({ ...acme, frontend_port: 32_311 });
    const { body } = await request(register.app)
      .delete(`/api/tenants/${id}?remove_files=true&remove_proxy=false`)
      .expect(200);
    expect(body).toEqual({
      message: 'Tenant acme deleted',
      removed: { files: true, proxy: false, services: true, ports_released: [32_310, 32_311] },
    });
    await request(register.app).get(`/api/tenants/${id}`).expect(404);
    await request(register.app).delete(`/api/tenants/${id}`).expect(404);
    expect(register.published).toEqual([{ type: 'tenant_status', tenant_id: id, status: 'deleted' }]);
    expect(register.entries.at(-1)).toMatchObject({
      message: 'Tenant acme deleted by ada',
      tenant: { id, slug: 'acme' },
    });
    await create({ ...acme, frontend_port: 32_311 });
  });

  test('a failed disposal keeps the tenant; one that removes the tenant itself succeeds', async () => {
    register = await openRegister(store(), {
      removeResources: async () => {
        throw new AppError('runtime_unavailable', 'no engine');
      },
    });
    const id = await create();
    await request(register.app).delete(`/api/tenants/${id}`).expect(503);
    expect(await get(id)).toMatchObject({ slug: 'acme' });

    let remove: Tenants['remove'] | undefined;
    register = await openRegister(store(), {
      removeResources: async (tenant, _options, actor) => {
        await remove?.(tenant.id, actor);
        return { files: false, proxy: false, services: true };
      },
    });
    remove = register.tenants.remove;
    const { body } = await request(register.app)
      .delete(`/api/tenants/${await create()}`)
      .expect(200);
    expect(body.removed.ports_released).toEqual([32_300, 32_301]);
    expect(register.published).toHaveLength(1);
    await request(register.app)
      .delete(`/api/tenants/${await create()}?remove_files=yes`)
      .expect(400);
  });

  test('publishes a status change once, and only from an expected status', async () => {
    const id = await create();
    const { tenants, published, entries } = register;
    entries.length = 0;
    expect(await tenants.setStatus(id, 'running', { actor: managerActor })).toBe(true);
    expect(await tenants.setStatus(id, 'running')).toBe(false);
    expect(await tenants.setStatus(id, 'error', { from: ['stopped'] })).toBe(false);
    expect(await tenants.setStatus(id, 'error', { from: ['running'], reason: 'api is dead' })).toBe(true);
    expect(await tenants.setStatus('gone', 'error')).toBe(false);
    expect(published.map((event) => ('status' in event ? event.status : event.type))).toEqual(['running', 'error']);
    expect(entries.map(({ level, message }) => [level, message])).toEqual([
      ['info', 'Tenant acme is running'],
      ['error', 'Tenant acme is error: api is dead'],
    ]);
  });

  test('keeps health and deployment; each iterates over deployed tenants', async () => {
    const ids = [];
    for (let number = 0; number < 3; number += 1)
      ids.push((await register.administration.create(numbered(number), managerActor)).id);
    const [first = '', second = ''] = ids;
    const deployedAt = new Date('2026-11-21T00:00:00.123Z');
    await register.tenants.recordDeployment(first, release, deployedAt);
    await register.tenants.recordDeployment(first, { ...release, version: null });
    expect(await register.tenants.get(first)).toMatchObject({ deployed: { ...release, version: null }, deployedAt });
    const details = { frontend: 'up', backend: 'up', database: 'healthy', last_check: '2026-11-21T00:00:00.000Z' };
    const found = (id: string) => ({ id, status: 'healthy' as const, details });
    const before = await register.tenants.recordHealth([found(second), found('gone')]);
    expect(before).toEqual([{ id: second, slug: 'tenant-1', status: 'pending', healthStatus: 'unknown' }]);
    expect(await register.tenants.recordHealth([found(second)])).toMatchObject([{ healthStatus: 'healthy' }]);
    const { health_since } = await get(second);
    expect(await get(second)).toMatchObject({ health_status: 'healthy', health_details: details });
    expect(Date.parse(health_since)).toBeGreaterThan(Date.UTC(2026, 10, 20));
    expect((await request(register.app).get('/api/tenants?health_status=healthy').expect(200)).body).toMatchObject({
      total: 1,
      tenants: [{ id: second, health_since }],
    });
    expect(register.published).toEqual([{ type: 'tenant_health', tenant_id: second, overall_status: 'healthy' }]);

    const seen: string[] = [];
    for await (const tenant of register.tenants.each()) seen.push(tenant.id);
    expect(seen).toEqual([...ids].sort());
    const deployed: string[] = [];
    for await (const tenant of register.tenants.each({ deployedOnly: true })) deployed.push(tenant.id);
    expect(deployed).toEqual([first]);
    expect(await register.tenants.counts()).toEqual({
      total: 3,
      byStatus: { pending: 3, running: 0, stopped: 0, error: 0 },
      byHealth: { unknown: 2, healthy: 1, degraded: 0, unhealthy: 0 },
      runningByHealth: { unknown: 0, healthy: 0, degraded: 0, unhealthy: 0 },
    });
    expect((await register.tenants.namesOf([first, 'gone'])).get(first)).toBe('Tenant 0');
  });

  test('a slow iteration never returns outdated tenants', async () => {
    const ids = [];
    for (let number = 0; number < 3; number += 1)
      ids.push((await register.administration.create(numbered(number), managerActor)).id);
    const [, second = '', third = ''] = ids.toSorted();
    const walk = register.tenants.each();
    await walk.next();
    await register.administration.update(second, { notes: 'later' }, managerActor);
    await new Promise((resolve) => setTimeout(resolve, 1_050));
    expect((await walk.next()).value).toMatchObject({ id: second, notes: 'later' });
    const rest: string[] = [];
    for await (const { id } of walk) rest.push(id);
    expect(rest).toEqual([third]);
  });
});

describe('host names', () => {
  test.each(['localhost', 'a.example', 'xn--bcher-kva.example', '0a.b-c.example', `${'a'.repeat(63)}.example`])(
    'accepts %s',
    (name) => expect(hostNameProblem(name)).toBeUndefined(),
  );
  test.each([
    ...['', '.', 'a..b', 'a.example.', '-a.example', 'a-.example', 'a_b.example', '*.example', 'a.example:80', 'a/b'],
    ...['10.0.0.1', '[::1]', 'a b', 'bücher.example', '\u212A.example', 'a.example\n', `${'a'.repeat(64)}.example`],
    ...[`${'a.'.repeat(127)}a`, 'user@a.example'],
  ])('rejects %j', (name) => expect(hostNameProblem(name)).toBeDefined());
  test.each([
    ['münchen.example', 'xn--mnchen-3ya.example'],
    ['MÜNCHEN.Example.', 'xn--mnchen-3ya.example'],
    ['例え。テスト', 'xn--r8jz45g.xn--zckzah'],
    ['app.example.org.', 'app.example.org'],
  ])('%s is kept as %s', (written, kept) => {
    expect(hostName.parse(written)).toBe(kept);
    expect(hostNameProblem(written)).toBe(`must be written as ${kept} here`);
  });
  test.each(['a..', '..', 'mün chen.example', 'mü_nchen.example', 'a\u202eb.example'])(
    '%j is refused, letters outside ASCII or not',
    (name) => expect(hostName.safeParse(name).success).toBe(false),
  );
});

describe('repository addresses', () => {
  test.each([
    ...['https://git.example/a.git', 'http://ada:x@git.example:8080/a', 'ssh://git@git.example:22/a.git'],
    ...['git@git.example:team/app.git', 'https://[::1]/a'.replace('::1', '2606:4700:0:0:0:0:0:1')],
  ])('accepts %s', (address) => expect(repositoryProblem(address, rules)).toBeUndefined());
  test.each([
    ...['--upload-pack=touch /tmp/x', 'ext::sh', 'https://', 'https://git.example', 'git.example:a', 'ftp://a/b'],
    ...['ssh://-oProxyCommand=x/a', 'ssh://-x@git.example/a', 'git@-oProxy:a', 'git@git.example:-a', 'https://a b/c'],
    ...['https://git.example/a\n', 'https://git.example/a?x=1', 'git@git.example:a b', '/srv/a.git', 'file:///srv/a'],
    ...[
      'fd::17',
      'C:\\app',
      '../app',
      `https://git.example/${'a'.repeat(2_048)}`,
      'https://a:%zz@git.example/a',
      'https://a\\@b/c',
    ],
  ])('rejects %j', (address) => expect(repositoryProblem(address, rules)).toBeDefined());
  test('accepts local paths if the operator allows them', () => {
    for (const address of ['/srv/app.git', 'file:///srv/app.git'])
      expect(repositoryProblem(address, { ...rules, allowLocal: true })).toBeUndefined();
    expect(repositoryProblem('srv/app.git', { ...rules, allowLocal: true })).toBeDefined();
  });

  test.each([
    ['https://ada:x@git.example/a', 'https://ada:***@git.example/a'],
    ['https://t0ken@git.example/a', 'https://***@git.example/a'],
    ['https://a:b:c@d@git.example/a', 'https://a:***@git.example/a'],
    ['ssh://git@git.example/a', 'ssh://git@git.example/a'],
    ['ssh://git:pw@git.example/a', 'ssh://git:***@git.example/a'],
    ['git@git.example:a', 'git@git.example:a'],
    ['https://git.example/@scope/a', 'https://git.example/@scope/a'],
  ])('shows %s as %s', (address, shown) => expect(maskCredentials(address)).toBe(shown));

  test('never shows a password of an accepted address', () => {
    const word = fc.stringMatching(/^Zq[A-Za-z0-9!$&'()*+,;=~._-]{6,20}$/);
    fc.assert(
      fc.property(word, fc.constantFrom('https', 'http', 'ssh'), (password, scheme) => {
        const address = `${scheme}://u:${password}@git.example/app.git`;
        fc.pre(repositoryProblem(address, rules) === undefined);
        expect(maskCredentials(address)).not.toContain(password);
      }),
    );
  });
});
