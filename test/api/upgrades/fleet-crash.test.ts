import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type ManagerProcess, makeManagerProcess } from '../../harness/app/manager-process.ts';
import { type FixtureRepository, makeFixtureRepository } from '../../harness/data/fixture-repository.ts';
import { type DeploymentAnswer, type TenantAnswer, until } from '../../harness/data/tenants.ts';

let directory: string;
let repository: FixtureRepository;
let manager: ManagerProcess;
let tenants: TenantAnswer[];

interface FleetAnswer {
  id: string;
  status: string;
  tenants: { tenant_id: string; status: string; deployment_id: string | null }[];
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tenantry-fleet-crash-'));
  repository = await makeFixtureRepository(join(directory, 'repository'));
  await repository.release('v1.2.0', {
    'install.js': "setTimeout(() => console.log('installed'), 300);\n",
    'migrate.js': "setTimeout(() => console.log('migrated ' + process.argv[2]), 200);\n",
  });
  manager = await makeManagerProcess({ RUNTIME: 'process' });
  await manager.start();
  await manager.call('PUT', '/api/settings/deployment_concurrency', { body: { value: '4' } });
  tenants = [];
  for (const slug of ['one', 'two', 'three', 'four']) tenants.push(await deployed(slug));
  await manager.call('PUT', '/api/settings/deployment_concurrency', { body: { value: '2' } });
});
afterAll(async () => {
  for (const { id } of tenants) await manager.call('DELETE', `/api/tenants/${id}?remove_files=true`);
  expect(await manager.stop()).toBe(0);
  await manager.remove();
  await rm(directory, { recursive: true, force: true });
});

async function deployed(slug: string): Promise<TenantAnswer> {
  const { body } = await manager.call<TenantAnswer>('POST', '/api/tenants', {
    body: {
      name: slug,
      slug,
      domain: `${slug}.example.org`,
      api_domain: `api.${slug}.example.org`,
      git_repo: repository.path,
    },
  });
  const asked = await manager.call<{ deployment_id: string }>('POST', `/api/tenants/${body.id}/deploy`, {
    body: { target_version: 'v1.0.0' },
  });
  await until(
    () => manager.call<DeploymentAnswer>('GET', `/api/deployments/${asked.body.deployment_id}`),
    (answer) => answer.body.status === 'success',
  );
  return body;
}

const get = async (id: string) => (await manager.call<FleetAnswer>('GET', `/api/upgrades/${id}`)).body;
const statesOf = (fleet: FleetAnswer) => fleet.tenants.map(({ status }) => status);

test('survives kills (-9) and stops of the manager: the next continues, and no tenant is upgraded twice', async () => {
  const body = {
    target_version: 'v1.2.0',
    tenant_ids: tenants.map(({ id }) => id),
    rings: [1, '100%'],
    pause_between_s: 1,
  };
  const { id } = (await manager.call<FleetAnswer>('POST', '/api/upgrades', { body })).body;
  // When the first starts, during its upgrade, in the pause after it, and while others are upgraded.
  const moments: [(fleet: FleetAnswer) => boolean, number, 'kill' | 'stop'][] = [
    [(fleet) => statesOf(fleet)[0] === 'upgrading', 0, 'kill'],
    [(fleet) => statesOf(fleet)[0] === 'upgrading', 500, 'kill'],
    [(fleet) => statesOf(fleet)[0] === 'succeeded', 0, 'kill'],
    [(fleet) => statesOf(fleet).slice(1).includes('upgrading'), 200, 'stop'],
    [(fleet) => statesOf(fleet).slice(1).includes('upgrading'), 400, 'kill'],
  ];
  for (const [isReached, delayMs, end] of moments) {
    await until(() => get(id), isReached);
    await sleep(delayMs);
    if (end === 'kill') await manager.kill();
    else expect(await manager.stop()).toBe(0);
    await manager.start();
  }
  const ended = await until(
    () => get(id),
    ({ status }) => status !== 'running',
  );
  expect([ended.status, statesOf(ended)]).toEqual(['completed', tenants.map(() => 'succeeded')]);
  for (const { id: tenantId, backend_port } of tenants) {
    const { body: listed } = await manager.call<{ deployments: (DeploymentAnswer & { kind: string })[] }>(
      'GET',
      `/api/tenants/${tenantId}/deployments`,
    );
    const upgrades = listed.deployments.filter(({ kind }) => kind === 'upgrade');
    const member = ended.tenants.find(({ tenant_id }) => tenant_id === tenantId);
    expect(upgrades.map((upgrade) => [upgrade.id, upgrade.status])).toEqual([[member?.deployment_id, 'success']]);
    const environment = await (await fetch(`http://127.0.0.1:${backend_port}/env`)).json();
    expect(environment).toMatchObject({ APP_VERSION: 'v1.2.0', APP_COMMIT: repository.commits['v1.2.0'] });
  }
});
