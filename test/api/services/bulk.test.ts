import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { io } from 'socket.io-client';
import { WebSocket } from 'ws';
import { openManagerStore } from '../../../src/app/lifecycle/manager-store.ts';
import { createLogger } from '../../../src/lib/logger.ts';
import { type App, startApp } from '../../harness/app/app.ts';
import { type FixtureRepository, makeFixtureRepository } from '../../harness/data/fixture-repository.ts';
import { streamMessage } from '../../harness/data/stream-message.ts';
import { deploy, getTenant, makeTenant, setEnvironment, type TenantAnswer, until } from '../../harness/data/tenants.ts';
import { eachDatabase } from '../../harness/servers/mariadb.ts';

interface BulkAnswer {
  id: string;
  action: string;
  status: string;
  error: string | null;
  total: number;
  counts: Record<string, number>;
  created_by: string;
  results: { tenant_id: string; slug: string; status: string; error: { code: string; detail: string } | null }[];
}
interface Message {
  type: string;
  seq: number;
  status: string;
  counts: Record<string, number>;
  result?: { tenant_id: string; status: string } | null;
  [field: string]: unknown;
}

eachDatabase('bulk operations', (newDatabase) => {
  let directory: string;
  let databaseUrl: string;
  let repository: FixtureRepository;
  let app: App;
  const tenants: TenantAnswer[] = [];

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tenantry-bulk-'));
    repository = await makeFixtureRepository(join(directory, 'repository'));
    databaseUrl = await newDatabase();
    app = await startApp({ environment: { DATABASE_URL: databaseUrl } });
    for (const name of ['a', 'b', 'c']) tenants.push(await makeTenant(app, repository.path, { name }));
    const deployed = await Promise.all(tenants.map(({ id }) => deploy(app, id)));
    expect(deployed.map(({ status }) => status)).toEqual(['success', 'success', 'success']);
  });
  afterAll(async () => {
    await app?.stop();
    await rm(directory, { recursive: true, force: true });
  });

  const ids = () => tenants.map(({ id }) => id);
  const get = async (id: string) => (await app.call<BulkAnswer>('GET', `/api/bulk/${id}`)).body;
  const begin = async (body: Record<string, unknown>): Promise<BulkAnswer> => {
    const answer = await app.call<BulkAnswer>('POST', '/api/bulk', { body });
    expect([answer.status, answer.body]).toEqual([202, expect.objectContaining({ id: expect.any(String) })]);
    return answer.body;
  };
  const endOf = (id: string) =>
    until(
      () => get(id),
      ({ status }) => !['queued', 'running'].includes(status),
    );
  const statuses = ({ results }: BulkAnswer) => results.map(({ status }) => status);
  const startOf = async ({ id }: TenantAnswer) => {
    const { body } = await app.call<{ services: { backend: { started_at: string } } }>(
      'GET',
      `/api/tenants/${id}/services`,
    );
    return body.services.backend.started_at;
  };

  /** All messages of a plain WebSocket until one of `type`. */
  async function messages(
    path: string,
    type: string,
    whileConnected = async (): Promise<void> => {},
  ): Promise<Message[]> {
    const socket = new WebSocket(`${app.url.replace('http', 'ws')}${path}`, ['bearer', app.token]);
    const seen: Message[] = [];
    const ended = new Promise<void>((resolve, reject) => {
      socket.on('message', (data) => {
        const message = streamMessage<Message>(path, String(data));
        seen.push(message);
        if (message.type === type && message.status !== 'queued' && message.status !== 'running') resolve();
      });
      socket.once('error', reject);
    });
    await new Promise((resolve) => socket.once('open', resolve));
    await whileConnected();
    await ended;
    socket.terminate();
    return seen;
  }

  test('a restart restarts every tenant, has one result for each, and is visible to every user', async () => {
    const before = await Promise.all(tenants.map(startOf));
    const made = await begin({ action: 'restart', tenant_ids: ids(), options: { concurrency: 2 } });
    expect(made).toMatchObject({ action: 'restart', total: 3, created_by: 'admin' });
    expect(made.results.map(({ tenant_id }) => tenant_id)).toEqual(ids());
    const ended = await endOf(made.id);
    expect([ended.status, ended.error, statuses(ended)]).toEqual(['success', null, ['success', 'success', 'success']]);
    expect(ended.counts).toEqual({ pending: 0, running: 0, success: 3, failed: 0, skipped: 0 });
    const after = await Promise.all(tenants.map(startOf));
    expect(after.filter((at, index) => at > (before[index] ?? ''))).toHaveLength(3);

    const viewer = await app.userOf('viewer');
    const list = await app.call<{ bulk_operations: BulkAnswer[]; total: number }>('GET', '/api/bulk?limit=1', viewer);
    expect(list.body).toMatchObject({
      limit: 1,
      offset: 0,
      bulk_operations: [{ id: made.id, counts: ended.counts }],
    });
    expect((await app.call('POST', '/api/bulk', { ...viewer, body: { action: 'stop', filter: {} } })).status).toBe(403);
    const { body } = await app.call<{ logs: { message: string; tenant_id: string | null }[] }>(
      'GET',
      '/api/logs?category=audit&search=restart',
    );
    expect(body.logs.filter(({ message }) => message === 'admin restarted the services')).toHaveLength(3);
    expect(body.logs.map(({ message }) => message)).toContain('admin started a bulk restart of 3 tenants');
  });

  test('its stream sends each result, replays by number, and the events notify other pages', async () => {
    let id = '';
    const events = await messages('/ws/events', 'bulk', async () => {
      id = (await begin({ action: 'restart', tenant_ids: ids(), options: { concurrency: 1 } })).id;
    });
    expect(events.filter(({ type }) => type === 'bulk').at(-1)).toMatchObject({
      bulk_id: id,
      action: 'restart',
      status: 'success',
      counts: { success: 3 },
    });
    const all = await messages(`/ws/bulk/${id}`, 'complete');
    expect(all.map(({ seq }) => seq)).toEqual(all.map((_, index) => index + 1));
    const streamed = all.flatMap(({ result }) => (result ? [[result.tenant_id, result.status]] : []));
    expect(streamed).toEqual(
      ids().flatMap((one) => [
        [one, 'running'],
        [one, 'success'],
      ]),
    );
    expect(all.at(-1)).toMatchObject({ type: 'complete', bulk_id: id, status: 'success', counts: { success: 3 } });

    const socket = io(`${app.url}/streams`, { auth: { token: app.token }, transports: ['websocket'] });
    const again: Message[] = [];
    const ended = new Promise((resolve) => socket.on('closed', resolve));
    socket.on('message', (message: Message) => again.push(message));
    await socket.emitWithAck('subscribe', { stream: 'bulk', id, since: 3 });
    await ended;
    socket.close();
    expect(again).toEqual(all.slice(3));
  });

  test('a failed tenant is named with the reason, the others continue, and a retry includes only it', async () => {
    const [first, second, third] = tenants as [TenantAnswer, TenantAnswer, TenantAnswer];
    await setEnvironment(app, second.id, { MODE: 'crash' });
    const ended = await endOf((await begin({ action: 'restart', tenant_ids: ids() })).id);
    expect([ended.status, statuses(ended)]).toEqual(['failed', ['success', 'failed', 'success']]);
    expect(ended.error).toBe('1 of 3 tenants failed');
    expect(ended.results[1]?.error).toEqual({
      code: 'tenant_error',
      detail: expect.stringContaining(`The restart of ${second.slug} failed`),
    });
    await setEnvironment(app, second.id, {});
    const others = () => Promise.all([first, third].map(startOf));
    const before = await others();
    const { status, body } = await app.call<BulkAnswer>('POST', `/api/bulk/${ended.id}/retry`);
    expect([status, body.results.map(({ tenant_id }) => tenant_id)]).toEqual([202, [second.id]]);
    expect((await endOf(body.id)).status).toBe('success');
    expect(await others()).toEqual(before);
    const refused = await app.call('POST', `/api/bulk/${body.id}/retry`);
    expect([refused.status, refused.body.code]).toEqual([409, 'invalid_state']);
  });

  test('a cancel completes the current tenant and skips the others', async () => {
    const { id } = await begin({ action: 'stop', tenant_ids: ids(), options: { concurrency: 1 } });
    await until(
      () => get(id),
      (now) => statuses(now)[0] === 'running' || statuses(now)[0] === 'success',
    );
    const { status } = await app.call('POST', `/api/bulk/${id}/cancel`);
    expect(status).toBe(202);
    const ended = await endOf(id);
    expect(ended.status).toBe('cancelled');
    const ends = statuses(ended);
    expect(ends[0]).toBe('success');
    expect(ends.at(-1)).toBe('skipped');
    expect(ended.results.at(-1)?.error).toBeNull();
    // A skipped tenant is unchanged.
    const shown = await Promise.all(tenants.map(async (one) => (await getTenant(app, one.id)).status));
    expect(shown).toEqual(ends.map((end) => (end === 'success' ? 'stopped' : 'running')));
    const late = await app.call('POST', `/api/bulk/${id}/cancel`);
    expect([late.status, late.body.code]).toEqual([409, 'invalid_state']);

    const retried = await app.call<BulkAnswer>('POST', `/api/bulk/${id}/retry`);
    expect(retried.body.total).toBe(ends.filter((end) => end === 'skipped').length);
    expect((await endOf(retried.body.id)).status).toBe('success');
  });

  test('resolves a filter at the start; skips a tenant that is not deployed, with the reason', async () => {
    const bare = await makeTenant(app, repository.path);
    const made = await begin({ action: 'start', filter: {} });
    const later = await makeTenant(app, repository.path);
    const ended = await endOf(made.id);
    const of = (one: TenantAnswer) => ended.results.find(({ tenant_id }) => tenant_id === one.id);
    expect([ended.status, ended.total, of(later)]).toEqual(['success', 4, undefined]);
    expect(of(bare)).toMatchObject({ status: 'skipped', error: { code: 'not_deployed' } });
    const some = await endOf((await begin({ action: 'start', filter: { search: bare.slug } })).id);
    expect(some.results.map(({ slug }) => slug)).toEqual([bare.slug]);
    const healthy = { action: 'start', filter: { health_status: 'healthy', search: bare.slug } };
    expect((await app.call('POST', '/api/bulk', { body: healthy })).status).toBe(400);
    for (const { id } of [bare, later]) await app.call('DELETE', `/api/tenants/${id}`);
  });

  test('two operations on the same tenants: one waits for the other at each tenant, and both succeed', async () => {
    const [one, other] = await Promise.all([
      begin({ action: 'restart', tenant_ids: ids() }),
      begin({ action: 'restart', tenant_ids: ids() }),
    ]);
    expect([(await endOf(one.id)).status, (await endOf(other.id)).status]).toEqual(['success', 'success']);
  });

  test('deploys, upgrades, backs up, tags and configures, each with the result of its own operation', async () => {
    const [first, second, third] = tenants as [TenantAnswer, TenantAnswer, TenantAnswer];
    const ended = async (body: Record<string, unknown>) => endOf((await begin(body)).id);
    const kinds = async ({ id }: TenantAnswer): Promise<string[]> => {
      const { body } = await app.call<{ deployments: { kind: string; status: string }[] }>(
        'GET',
        `/api/tenants/${id}/deployments`,
      );
      return body.deployments.map(({ kind, status }) => `${kind} ${status}`);
    };
    const two = { tenant_ids: [first.id, second.id] };
    const deployed = await ended({ ...two, action: 'deploy', parameters: { target_version: 'v1.0.0' } });
    expect([deployed.status, statuses(deployed)]).toEqual(['success', ['success', 'success']]);
    expect((await getTenant(app, second.id)).version).toBe('v1.0.0');
    expect((await kinds(first)).slice(0, 2)).toEqual(['deploy success', 'deploy success']);

    const bare = await makeTenant(app, repository.path);
    const upgraded = await ended({ action: 'upgrade', tenant_ids: [...ids(), bare.id] });
    expect([upgraded.status, statuses(upgraded)]).toEqual(['success', ['success', 'success', 'skipped', 'skipped']]);
    expect(upgraded.results.slice(2).map(({ error }) => error?.code)).toEqual(['already_latest', 'not_deployed']);
    expect((await getTenant(app, first.id)).version).toBe('v1.1.0');
    expect((await kinds(first))[0]).toBe('upgrade success');

    const back = await ended({ action: 'rollback', tenant_ids: [first.id, third.id, bare.id] });
    expect([back.status, statuses(back)]).toEqual(['failed', ['success', 'failed', 'skipped']]);
    expect(back.results[1]?.error).toEqual({
      code: 'invalid_state',
      detail: 'No version older than v1.1.0 was deployed before',
    });
    expect((await getTenant(app, first.id)).version).toBe('v1.0.0');
    expect((await kinds(first)).slice(0, 2)).toEqual(['upgrade success', 'upgrade success']);
    const newer = await ended({
      action: 'rollback',
      tenant_ids: [first.id, second.id],
      parameters: { target_version: 'v1.1.0' },
    });
    expect(newer.results.map(({ error }) => error?.code)).toEqual(['invalid_state', 'already_latest']);

    const wrong = await ended({ ...two, action: 'deploy', parameters: { target_ref: 'no-such-branch' } });
    expect([wrong.status, wrong.results.map(({ error }) => error?.code)]).toEqual([
      'failed',
      ['not_found', 'not_found'],
    ]);

    const backedUp = await ended({ action: 'backup', tenant_ids: [third.id, bare.id] });
    expect([backedUp.status, statuses(backedUp)]).toEqual(['success', ['success', 'skipped']]);
    expect((await getTenant(app, third.id)).last_backup_at).toEqual(expect.any(String));
    expect((await kinds(third))[0]).toBe('backup success');

    const { last_check: checkedBefore } = (await app.call('GET', `/api/tenants/${third.id}/health`)).body;
    const checked = await ended({ action: 'check', tenant_ids: [third.id, bare.id] });
    expect([checked.status, statuses(checked)]).toEqual(['success', ['success', 'skipped']]);
    const { last_check: checkedAt } = (await app.call('GET', `/api/tenants/${third.id}/health`)).body;
    expect(Date.parse(String(checkedAt))).toBeGreaterThan(Date.parse(String(checkedBefore)));

    const all = { tenant_ids: [...ids(), bare.id] };
    await app.call('PUT', `/api/tenants/${first.id}`, { body: { tags: ['Old', 'Ohio'] } });
    const tagged = await ended({
      ...all,
      action: 'tag',
      parameters: { add_tags: ['Pilots', 'ohio'], remove_tags: ['old'] },
    });
    expect([tagged.status, tagged.counts.success]).toEqual(['success', 4]);
    for (const one of [first, bare]) expect((await getTenant(app, one.id)).tags).toEqual(['Ohio', 'Pilots']);
    const byTag = await begin({ action: 'tag', filter: { tag: 'pilots' }, parameters: { remove_tags: ['PILOTS'] } });
    expect(byTag.total).toBe(4);
    await endOf(byTag.id);
    expect((await getTenant(app, third.id)).tags).toEqual(['Ohio']);

    await setEnvironment(app, first.id, { KEPT: 'yes', GONE: 'x' });
    const config = { ws_base_url: 'wss://all.example.org', custom_env: { ADDED: 'walnut', GONE: null } };
    const configured = await ended({ action: 'configure', tenant_ids: [first.id, bare.id], parameters: { config } });
    expect([configured.status, configured.counts.success]).toEqual(['success', 2]);
    // Neither the journal nor the audit log has a value of custom_env.
    const store = await openManagerStore(databaseUrl, createLogger({ level: 'silent' }));
    const stored = await store.sequelize.query('SELECT * FROM bulk_operations').finally(() => store.close());
    const { body: log } = await app.call('GET', '/api/logs?category=audit&search=bulk%20configure');
    expect(JSON.stringify([stored, log])).not.toContain('walnut');
    expect(log).toMatchObject({
      logs: [{ details: { config: ['ws_base_url', 'custom_env.ADDED', 'custom_env.GONE'] } }],
    });
    const { body } = await app.call('GET', `/api/tenants/${first.id}/config`);
    expect(body).toMatchObject({ ws_base_url: 'wss://all.example.org', custom_env: { KEPT: 'yes', ADDED: 'walnut' } });
    expect(body.custom_env).not.toHaveProperty('GONE');
    const names = ['ADDED_A', 'ADDED_B', 'ADDED_C', 'ADDED_D'];
    const atOnce = await Promise.all(
      names.map((name) =>
        ended({
          action: 'configure',
          tenant_ids: [first.id, bare.id, third.id],
          parameters: { config: { custom_env: { [name]: 'x' } } },
        }),
      ),
    );
    expect(atOnce.map(({ counts }) => counts.success)).toEqual([3, 3, 3, 3]);
    const { body: configOfThird } = await app.call('GET', `/api/tenants/${third.id}/config`);
    expect(Object.keys(configOfThird.custom_env as object).sort()).toEqual(names);
    await setEnvironment(app, first.id, {});
    await app.call('DELETE', `/api/tenants/${bare.id}`);
  });

  test.each([
    ['an unknown action', { action: 'delete', filter: {} }, 'action'],
    ['neither tenants nor a filter', { action: 'stop' }, 'tenant_ids'],
    ['both', { action: 'stop', filter: {}, tenant_ids: ['00000000-0000-4000-8000-000000000000'] }, 'tenant_ids'],
    ['no tenant', { action: 'stop', tenant_ids: [] }, 'tenant_ids'],
    ['an unknown tenant', { action: 'stop', tenant_ids: ['00000000-0000-4000-8000-000000000000'] }, 'tenant_ids.0'],
    ['an unknown status', { action: 'stop', filter: { status: 'broken' } }, 'filter.status'],
    ['a filter without matches', { action: 'stop', filter: { search: 'no such tenant' } }, 'filter'],
    ['too many at a time', { action: 'stop', filter: {}, options: { concurrency: 21 } }, 'options.concurrency'],
    [
      'parameters of another action',
      { action: 'stop', filter: {}, parameters: { target_ref: 'x' } },
      'parameters.target_ref',
    ],
    [
      'a branch and a version',
      { action: 'deploy', filter: {}, parameters: { target_ref: 'x', target_version: 'v1' } },
      'parameters.target_ref',
    ],
    ['no tags', { action: 'tag', filter: {} }, 'parameters.add_tags'],
    ['no values', { action: 'configure', filter: {} }, 'parameters.config'],
    [
      'a wrong value',
      { action: 'configure', filter: {}, parameters: { config: { admin_email: 'x' } } },
      'parameters.config.admin_email',
    ],
    [
      'an unknown value',
      { action: 'configure', filter: {}, parameters: { config: { slug: 'x' } } },
      'parameters.config',
    ],
    [
      'a secret',
      { action: 'configure', filter: {}, parameters: { config: { custom_env: { API_KEY: 'x' } } } },
      'parameters.config.custom_env.API_KEY',
    ],
    [
      'the removal of an impossible name',
      { action: 'configure', filter: {}, parameters: { config: { custom_env: { 'bad key': null } } } },
      'parameters.config.custom_env.bad key',
    ],
    [
      'a reserved variable',
      { action: 'configure', filter: {}, parameters: { config: { custom_env: { PORT: '1' } } } },
      'parameters.config.custom_env.PORT',
    ],
  ])('rejects %s, naming the field', async (_what, body, path) => {
    const answer = await app.call<{ issues: { path: string }[] }>('POST', '/api/bulk', { body });
    expect([answer.status, answer.body.issues.map((issue) => issue.path)]).toEqual([400, [path]]);
  });

  test('an unknown operation: 404', async () => {
    for (const [method, path] of [
      ['GET', ''],
      ['POST', '/cancel'],
      ['POST', '/retry'],
    ] as const)
      expect((await app.call(method, `/api/bulk/00000000-0000-4000-8000-000000000000${path}`)).status).toBe(404);
  });
});
