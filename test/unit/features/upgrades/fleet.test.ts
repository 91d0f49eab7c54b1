import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { AppError } from '../../../../src/lib/errors.ts';
import { newId } from '../../../../src/lib/ids.ts';
import { until } from '../../../harness/data/tenants.ts';
import { eachStore } from '../../../harness/servers/mariadb.ts';
import { fleetWorld, operator } from './fleet-world.ts';

eachStore('fleet upgrades', (store) => {
  let world: ReturnType<typeof fleetWorld>;

  beforeEach(() => {
    world = fleetWorld(store());
  });
  afterEach(async () => {
    for (const { end } of world.started.values()) end.reject(new AppError('shutting_down', 'The test ends'));
    await world.fleets.stop();
  });

  test('go ring after ring, as many tenants at a time as the concurrency allows, and report progress', async () => {
    const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((slug) => world.tenant(slug)) as [string, string, string, string];
    const { fleet } = await world.create([d, a, b, c]);
    await world.states(fleet.id, 'upgrading waiting waiting waiting');
    world.end(d);
    await world.states(fleet.id, 'succeeded upgrading upgrading waiting');
    world.end(b);
    await world.states(fleet.id, 'succeeded upgrading succeeded upgrading');
    world.end(a);
    world.end(c);
    const { fleet: ended, members } = await world.status(fleet.id, 'completed');
    expect(ended).toMatchObject({ reason: null, finishedAt: expect.any(Date), startedAt: expect.any(Date) });
    expect(members.map(({ slug, ring, fromVersion }) => [slug, ring, fromVersion])).toEqual([
      ['d', 0, 'v1.0.0'],
      ['a', 1, 'v1.0.0'],
      ['b', 1, 'v1.0.0'],
      ['c', 1, 'v1.0.0'],
    ]);
    expect([a, b, c, d].map(world.timesStarted)).toEqual([1, 1, 1, 1]);

    const reported = world.published.flatMap((event) => (event.type === 'upgrade' ? [event] : []));
    expect(reported.every(({ fleet_id }) => fleet_id === fleet.id)).toBe(true);
    expect(reported.filter(({ tenant_id }) => tenant_id === d).map(({ status }) => status)).toEqual([
      'upgrading',
      'succeeded',
    ]);
    expect(reported.filter(({ tenant_id }) => tenant_id === null).map(({ fleet_status }) => fleet_status)).toEqual([
      'pending',
      'running',
      'completed',
    ]);
    expect(world.entries.map(({ category, message }) => `${category}: ${message.replace(fleet.id, '…')}`)).toEqual([
      'audit: Fleet upgrade … to v1.1.0: started by olga',
      'deployment: Fleet upgrade … to v1.1.0: running',
      'deployment: Fleet upgrade … to v1.1.0: completed',
    ]);
  });

  test('halt after too many failures, leave waiting tenants, and continue when resumed', async () => {
    const ids = ['a', 'b', 'c', 'd', 'e'].map((slug) => world.tenant(slug));
    const { fleet } = await world.create(ids, { rings: [2, '100%'] });
    await world.states(fleet.id, 'upgrading upgrading waiting waiting waiting');
    world.end(ids[0] ?? '', 'failed');
    const halted = await world.status(fleet.id, 'halted');
    expect(halted.fleet.reason).toBe('1 failed; 0 may fail. a: Health check: 500');
    // Running upgrades continue to their end.
    expect(halted.members.map(({ status }) => status)).toEqual([
      'failed',
      'upgrading',
      'waiting',
      'waiting',
      'waiting',
    ]);
    world.end(ids[1] ?? '');
    await world.states(fleet.id, 'failed succeeded waiting waiting waiting');
    expect(world.entries.at(-1)).toMatchObject({ level: 'error', category: 'deployment' });

    await world.fleets.resume(fleet.id, operator);
    await world.states(fleet.id, 'failed succeeded upgrading upgrading waiting');
    world.end(ids[2] ?? '', 'cancelled');
    expect((await world.status(fleet.id, 'halted')).fleet.reason).toMatch(/^2 failed, 1 of them before it was resumed/);
    world.end(ids[3] ?? '');
    await world.states(fleet.id, 'failed succeeded failed succeeded waiting');
    await world.fleets.resume(fleet.id, operator);
    const { members } = await world.complete(fleet.id);
    expect(members.map(({ status }) => status)).toEqual(['failed', 'succeeded', 'failed', 'succeeded', 'succeeded']);
  });

  test('halt if a tenant could not be rolled back, however many may fail', async () => {
    const ids = ['a', 'b'].map((slug) => world.tenant(slug));
    const { fleet } = await world.create(ids, { maxFailures: 5 });
    await world.states(fleet.id, 'upgrading waiting');
    world.end(ids[0] ?? '', 'not rolled back');
    await world.states(fleet.id, 'failed waiting');
    expect((await world.fleets.get(fleet.id)).fleet).toMatchObject({ status: 'halted', reason: 'Health check: 500' });
    await world.fleets.resume(fleet.id, operator);
    await world.complete(fleet.id);
  });

  test('wait, and do not halt, when a worker of the manager fails; another operation tries again', async () => {
    const ids = ['a', 'b'].map((slug) => world.tenant(slug));
    const { fleet } = await world.create(ids);
    await world.states(fleet.id, 'upgrading waiting');
    world.end(ids[0] ?? '', 'worker failed');
    await until(
      async () => world.timesStarted(ids[0] ?? ''),
      (times) => times === 2,
    );
    const { members } = await world.complete(fleet.id);
    expect(members.map(({ status }) => status)).toEqual(['succeeded', 'succeeded']);
    expect(world.entries.filter(({ level }) => level === 'error')).toEqual([]);
  });

  test('concurrent requests never have a tenant in common', async () => {
    const ids = ['a', 'b'].map((slug) => world.tenant(slug));
    const made = await Promise.all([world.create(ids), world.create(ids), world.create(ids)]);
    const taken = made.flatMap(({ members }) => members.filter(({ ring }) => ring !== null));
    expect(taken.map(({ tenantId }) => tenantId).sort()).toEqual([...ids].sort());
    for (const { fleet } of made) await world.complete(fleet.id);
    expect(ids.map(world.timesStarted)).toEqual([1, 1]);
  });

  test('paused ones start nothing; cancelled ones skip waiting tenants, and running upgrades end', async () => {
    const ids = ['a', 'b', 'c'].map((slug) => world.tenant(slug));
    const { fleet } = await world.create(ids);
    await world.states(fleet.id, 'upgrading waiting waiting');
    expect((await world.fleets.pause(fleet.id, operator)).fleet.status).toBe('paused');
    world.end(ids[0] ?? '');
    await world.states(fleet.id, 'succeeded waiting waiting');
    await expect(world.fleets.pause(fleet.id, operator)).rejects.toMatchObject({ code: 'invalid_state' });
    await world.fleets.resume(fleet.id, operator);
    await world.states(fleet.id, 'succeeded upgrading upgrading');
    await expect(world.fleets.resume(fleet.id, operator)).rejects.toMatchObject({ code: 'invalid_state' });

    const other = world.tenant('z');
    const second = await world.create([...ids, other]);
    expect(second.members.map(({ status, reason }) => [status, reason])).toEqual([
      ['waiting', null],
      ['skipped', `Already in fleet upgrade ${fleet.id}`],
      ['skipped', `Already in fleet upgrade ${fleet.id}`],
      ['waiting', null],
    ]);
    await world.states(second.fleet.id, 'upgrading skipped skipped waiting');
    const cancelled = await world.fleets.cancel(second.fleet.id, operator);
    expect(cancelled.members.map(({ status }) => status)).toEqual(['upgrading', 'skipped', 'skipped', 'skipped']);
    expect(cancelled.members.at(-1)?.reason).toBe('The fleet upgrade was cancelled');
    expect(cancelled.fleet.finishedAt).toBeNull();
    world.end(ids[0] ?? '');
    const closed = await world.see(second.fleet.id, (seen) => seen.fleet.finishedAt !== null);
    expect(closed.fleet.status).toBe('cancelled');
    expect(closed.members[0]?.status).toBe('succeeded');
    for (const act of ['pause', 'resume', 'cancel'] as const)
      await expect(world.fleets[act](second.fleet.id, operator)).rejects.toMatchObject({ code: 'invalid_state' });
    const audit = world.entries.filter(({ category }) => category === 'audit').map(({ message }) => message);
    expect(audit.map((message) => /v1\.1\.0: (\w+) by olga/.exec(message)?.[1])).toEqual([
      'started',
      'paused',
      'resumed',
      'started',
      'cancelled',
    ]);
  });

  test('start no ring before the previous one is healthy: a tenant that became unhealthy counts as failed', async () => {
    const ids = ['a', 'b'].map((slug) => world.tenant(slug));
    const { fleet } = await world.create(ids);
    await world.states(fleet.id, 'upgrading waiting');
    world.unhealthy.set(ids[0] ?? '', 'backend: 500');
    world.end(ids[0] ?? '');
    const halted = await world.status(fleet.id, 'halted');
    expect(halted.members.map(({ status, reason }) => [status, reason])).toEqual([
      ['failed', 'Not healthy after its upgrade: backend: 500'],
      ['waiting', null],
    ]);
    await world.fleets.resume(fleet.id, operator);
    await world.complete(fleet.id);
  });

  test('keep the pause between rings, also over a restart', async () => {
    const ids = ['a', 'b'].map((slug) => world.tenant(slug));
    const { fleet } = await world.create(ids, { pauseBetweenS: 1 });
    await world.states(fleet.id, 'upgrading waiting');
    world.end(ids[0] ?? '');
    const { fleet: resting } = await world.see(fleet.id, (seen) => seen.fleet.nextRingAt !== null);
    await world.restart();
    expect((await world.fleets.get(fleet.id)).fleet.nextRingAt).toEqual(resting.nextRingAt);
    const { members } = await world.complete(fleet.id);
    expect(members[1]?.beganAt?.getTime()).toBeGreaterThanOrEqual(resting.nextRingAt?.getTime() ?? Number.NaN);
    expect(ids.map(world.timesStarted)).toEqual([1, 1]);
  });

  test('are resumed by the next manager: it finds started upgrades by their ids, and starts none twice', async () => {
    const ids = ['a', 'b', 'c', 'd'].map((slug) => world.tenant(slug));
    const [a = '', b = '', c = ''] = ids;
    const { fleet } = await world.create(ids, { rings: ['100%'] });
    await world.states(fleet.id, 'upgrading upgrading waiting waiting');
    await until(
      async () => world.started.size,
      (size) => size === 2,
    );
    await world.restart();
    world.end(a);
    await world.states(fleet.id, 'succeeded upgrading upgrading waiting');
    await until(
      async () => world.timesStarted(c),
      (times) => times === 1,
    );
    // One ends while no manager is running.
    await world.restart(() => world.end(b));
    await world.states(fleet.id, 'succeeded succeeded upgrading upgrading');
    await world.complete(fleet.id);
    expect(ids.map(world.timesStarted)).toEqual([1, 1, 1, 1]);
  });

  test('the next manager starts upgrades that were recorded but not started', async () => {
    const a = world.tenant('a');
    world.errors.set(a, [new AppError('shutting_down', 'The manager is stopping')]);
    const { fleet } = await world.create([a]);
    const { members } = await world.see(fleet.id, (seen) => seen.members[0]?.status === 'upgrading');
    await until(
      async () => world.errors.get(a)?.length,
      (left) => left === 0,
    );
    expect(world.started.size).toBe(0);
    await world.restart();
    await world.complete(fleet.id);
    expect([...world.started.keys()]).toEqual([members[0]?.operationId]);
  });

  test('stay paused, halted or cancelled over a restart', async () => {
    const ids = ['a', 'b'].map((slug) => world.tenant(slug));
    const { fleet } = await world.create(ids);
    await world.states(fleet.id, 'upgrading waiting');
    await world.fleets.pause(fleet.id, operator);
    await world.restart();
    world.end(ids[0] ?? '');
    await world.states(fleet.id, 'succeeded waiting');
    await world.fleets.cancel(fleet.id, operator);
    await world.restart();
    expect((await world.see(fleet.id, (seen) => seen.fleet.finishedAt !== null)).fleet.status).toBe('cancelled');
    expect(world.timesStarted(ids[1] ?? '')).toBe(0);
  });

  test('skip a tenant that is deleted while it waits or when its turn comes', async () => {
    const ids = ['a', 'b', 'c'].map((slug) => world.tenant(slug));
    const [a = '', b = '', c = ''] = ids;
    const { fleet } = await world.create(ids, { rings: [1, 2, 3] });
    await world.states(fleet.id, 'upgrading waiting waiting');
    world.tenants.delete(b);
    world.events.publish({ type: 'tenant_status', tenant_id: b, status: 'deleted' });
    await world.states(fleet.id, 'upgrading skipped waiting');
    world.tenants.delete(c);
    world.errors.set(c, [new AppError('not_found', `No tenant with id ${c}`)]);
    world.end(a);
    const { members } = await world.status(fleet.id, 'completed');
    expect(members.map(({ status, reason }) => [status, reason])).toEqual([
      ['succeeded', null],
      ['skipped', 'Deleted'],
      ['skipped', 'Deleted'],
    ]);
  });

  test('wait for a tenant with another operation, and upgrade the others first', async () => {
    const ids = ['a', 'b', 'c'].map((slug) => world.tenant(slug));
    world.errors.set(ids[0] ?? '', [new AppError('operation_in_progress', 'backup'), new TypeError('lost')]);
    const { fleet } = await world.create(ids, { rings: ['100%'] });
    const { members } = await world.states(fleet.id, 'waiting upgrading upgrading');
    expect(members[0]).toMatchObject({ reason: 'backup', beganAt: null });
    world.end(ids[1] ?? '');
    await world.states(fleet.id, 'upgrading succeeded upgrading');
    const ended = await world.complete(fleet.id);
    expect(ended.members[0]).toMatchObject({ status: 'succeeded', reason: null });
    expect(ids.map(world.timesStarted)).toEqual([1, 1, 1]);
  });

  test.each([
    ['runtime_unavailable', 'halted', 'waiting'],
    ['insufficient_storage', 'halted', 'waiting'],
    ['git_error', 'halted', 'failed'],
    ['already_latest', 'completed', 'skipped'],
    ['not_deployed', 'completed', 'skipped'],
    ['downgrade_refused', 'completed', 'skipped'],
  ] as const)('an error with %s: %s, the tenant %s', async (code, status, member) => {
    const a = world.tenant('a');
    world.errors.set(a, [new AppError(code, `because of ${code}`)]);
    const { fleet } = await world.create([a]);
    const { fleet: ended, members } = await world.see(
      fleet.id,
      (seen) => seen.fleet.status === status && seen.members[0]?.status !== 'upgrading',
    );
    expect(members[0]).toMatchObject({ status: member, reason: `because of ${code}` });
    if (status === 'completed') return;
    expect(ended.reason).toContain(`because of ${code}`);
    await world.fleets.resume(fleet.id, operator);
    await world.complete(fleet.id);
    expect(world.timesStarted(a)).toBe(member === 'waiting' ? 1 : 0);
  });

  test('select tenants by filter, with the reason for each skipped one; a plan changes nothing', async () => {
    const mine = newId().slice(0, 8);
    world.tenant(`${mine}-c`);
    const failed = world.tenant(`${mine}-b`);
    world.tenant(`${mine}-a`, 'v1.1.0');
    world.tenant(`${mine}-d`, undefined);
    world.tenants.set('x', { id: 'x', slug: `${mine}-e`, deployed: null } as never);
    world.failures.set(failed, [{ version: 'v1.1.0', commit: 'commit of v1.1.0', reason: 'Migrations: exit code 1' }]);
    const choice = { filter: { search: mine } };
    const options = { rings: [1], targetVersion: 'v1.1.0', maxFailures: 0, pauseBetweenS: 0, backupDb: true };
    const all = { ...options, runMigrations: true, retryFailed: false };
    const planned = await world.fleets.plan(choice, all);
    expect(
      planned.map(({ candidate, assignment }) => `${candidate.slug.slice(9)} ${assignment.ring ?? assignment.reason}`),
    ).toEqual([
      'a Already runs v1.1.0',
      expect.stringMatching(/^b An earlier upgrade to v1\.1\.0 failed/),
      'c 0',
      expect.stringMatching(/^d Not in any ring \(1\)/),
      'e Not deployed',
    ]);
    expect(world.started.size).toBe(0);
    await expect(world.fleets.plan({ filter: { search: 'nothing has this' } }, all)).rejects.toMatchObject({
      issues: [{ path: 'filter', message: 'matches no tenant' }],
    });
    await expect(world.fleets.plan({ tenantIds: [failed, newId()] }, all)).rejects.toMatchObject({
      issues: [{ path: 'tenant_ids.1', message: expect.stringContaining('no tenant') }],
    });
    world.tags.delete('v1.1.0');
    await expect(world.fleets.plan(choice, all)).rejects.toMatchObject({ code: 'not_found' });
  });

  test('are listed, counted, and expire', async () => {
    const ids = ['a', 'b'].map((slug) => world.tenant(slug));
    const { fleet } = await world.create([...ids, world.tenant('late', 'v1.1.0')]);
    await world.states(fleet.id, 'upgrading waiting skipped');
    const { items, total } = await world.fleets.list({ status: 'running' }, { limit: 1, offset: 0 });
    expect(total).toBeGreaterThan(0);
    expect(items[0]?.counts).toEqual({ upgrading: 1, waiting: 1, skipped: 1 });
    await world.fleets.removeEndedBefore(new Date(Date.now() + 1_000));
    await world.complete(fleet.id);
    await world.fleets.removeEndedBefore(new Date(Date.now() + 1_000));
    await expect(world.fleets.get(fleet.id)).rejects.toMatchObject({ code: 'not_found' });
    await expect(world.fleets.cancel(fleet.id, operator)).rejects.toMatchObject({ code: 'not_found' });
  });
});
