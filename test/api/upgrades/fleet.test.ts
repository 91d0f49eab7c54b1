import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { WebSocket } from 'ws';
import { type Answer, type App, startApp } from '../../harness/app/app.ts';
import { type FixtureRepository, makeFixtureRepository } from '../../harness/data/fixture-repository.ts';
import { streamMessage } from '../../harness/data/stream-message.ts';
import {
  type DeploymentAnswer,
  deploy,
  makeTenant,
  setEnvironment,
  type TenantAnswer,
  until,
} from '../../harness/data/tenants.ts';

interface FleetAnswer {
  id: string;
  status: string;
  reason: string | null;
  current_ring: number;
  counts: Record<string, number>;
  tenants: { slug: string; ring: number | null; status: string; reason: string | null; deployment_id: string | null }[];
}

describe('fleet upgrades, on local processes', () => {
  let directory: string;
  let repository: FixtureRepository;
  let app: App;
  const tenants: TenantAnswer[] = [];

  /** A version whose installation is counted, and takes its time. */
  const release = (version: string, ms = 0) =>
    repository.release(version, {
      'install.js': `require('node:fs').appendFileSync(${JSON.stringify(join(directory, version))}, 'x'); setTimeout(() => {}, ${ms});\n`,
    });
  const installations = async (version: string) => (await readFile(join(directory, version), 'utf8')).length;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tenantry-fleet-'));
    repository = await makeFixtureRepository(join(directory, 'repository'));
    await release('v1.2.0', 300);
    await release('v1.3.0', 500);
    app = await startApp();
    for (const name of ['a', 'b', 'c', 'd']) tenants.push(await makeTenant(app, repository.path, { name }));
    const deployed = await Promise.all(tenants.map(({ id }) => deploy(app, id, { target_version: 'v1.0.0' })));
    expect(deployed.map(({ status }) => status)).toEqual(['success', 'success', 'success', 'success']);
  });
  afterAll(async () => {
    const { body } = await app.call<{ tenants: TenantAnswer[] }>('GET', '/api/tenants');
    for (const { id } of body.tenants) await app.call('DELETE', `/api/tenants/${id}?remove_files=true`);
    await app.stop();
    await rm(directory, { recursive: true, force: true });
  });

  const ids = () => tenants.map(({ id }) => id);
  const ask = (body: Record<string, unknown>, query = ''): Promise<Answer<FleetAnswer>> =>
    app.call<FleetAnswer>('POST', `/api/upgrades${query}`, { body: { tenant_ids: ids(), ...body } });
  const begin = async (body: Record<string, unknown>): Promise<FleetAnswer> => {
    const { status, body: made } = await ask(body);
    expect([status, made]).toEqual([202, expect.objectContaining({ id: expect.any(String) })]);
    return made;
  };
  const get = async (id: string) => (await app.call<FleetAnswer>('GET', `/api/upgrades/${id}`)).body;
  const act = (id: string, action: string) => app.call<FleetAnswer>('POST', `/api/upgrades/${id}/${action}`);
  const see = (id: string, wanted: (fleet: FleetAnswer) => boolean) => until(() => get(id), wanted);
  const states = ({ tenants: all }: FleetAnswer) => all.map(({ status }) => status).join(' ');
  const serves = async ({ backend_port }: TenantAnswer) =>
    ((await (await fetch(`http://127.0.0.1:${backend_port}/env`)).json()) as { APP_VERSION: string }).APP_VERSION;
  const upgradesOf = async (id: string) => {
    const { body } = await app.call<{ deployments: (DeploymentAnswer & { kind: string })[] }>(
      'GET',
      `/api/tenants/${id}/deployments`,
    );
    return body.deployments.filter(({ kind }) => kind === 'upgrade');
  };

  test.each([
    ['no version of that name', { target_version: 'v9.9.9' }, 404, undefined],
    ['an invalid version', { target_version: 'newest' }, 400, 'target_version'],
    ['rings that shrink', { target_version: 'v1.2.0', rings: ['50%', '10%'] }, 400, 'rings.1'],
    ['an unknown tenant', { tenant_ids: ['1b4e28ba-2fa1-4d2b-883f-0016d3cca427'] }, 400, 'tenant_ids.0'],
    ['a filter without matches', { tenant_ids: undefined, filter: { search: 'missing' } }, 400, 'filter'],
  ])('rejects %s', async (_what, body, status, path) => {
    const answer = await app.call<{ issues?: { path: string }[] }>('POST', '/api/upgrades', {
      body: { target_version: 'v1.2.0', tenant_ids: ids(), ...body },
    });
    expect([answer.status, answer.body.issues?.[0]?.path]).toEqual([status, path]);
  });

  test('shows a plan, and changes nothing', async () => {
    const undeployed = await makeTenant(app, repository.path, { name: 'undeployed' });
    const { status, body } = await ask(
      { target_version: 'v1.2.0', tenant_ids: [...ids(), undeployed.id] },
      '?dry_run=true',
    );
    const place = ({ id, slug }: TenantAnswer) => ({ tenant_id: id, slug, from_version: 'v1.0.0' });
    expect([status, body]).toEqual([
      200,
      {
        dry_run: true,
        target_version: 'v1.2.0',
        rings: [
          { ring: 1, tenants: tenants.slice(0, 1).map(place) },
          { ring: 2, tenants: [] },
          { ring: 3, tenants: tenants.slice(1).map(place) },
        ],
        skipped: [{ tenant_id: undeployed.id, slug: undeployed.slug, from_version: null, reason: 'Not deployed' }],
      },
    ]);
    expect((await app.call('GET', '/api/upgrades')).body).toMatchObject({ upgrades: [], total: 0 });
    await app.call('DELETE', `/api/tenants/${undeployed.id}`);
  });

  test('a failure in the first ring halts it, the rest is unchanged; resumed, it continues; the version is built once', async () => {
    const socket = new WebSocket(`${app.url.replace('http', 'ws')}/ws/events`, {
      headers: { authorization: `Bearer ${app.token}` },
    });
    const news: Record<string, unknown>[] = [];
    socket.on('message', (data) => news.push(streamMessage('/ws/events', String(data))));
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    const [a, b, c, d] = tenants as [TenantAnswer, TenantAnswer, TenantAnswer, TenantAnswer];
    await setEnvironment(app, b.id, { MIGRATION: 'fail' });

    const fleet = await begin({ target_version: 'v1.2.0', rings: [2, '100%'], backup_db: false });
    const halted = await see(
      fleet.id,
      (seen) => seen.status === 'halted' && states(seen).startsWith('succeeded failed'),
    );
    expect(states(halted)).toBe('succeeded failed waiting waiting');
    expect(halted.reason).toContain('exit code 7');
    expect(halted.tenants[1]?.reason).toContain('Rolled back');
    expect(await Promise.all(tenants.map(serves))).toEqual(['v1.2.0', 'v1.0.0', 'v1.0.0', 'v1.0.0']);
    expect([await upgradesOf(c.id), await upgradesOf(d.id)]).toEqual([[], []]);

    const metrics = await app.call<{ text: string }>('GET', '/metrics');
    expect(metrics.body.text).toContain('tenantry_fleet_upgrades{status="halted"} 1');

    // A tenant that waits in one fleet upgrade is not included in another.
    const other = await ask({ target_version: 'v1.2.0', tenant_ids: [c.id] });
    expect(other.body.tenants[0]?.reason).toBe(`Already in fleet upgrade ${fleet.id}`);

    expect((await act(fleet.id, 'resume')).status).toBe(202);
    const ended = await see(fleet.id, ({ status }) => status === 'completed');
    expect(states(ended)).toBe('succeeded failed succeeded succeeded');
    expect(ended.counts).toEqual({ total: 4, waiting: 0, upgrading: 0, succeeded: 3, failed: 1, skipped: 0 });
    expect(await Promise.all(tenants.map(serves))).toEqual(['v1.2.0', 'v1.0.0', 'v1.2.0', 'v1.2.0']);
    for (const { id } of tenants) expect(await upgradesOf(id)).toHaveLength(1);
    expect(await installations('v1.2.0')).toBe(1);

    await until(
      async () => news.at(-1),
      (last) => last?.fleet_status === 'completed',
    );
    socket.close();
    const ofFleet = news.filter(({ type, fleet_id }) => type === 'upgrade' && fleet_id === fleet.id);
    const published = (tenantId: string | null) => ofFleet.filter(({ tenant_id }) => tenant_id === tenantId);
    expect(published(a.id).map(({ status }) => status)).toEqual(['upgrading', 'succeeded']);
    expect(published(b.id).map(({ status }) => status)).toEqual(['upgrading', 'failed']);
    const whole = published(null).map(({ fleet_status }) => fleet_status);
    expect(whole).toEqual(['pending', 'running', 'halted', 'running', 'completed']);
    const { body } = await app.call<{ logs: { message: string }[] }>('GET', '/api/logs?category=audit');
    const audit = body.logs.map(({ message }) => message);
    expect(audit).toContain(`Fleet upgrade ${fleet.id} to v1.2.0: started by admin`);
    expect(audit).toContain(`Fleet upgrade ${fleet.id} to v1.2.0: resumed by admin`);
    const timeline = await app.call<{ entries: { severity: string }[] }>('GET', '/api/timeline?kinds=upgrade');
    expect(timeline.body.entries.find(({ severity }) => severity === 'error')).toMatchObject({
      title: expect.stringContaining(`${fleet.id} to v1.2.0: halted`),
      link: { type: 'fleet_upgrade', id: fleet.id },
    });
  });

  test('skips a tenant for which the version has failed, unless requested', async () => {
    const passed = await begin({ target_version: 'v1.2.0', tenant_ids: undefined, filter: {} });
    const ended = await see(passed.id, ({ status }) => status === 'completed');
    expect(states(ended)).toBe('skipped skipped skipped skipped');
    const reasons = ended.tenants.map(({ reason }) => reason);
    expect(reasons.filter((reason) => reason === 'Already runs v1.2.0')).toHaveLength(3);
    expect(reasons.filter((reason) => reason?.includes('An earlier upgrade to v1.2.0 failed'))).toHaveLength(1);

    await setEnvironment(app, tenants[1]?.id ?? '', {});
    const again = await begin({ target_version: 'v1.2.0', retry_failed: true });
    expect(states(await see(again.id, ({ status }) => status === 'completed'))).toBe(
      'skipped succeeded skipped skipped',
    );
    expect(await Promise.all(tenants.map(serves))).toEqual(['v1.2.0', 'v1.2.0', 'v1.2.0', 'v1.2.0']);
  });

  test('paused and cancelled, running upgrades end and no more start; a deleted tenant is skipped', async () => {
    const [a, , c, d] = tenants as [TenantAnswer, TenantAnswer, TenantAnswer, TenantAnswer];
    const fleet = await begin({ target_version: 'v1.3.0', rings: [1, '100%'] });
    await see(fleet.id, (seen) => states(seen).startsWith('upgrading'));
    const paused = await act(fleet.id, 'pause');
    expect([paused.status, paused.body.status]).toEqual([200, 'paused']);
    const rested = await see(fleet.id, (seen) => !states(seen).includes('upgrading'));
    expect([rested.status, states(rested)]).toEqual(['paused', 'succeeded waiting waiting waiting']);
    expect((await act(fleet.id, 'pause')).status).toBe(409);

    expect((await app.call('DELETE', `/api/tenants/${d.id}?remove_files=true`)).status).toBe(200);
    tenants.pop();
    const without = await see(fleet.id, (seen) => states(seen) === 'succeeded waiting waiting skipped');
    expect(without.tenants[3]).toMatchObject({ slug: d.slug, reason: 'Deleted' });

    await app.call('PUT', '/api/settings/deployment_concurrency', { body: { value: '1' } });
    expect((await act(fleet.id, 'resume')).status).toBe(202);
    await see(fleet.id, (seen) => states(seen) === 'succeeded upgrading waiting skipped');
    const cancelled = await act(fleet.id, 'cancel');
    expect([cancelled.status, cancelled.body.status, states(cancelled.body)]).toEqual([
      202,
      'cancelled',
      'succeeded upgrading skipped skipped',
    ]);
    await see(fleet.id, (seen) => states(seen) === 'succeeded succeeded skipped skipped');
    expect(await Promise.all(tenants.map(serves))).toEqual(['v1.3.0', 'v1.3.0', 'v1.2.0']);
    expect((await act(fleet.id, 'resume')).body).toMatchObject({ code: 'invalid_state' });
    expect((await upgradesOf(c.id)).length).toBe(1);
    expect((await upgradesOf(a.id)).length).toBe(2);
    expect(await installations('v1.3.0')).toBe(1);
  });

  test('are listed, newest first, also by state', async () => {
    const { body } = await app.call<{ upgrades: FleetAnswer[]; total: number }>('GET', '/api/upgrades?limit=2');
    expect(body.upgrades.map(({ status }) => status)).toEqual(['cancelled', 'completed']);
    expect(body.total).toBe(5);
    const cancelled = await app.call<{ total: number }>('GET', '/api/upgrades?status=cancelled');
    expect(cancelled.body.total).toBe(1);
    expect((await app.call('GET', '/api/upgrades?status=done')).status).toBe(400);
    expect((await app.call('GET', '/api/upgrades/none')).status).toBe(404);
  });
});
