import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type ManagerProcess, makeManagerProcess } from '../harness/app/manager-process.ts';
import { makeFixtureRepository } from '../harness/data/fixture-repository.ts';
import { type DeploymentAnswer, type TenantAnswer, until } from '../harness/data/tenants.ts';

let directory: string;
let manager: ManagerProcess;
const tenants: TenantAnswer[] = [];

interface BulkAnswer {
  id: string;
  status: string;
  error: string | null;
  results: { tenant_id: string; status: string; error: { code: string } | null }[];
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tenantry-bulk-crash-'));
  const repository = await makeFixtureRepository(join(directory, 'repository'));
  manager = await makeManagerProcess({ RUNTIME: 'process' });
  await manager.start();
  for (const slug of ['one', 'two', 'three']) tenants.push(await deployed(slug, repository.path));
});
afterAll(async () => {
  for (const { id } of tenants) await manager.call('DELETE', `/api/tenants/${id}?remove_files=true`);
  expect(await manager.stop()).toBe(0);
  await manager.remove();
  await rm(directory, { recursive: true, force: true });
});

async function deployed(slug: string, git_repo: string): Promise<TenantAnswer> {
  const { body } = await manager.call<TenantAnswer>('POST', '/api/tenants', {
    body: { name: slug, slug, domain: `${slug}.example.org`, api_domain: `api.${slug}.example.org`, git_repo },
  });
  const asked = await manager.call<{ deployment_id: string }>('POST', `/api/tenants/${body.id}/deploy`);
  await until(
    () => manager.call<DeploymentAnswer>('GET', `/api/deployments/${asked.body.deployment_id}`),
    (answer) => answer.body.status === 'success',
  );
  return body;
}

const begin = async (action: string): Promise<string> => {
  const body = { action, tenant_ids: tenants.map(({ id }) => id), options: { concurrency: 1 } };
  return (await manager.call<BulkAnswer>('POST', '/api/bulk', { body })).body.id;
};
const get = async (id: string) => (await manager.call<BulkAnswer>('GET', `/api/bulk/${id}`)).body;
const statuses = ({ results }: BulkAnswer) => results.map(({ status }) => status);
const endOf = (id: string) =>
  until(
    () => get(id),
    ({ status }) => !['queued', 'running'].includes(status),
  );
const answers = async ({ backend_port }: TenantAnswer): Promise<boolean> =>
  (await fetch(`http://127.0.0.1:${backend_port}/api/health`).catch(() => undefined))?.ok ?? false;

test('the next manager completes a bulk restart interrupted by a kill (-9) or a stop', async () => {
  const id = await begin('restart');
  const ends: [index: number, end: 'kill' | 'stop'][] = [
    [0, 'kill'],
    [1, 'kill'],
    [2, 'stop'],
  ];
  for (const [index, end] of ends) {
    await until(
      () => get(id),
      (now) => ['running', 'success'].includes(statuses(now)[index] ?? ''),
    );
    if (end === 'kill') await manager.kill();
    else expect(await manager.stop()).toBe(0);
    await manager.start();
  }
  const ended = await endOf(id);
  expect([ended.status, statuses(ended)]).toEqual(['success', ['success', 'success', 'success']]);
  expect(await Promise.all(tenants.map(answers))).toEqual([true, true, true]);
});

test('deployments of a bulk operation that a kill (-9) interrupted are resumed, and none is started twice', async () => {
  const count = async ({ id }: TenantAnswer): Promise<number> =>
    (await manager.call<{ total: number }>('GET', `/api/tenants/${id}/deployments?limit=1`)).body.total;
  const before = await Promise.all(tenants.map(count));
  const id = await begin('deploy');
  await until(
    () => manager.call<{ deployments: { status: string }[] }>('GET', `/api/tenants/${tenants[0]?.id}/deployments`),
    ({ body }) => body.deployments[0]?.status === 'running',
  );
  await manager.kill();
  await manager.start();
  const ended = await endOf(id);
  expect([ended.status, statuses(ended)]).toEqual(['success', ['success', 'success', 'success']]);
  expect(await Promise.all(tenants.map(count))).toEqual(before.map((made) => made + 1));
});

test('killed after a cancel, it ends as cancelled and no result stays open', async () => {
  const id = await begin('restart');
  await until(
    () => get(id),
    (now) => statuses(now)[0] === 'running',
  );
  const cancelling = manager.call('POST', `/api/bulk/${id}/cancel`);
  expect((await cancelling).status).toBe(202);
  await manager.kill();
  await manager.start();
  const ended = await endOf(id);
  expect(ended.status).toBe('cancelled');
  expect(statuses(ended).filter((status) => status === 'running' || status === 'pending')).toEqual([]);
  expect(statuses(ended).at(-1)).toBe('skipped');
});

test('killed repeatedly, it fails with the reason instead of running for ever', async () => {
  // Its restart waits for a unit that never becomes healthy, so that each kill finds it in progress.
  const [first] = tenants as [TenantAnswer];
  const configure = (custom_env: Record<string, string>) =>
    manager.call('PUT', `/api/tenants/${first.id}/config`, { body: { custom_env } });
  expect((await configure({ MODE: 'unhealthy' })).status).toBe(200);
  const id = await begin('restart');
  for (let kills = 0; kills < 3; kills += 1) {
    await until(
      () => get(id),
      (now) => statuses(now)[0] === 'running',
    );
    await manager.kill();
    await manager.start();
  }
  const ended = await endOf(id);
  expect([ended.status, ended.error]).toEqual(['failed', expect.stringContaining('crashed 3 times')]);
  expect(ended.results.map(({ status, error }) => [status, error?.code])).toEqual([
    ['failed', 'internal_error'],
    ['failed', 'internal_error'],
    ['failed', 'internal_error'],
  ]);
  await configure({});
});
