import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import express from 'express';
import fc from 'fast-check';
import { QueryTypes } from 'sequelize';
import request from 'supertest';
import { type AuditLogEntry, managerActor } from '../../../src/adapters/events/audit-log-entry.ts';
import { createEventBus } from '../../../src/adapters/events/bus.ts';
import { createPorts } from '../../../src/features/ports/ports.ts';
import { reservedKeys } from '../../../src/features/tenant-config/custom-env.ts';
import { renderEnvFile } from '../../../src/features/tenant-config/env-file.ts';
import { writeEnvFile } from '../../../src/features/tenant-config/env-store.ts';
import {
  configRoutes,
  createTenantConfigs,
  type TenantConfigs,
} from '../../../src/features/tenant-config/tenant-config.ts';
import type { Tenant } from '../../../src/features/tenants/tenant.ts';
import {
  createRepositorySecrets,
  createTenantAdministration,
  createTenantRecords,
  createTenants,
  type TenantAdministration,
  type Tenants,
} from '../../../src/features/tenants/tenants.ts';
import { createThemeEditor, createThemes } from '../../../src/features/themes/themes.ts';
import { errorMiddleware } from '../../../src/lib/http/responses/errors.ts';
import { mountRoutes } from '../../../src/lib/http/routing/mount.ts';
import type { Role } from '../../../src/lib/http/routing/roles.ts';
import { createLogger } from '../../../src/lib/logger.ts';
import { createSecretBox } from '../../../src/lib/secret-box.ts';
import { eachStore } from '../../harness/servers/mariadb.ts';

const quiet = createLogger({ level: 'silent' });

describe('the environment file', () => {
  const line = (value: string): string => renderEnvFile({ KEY: value }).content.split('\n').slice(1, -1).join('\n');

  test.each([
    ['https://acme.example:8443/a?', "'https://acme.example:8443/a?'"],
    ['https://acme.example', 'https://acme.example'],
    ['', ''],
    ['two words', "'two words'"],
    ['a#b', "'a#b'"],
    ['$HOME $(id)', "'$HOME $(id)'"],
    ["it's", "`it's`"],
    ["it's `so`", '"it\'s `so`"'],
    ['a\nb', "'a\nb'"],
    ['a\\nb', "'a\\nb'"],
    ['C:\\dir\\', 'C:\\dir\\'],
    ['a\'b"c`d', 'a\'b"c`d'],
    ['=a=', '=a='],
  ])('writes %j as %s', (value, form) => {
    expect(line(value)).toBe(`KEY=${form}`);
    expect(parseEnv(renderEnvFile({ KEY: value }).content)).toEqual({ KEY: value });
  });

  test.each(['a\rb', 'a\r\nb', '\'"`\n', ' \'"`', '\'"`#', 'a\n\\'])('leaves out %j and reports it', (value) => {
    const { content, omitted } = renderEnvFile({ BEFORE: '1', KEY: value, AFTER: '2' });
    expect(omitted).toEqual(['KEY']);
    expect(content).toContain('# KEY:');
    expect(parseEnv(content)).toEqual({ BEFORE: '1', AFTER: '2' });
  });

  test('Node’s parser reads back every written value, in any combination', () => {
    const piece = fc.constantFrom(
      "'",
      '"',
      '`',
      '\n',
      '\r',
      '$',
      '#',
      '\\',
      '\\n',
      ' ',
      '=',
      '{',
      'a',
      'é',
      '🎈',
      '\t',
      '\u2028',
    );
    const value = fc.oneof(
      fc.array(piece, { maxLength: 12 }).map((parts) => parts.join('')),
      fc.string({ unit: 'binary' }),
    );
    const key = fc.stringMatching(/^[A-Z_][A-Z0-9_]{0,8}$/);
    fc.assert(
      fc.property(fc.dictionary(key, value, { noNullPrototype: true, maxKeys: 6 }), (environment) => {
        const { content, omitted } = renderEnvFile(environment);
        const kept = Object.entries(environment).filter(([name]) => !omitted.includes(name));
        expect(parseEnv(content)).toEqual(Object.fromEntries(kept));
        for (const name of omitted) expect(environment[name]).toMatch(/[\r\n'"`\\#$\s\0]/);
      }),
      { numRuns: 2_000 },
    );
  });

  test('is private, replaced atomically, and keeps the last ten versions', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'tenantry-env-'));
    const at = (second: number) => new Date(Date.UTC(2026, 10, 20, 11, 0, second));
    const path = join(directory, '.env');
    expect(await writeEnvFile(directory, 'A=0\n', at(0))).toEqual({ path, backup: null });
    await writeFile(join(directory, '.env.mine.bak'), 'not ours');
    for (let number = 1; number <= 12; number += 1) await writeEnvFile(directory, `A=${number}\n`, at(number));
    // Twice in the same millisecond.
    const { backup } = await writeEnvFile(directory, 'A=13\n', at(12));
    expect(backup).toBe(join(directory, '.env.20261120T110012000Z-2.bak'));
    expect(await readFile(backup ?? '', 'utf8')).toBe('A=12\n');
    const names = await readdir(directory);
    expect(names.filter((name) => name !== '.env' && name !== '.env.mine.bak')).toHaveLength(10);
    expect(names).toContain('.env.mine.bak');
    for (const name of ['.env', '.env.20261120T110012000Z-2.bak'])
      expect((await stat(join(directory, name))).mode & 0o777).toBe(0o600);
    await rm(directory, { recursive: true });
  });

  test('replaces a link in its place, and neither follows nor copies it', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'tenantry-env-'));
    const elsewhere = join(directory, 'elsewhere');
    await writeFile(elsewhere, 'private');
    await mkdir(join(directory, 'tenant'));
    await symlink(elsewhere, join(directory, 'tenant', '.env'));
    expect((await writeEnvFile(join(directory, 'tenant'), 'A=1\n', new Date())).backup).toBeNull();
    expect(await readFile(elsewhere, 'utf8')).toBe('private');
    expect(await readFile(join(directory, 'tenant', '.env'), 'utf8')).toBe('A=1\n');
    await rm(directory, { recursive: true });
  });
});

eachStore('tenant configuration', (store) => {
  let directory: string;
  let tenants: Tenants;
  let administration: TenantAdministration;
  let configs: TenantConfigs;
  let entries: AuditLogEntry[];
  let tenant: Tenant;
  let sharedApiKey: string | undefined;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tenantry-config-'));
  });
  afterAll(() => rm(directory, { recursive: true, force: true }));

  const open = (): void => {
    const clock = { now: () => new Date('2026-11-20T11:00:00.000Z') };
    const secretBox = createSecretBox('k'.repeat(32));
    const writeAuditLog = async (entry: AuditLogEntry) => void entries.push(entry);
    const events = createEventBus(quiet);
    const ports = createPorts({
      ...{ store: store(), clock, pool: { start: 32_300, end: 32_399 } },
      isListening: async () => false,
    });
    const records = createTenantRecords(store(), ports);
    const repositorySecrets = createRepositorySecrets(secretBox, {
      allowLocal: false,
      hosts: { problemOf: () => undefined },
    });
    const common = { store: store(), clock, writeAuditLog, records, ports, repositorySecrets };
    tenants = createTenants({ ...common, events });
    const themes = createThemes({
      ...{ store: store(), clock, events, logger: quiet },
      directory: join(directory, 'themes'),
    });
    configs = createTenantConfigs({
      ...{ store: store(), clock, writeAuditLog, secretBox, tenants, sharedApiKey },
      themes,
    });
    const environmentOf = (owner: Tenant) =>
      configs.environmentOf(owner, {
        databaseUrl: 'sqlite:/data/app.db',
        importDirectory: '/tmp/imports/acme',
        version: 'v1.0.0',
        commit: 'abc',
      });
    const themeEditor = createThemeEditor({
      ...{ themes, tenants, configs, environmentOf, writeAuditLog, logger: quiet },
      engine: { assertIdle: () => undefined, exclusive: (_id, _name, work) => work() },
      runtime: { isLive: async () => true },
      deployments: { specsOf: async () => [] },
      services: { restart: async () => ({ message: '', services: { frontend: 'active', backend: 'active' } }) },
    });
    administration = createTenantAdministration({
      ...{ ...common, tenants, dataDirectory: directory, configs, themes },
      engine: { assertIdle: () => undefined },
      health: { lastDetails: () => undefined, responseMs: () => 42 },
      backups: { lastOf: async (ids) => new Map(ids.map((id) => [id, new Date('2026-11-20T10:00:00Z')])) },
      sites: { sync: async () => undefined },
      source: { detailsOf: async () => undefined },
      updates: { updateOf: () => null },
      removeResources: async () => ({ files: false, proxy: false, services: false }),
    });
    app = express()
      .use(
        mountRoutes([...configRoutes(configs, { tenants, writeAuditLog }, environmentOf), ...themeEditor.routes], {
          authenticate: async (asked) => ({
            userId: 'u1',
            username: 'ada',
            role: (asked.get('x-role') ?? 'operator') as Role,
            mustChangePassword: false,
          }),
          checkAnswers: true,
        }),
      )
      .use(errorMiddleware(quiet));
  };
  let app: express.Express;

  beforeEach(async () => {
    await store().sequelize.getQueryInterface().bulkDelete('tenants', {});
    entries = [];
    sharedApiKey = undefined;
    open();
    tenant = await administration.create(
      { name: 'Acme', slug: 'acme', domain: 'acme.example', apiDomain: 'api.acme.example' },
      managerActor,
    );
    await rm(tenant.directory, { recursive: true, force: true });
    entries.length = 0;
  });

  const path = (): string => `/api/tenants/${tenant.id}/config`;
  const get = async () => (await request(app).get(path()).set('x-role', 'viewer').expect(200)).body;
  const put = (body: object) => request(app).put(path()).send(body);

  test('a new tenant has a configuration with its own name and domains', async () => {
    expect(await get()).toEqual({
      id: expect.any(String),
      tenant_id: tenant.id,
      app_name: 'Acme',
      app_name_short: 'Acme',
      project_name: 'acme',
      admin_email: 'admin@acme.example',
      frontend_url: 'https://acme.example',
      backend_api_url: 'https://api.acme.example',
      ws_base_url: 'wss://api.acme.example',
      local_embed_model: expect.any(String),
      local_llm_model: expect.any(String),
      local_base_url: expect.stringMatching(/^http:/),
      custom_env: {},
      revision: 1,
    });
  });

  test('unchanged values follow the tenant; changed values stay', async () => {
    await put({ backend_api_url: 'https://other.example/api', app_name: 'Acme' }).expect(200);
    await administration.update(
      tenant.id,
      { domain: 'new.example', apiDomain: 'api.new.example', name: 'New' },
      managerActor,
    );
    expect(await get()).toMatchObject({
      app_name: 'New',
      frontend_url: 'https://new.example',
      ws_base_url: 'wss://api.new.example',
      backend_api_url: 'https://other.example/api',
    });
  });

  test('accepts a configuration as it was read; replaces custom_env as a whole', async () => {
    const first = await put({ custom_env: { A: '1', B: 'two\nlines' }, local_llm_model: 'big' }).expect(200);
    expect((await put(first.body).expect(200)).body).toEqual(first.body);
    expect(first.body.revision).toBe(2);
    expect((await put({ custom_env: { C: '3' } }).expect(200)).body).toMatchObject({
      custom_env: { C: '3' },
      local_llm_model: 'big',
    });
    expect(await get()).toMatchObject({ custom_env: { C: '***hidden***' } });
    expect((await put({ tenant_id: 'other' }).expect(400)).body.issues[0].path).toBe('tenant_id');
    await request(app).put('/api/tenants/none/config').send({}).expect(404);
    await request(app).get('/api/tenants/none/config').expect(404);
    await request(app).put(path()).set('x-role', 'viewer').send({}).expect(403);
  });

  test('rejects a change of an older revision, and its plan; accepts one without a revision', async () => {
    const read = await get();
    await put({ app_name: 'First', revision: read.revision }).expect(200);
    const stale = { app_name: 'Second', revision: read.revision };
    const refused = await put(stale).expect(409);
    expect(refused.body).toMatchObject({ code: 'invalid_state', detail: expect.stringContaining('Read it again') });
    const plan = (body: object) => request(app).post(`${path()}/plan`).send(body);
    await plan(stale).expect(409);
    await plan({ ...stale, revision: read.revision + 1 }).expect(200);
    expect(await get()).toMatchObject({ app_name: 'First', revision: read.revision + 1 });
    await put({ app_name: 'Third' }).expect(200);
    expect(await get()).toMatchObject({ app_name: 'Third', revision: read.revision + 2 });
  });

  const history = async (query = '') => (await request(app).get(`${path()}/history${query}`).expect(200)).body;
  const revert = (body: object) => request(app).post(`${path()}/revert`).send(body);

  test('its history names each change, who made it and when, without secrets', async () => {
    expect(await history()).toMatchObject({ revisions: [], total: 0 });
    await put({ custom_env: { A: '1', SMTP_PASSWORD: 'plum' } }).expect(200);
    await put({ custom_env: { A: '2', SMTP_PASSWORD: 'pear' }, app_name: 'New' }).expect(200);
    await put({ app_name: 'New' }).expect(200);
    const created_at = '2026-11-20T11:00:00.000Z';
    const custom = { field: 'custom_env' };
    expect(await history()).toEqual({
      revisions: [
        {
          ...{ revision: 3, username: 'ada', created_at },
          changes: [
            { field: 'app_name', entry: null, before: 'Acme', after: 'New' },
            { ...custom, entry: 'A', before: '1', after: '2' },
            { ...custom, entry: 'SMTP_PASSWORD', before: '***hidden***', after: '***hidden***' },
          ],
        },
        {
          ...{ revision: 2, username: 'ada', created_at },
          changes: [
            { ...custom, entry: 'A', before: null, after: '1' },
            { ...custom, entry: 'SMTP_PASSWORD', before: null, after: '***hidden***' },
          ],
        },
        { revision: 1, username: null, created_at, changes: [] },
      ],
      total: 3,
      ...{ limit: 50, offset: 0 },
    });
    const second = await history('?limit=1&offset=1');
    expect(second.revisions).toMatchObject([{ revision: 2, changes: [{ entry: 'A' }, { entry: 'SMTP_PASSWORD' }] }]);
    await request(app).get(`${path()}/history`).set('x-role', 'viewer').expect(403);
    await request(app).get('/api/tenants/none/config/history').expect(404);
  });

  test('returns to an earlier revision, secrets included; refuses it when the configuration has changed since', async () => {
    await put({ custom_env: { SMTP_PASSWORD: 'plum' } }).expect(200);
    await put({ custom_env: {}, app_name: 'New', local_llm_model: 'big' }).expect(200);
    await revert({ to: 2, revision: 2 }).expect(409);
    await revert({ to: 9 }).expect(404);
    await revert({ to: 2 }).set('x-role', 'viewer').expect(403);
    expect((await revert({ to: 2, revision: 3 }).expect(200)).body).toMatchObject({
      ...{ app_name: 'Acme', local_llm_model: 'llama3.2', revision: 4 },
      custom_env: { SMTP_PASSWORD: 'plum' },
    });
    expect((await history()).revisions[0]).toMatchObject({ revision: 4, username: 'ada' });
    expect(JSON.stringify(await store().sequelize.query('SELECT * FROM tenant_config_revisions'))).not.toContain(
      'plum',
    );
  });

  test('changes made at once have a revision each, in the order in which they apply', async () => {
    const names = Array.from({ length: 8 }, (_, at) => `Name ${at}`);
    await Promise.all(names.map((app_name) => put({ app_name }).expect(200)));
    const { revisions } = await history();
    expect(revisions.map(({ revision }: { revision: number }) => revision)).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1]);
    const changes: { before: string; after: string }[] = revisions
      .slice(0, -1)
      .map(({ changes: [change] }: { changes: { before: string; after: string }[] }) => change);
    expect(changes.map(({ after }) => after).sort()).toEqual(names);
    expect(changes.map(({ before }) => before)).toEqual([...changes.slice(1).map(({ after }) => after), 'Acme']);
    expect((await get()).app_name).toBe(changes[0]?.after);
  });

  test('of returns to earlier revisions made at once, based on the same one, a single one succeeds', async () => {
    await put({ app_name: 'First' }).expect(200);
    await put({ app_name: 'Second' }).expect(200);
    const answers = await Promise.all([1, 2, 1, 2].map((to) => revert({ to, revision: 3 })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
    expect((await history()).total).toBe(4);
  });

  test('keeps the last 100 revisions', async () => {
    for (let change = 1; change <= 101; change += 1) await put({ app_name: `Name ${change}` }).expect(200);
    const { revisions, total } = await history('?limit=500');
    expect([total, revisions[0].revision, revisions.at(-1).revision]).toEqual([100, 102, 3]);
  });

  test('hides values of custom_env from viewers, and secrets on request; keeps them when they are sent back hidden', async () => {
    const custom_env = {
      SMTP_PASSWORD: 'plum tractor',
      QUEUE: 'amqp://me:plum@queue.example',
      PASSAGE: 'wide',
      MOTTO: 'open',
    };
    const hidden = { ...custom_env, SMTP_PASSWORD: '***hidden***', QUEUE: '***hidden***' };
    expect((await put({ custom_env }).expect(200)).body.custom_env).toEqual(custom_env);
    const viewed = Object.fromEntries(Object.keys(custom_env).map((key) => [key, '***hidden***']));
    expect((await get()).custom_env).toEqual(viewed);
    const asked = await request(app).get(`${path()}?hide_secrets=true`).expect(200);
    expect(asked.body.custom_env).toEqual(hidden);
    const changed = { ...hidden, MOTTO: 'closed' };
    const answer = await request(app).put(`${path()}?hide_secrets=true`).send({ custom_env: changed }).expect(200);
    expect(answer.body.custom_env).toEqual(changed);
    expect((await request(app).get(path()).expect(200)).body.custom_env).toEqual({ ...custom_env, MOTTO: 'closed' });
    const none = await put({ custom_env: { NEW_TOKEN: '***hidden***' } }).expect(400);
    expect(none.body.issues[0].path).toBe('custom_env.NEW_TOKEN');
  });

  test('a plan shows the changes without secrets and changes nothing', async () => {
    await put({ custom_env: { A: '1', SMTP_PASSWORD: 'plum' } }).expect(200);
    entries.length = 0;
    const plan = (body: object) => request(app).post(`${path()}/plan`).send(body);
    const { body } = await plan({
      app_name: 'New',
      project_name: 'acme',
      custom_env: { SMTP_PASSWORD: 'pear', B: '2' },
    }).expect(200);
    const custom = { field: 'custom_env' };
    expect(body).toEqual({
      changes: [
        { field: 'app_name', entry: null, before: 'Acme', after: 'New' },
        { ...custom, entry: 'A', before: '1', after: null },
        { ...custom, entry: 'SMTP_PASSWORD', before: '***hidden***', after: '***hidden***' },
        { ...custom, entry: 'B', before: null, after: '2' },
      ],
    });
    const kept = await plan({ custom_env: { A: '1', SMTP_PASSWORD: '***hidden***' } }).expect(200);
    expect(kept.body).toEqual({ changes: [] });
    expect((await plan({ admin_email: 'nobody' }).expect(400)).body.issues[0].path).toBe('admin_email');
    await request(app).post(`${path()}/plan`).set('x-role', 'viewer').send({}).expect(403);
    await request(app).post('/api/tenants/none/config/plan').send({}).expect(404);
    expect(await get()).toMatchObject({ app_name: 'Acme', custom_env: { A: '***hidden***' } });
    expect(entries).toEqual([]);
  });

  test.each([
    ['app_name', ''],
    ['app_name', 'x'.repeat(121)],
    ['app_name', 'a\nb'],
    ['admin_email', 'nobody'],
    ['admin_email', 'a@b.example\nBcc: x'],
    ['frontend_url', 'acme.example'],
    ['frontend_url', 'javascript:alert(1)'],
    ['backend_api_url', 'https://a b'],
    ['backend_api_url', 'https:acme.example'],
    ['ws_base_url', 'https://acme.example'],
    ['local_base_url', 5],
    ['custom_env', []],
    ['custom_env.lower', { lower: 'x' }],
    ['custom_env.1ST', { '1ST': 'x' }],
    ['custom_env.A B', { 'A B': 'x' }],
    ['custom_env.LONG', { LONG: 'x'.repeat(8_193) }],
    ['custom_env.NUL', { NUL: 'a\0b' }],
    ['custom_env.NUMBER', { NUMBER: 5 }],
    ...[...reservedKeys].map((key) => [`custom_env.${key}`, { [key]: 'x' }] as const),
    ...['BASH_ENV', 'ENV', 'HOME', 'LD_DEBUG', 'NODE_PATH', 'NODE_EXTRA_CA_CERTS'].map(
      (key) => [`custom_env.${key}`, { [key]: 'x' }] as const,
    ),
    ['unknown', 'x'],
  ])('rejects %s by field: %j', async (field, value) => {
    const { body } = await put({ [field.split('.')[0] ?? '']: value }).expect(400);
    expect(body).toMatchObject({ code: 'validation_error', issues: [{ path: field }] });
  });

  test('the audit log shows changes without any value of custom_env', async () => {
    await put({ app_name: 'B', custom_env: { SMTP_PASSWORD: 'pw-1', FLAG: 'on', BROKER: 'amqp://u:pw-2@h' } }).expect(
      200,
    );
    await put({ custom_env: { SMTP_PASSWORD: 'pw-3', FLAG: 'off' } }).expect(200);
    await put({ app_name: 'B' }).expect(200);
    expect(entries.map(({ details }) => details?.changes)).toEqual([
      {
        app_name: { before: 'Acme', after: 'B' },
        custom_env: {
          SMTP_PASSWORD: { before: null, after: '***hidden***' },
          FLAG: { before: null, after: '***hidden***' },
          BROKER: { before: null, after: '***hidden***' },
        },
      },
      {
        custom_env: {
          SMTP_PASSWORD: { before: '***hidden***', after: '***hidden***' },
          FLAG: { before: '***hidden***', after: '***hidden***' },
          BROKER: { before: '***hidden***', after: null },
        },
      },
    ]);
    expect(JSON.stringify(entries)).not.toMatch(/pw-\d/);
  });

  test('the store has no value of custom_env in plain text', async () => {
    await put({ app_name: 'B', custom_env: { WEBHOOK: 'https://hooks.example/T0KEN', B: '2' } }).expect(200);
    const stored = await store().sequelize.query('SELECT * FROM tenant_configs', { type: QueryTypes.SELECT });
    expect(JSON.stringify(stored)).not.toMatch(/T0KEN|WEBHOOK/);
  });

  test('each tenant has its own sealed secrets, or the shared key', async () => {
    const secrets = await configs.secretsOf(tenant.id);
    expect(new Set(Object.values(secrets)).size).toBe(3);
    for (const secret of Object.values(secrets)) expect(secret).toMatch(/^[\w-]{32,}$/);
    const rows = JSON.stringify(
      await store().sequelize.query('SELECT * FROM tenant_configs', { type: QueryTypes.SELECT }),
    );
    for (const secret of Object.values(secrets)) expect(rows).not.toContain(secret);
    sharedApiKey = 'one-key-for-all';
    open();
    expect(await configs.secretsOf(tenant.id)).toEqual({ ...secrets, apiKey: 'one-key-for-all' });
    await expect(configs.secretsOf('none')).rejects.toMatchObject({ code: 'not_found' });
  });

  test('the environment has the contract’s entries in order, custom ones last', async () => {
    await put({ custom_env: { EXTRA: 'x', THEME_TEXT_COLOR: '#000000' } }).expect(200);
    const facts = { databaseUrl: null, importDirectory: '/tmp/imports/acme', version: null, commit: null };
    const without = await configs.environmentOf(tenant, facts);
    expect(without).toMatchObject({ APP_VERSION: '', APP_COMMIT: '', THEME_TEXT_COLOR: '#000000', EXTRA: 'x' });
    expect(without).not.toHaveProperty('DATABASE_URL');
    const environment = await configs.environmentOf(tenant, { ...facts, databaseUrl: 'sqlite:/d', version: 'v1.0.0' });
    expect(Object.keys(environment)).toEqual([
      ...[
        'TENANT_SLUG',
        'APP_NAME',
        'APP_NAME_SHORT',
        'PROJECT_NAME',
        'ADMIN_EMAIL',
        'FRONTEND_URL',
        'BACKEND_API_URL',
      ],
      ...['WS_BASE_URL', 'LOCAL_EMBED_MODEL', 'LOCAL_LLM_MODEL', 'LOCAL_BASE_URL', 'DATABASE_URL', 'API_KEYS'],
      ...['SECRET_KEY', 'IMPORT_DIR', 'THEME_PRIMARY_COLOR', 'THEME_SECONDARY_COLOR', 'THEME_ACCENT_COLOR'],
      ...['THEME_TEXT_COLOR', 'THEME_SIDEBAR_COLOR', 'APP_VERSION', 'APP_COMMIT', 'EXTRA'],
    ]);
    const { apiKey, secretKey } = await configs.secretsOf(tenant.id);
    expect(environment).toMatchObject({ API_KEYS: apiKey, SECRET_KEY: secretKey, DATABASE_URL: 'sqlite:/d' });
  });

  test('regenerate-env writes the file and returns the path of the backup', async () => {
    const regenerate = () => request(app).post(`${path()}/regenerate-env`);
    const first = await regenerate().expect(200);
    expect(first.body).toEqual({
      message: 'Environment file written',
      path: join(directory, 'tenants', 'acme', '.env'),
      backup: null,
    });
    await put({ custom_env: { MOTTO: 'a "b"\n$c', BAD: 'a\rb' } }).expect(200);
    const second = (await regenerate().expect(200)).body;
    expect(second.message).toContain('without BAD');
    expect(second.backup).toBe(join(directory, 'tenants', 'acme', '.env.20261120T110000000Z.bak'));
    const written = parseEnv(await readFile(second.path, 'utf8'));
    expect(written).toMatchObject({ MOTTO: 'a "b"\n$c', TENANT_SLUG: 'acme', APP_VERSION: 'v1.0.0' });
    expect(parseEnv(await readFile(second.backup, 'utf8'))).not.toHaveProperty('MOTTO');
    const { apiKey } = await configs.secretsOf(tenant.id);
    expect(written.API_KEYS).toBe(apiKey);
    expect(JSON.stringify(entries)).not.toContain(apiKey);
    await request(app).post(`${path()}/regenerate-env`).set('x-role', 'viewer').expect(403);
  });

  test('a new tenant has a theme in the default colours', async () => {
    const { body } = await request(app).get(`/api/tenants/${tenant.id}/theme`).set('x-role', 'viewer').expect(200);
    expect(body).toMatchObject({
      tenant_id: tenant.id,
      primary_color: expect.stringMatching(/^#[0-9A-F]{6}$/),
      logo_full: null,
      ai_generated: false,
      source_website: null,
      created_at: '2026-11-20T11:00:00.000Z',
    });
    await request(app).get('/api/tenants/none/theme').expect(404);
  });

  test('a tenant’s related records are deleted with it', async () => {
    await put({ app_name: 'New' }).expect(200);
    await tenants.remove(tenant.id, managerActor);
    for (const table of [
      'tenant_configs',
      'tenant_config_revisions',
      'tenant_themes',
      'tenant_domains',
      'port_allocations',
    ])
      expect(await store().sequelize.query(`SELECT * FROM ${table}`, { type: QueryTypes.SELECT })).toEqual([]);
    await expect(configs.get(tenant.id)).rejects.toMatchObject({ code: 'not_found' });
  });
});
