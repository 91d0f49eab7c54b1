import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import {
  alertKeys,
  checkApart,
  type IncidentAnswer,
  type IncidentListAnswer,
  kindsOf,
} from '../../api/incidents/incident-answers.ts';
import { type ManagerProcess, makeManagerProcess } from '../../harness/app/manager-process.ts';
import { makeFixtureRepository } from '../../harness/data/fixture-repository.ts';
import { type DeploymentAnswer, type TenantAnswer, until } from '../../harness/data/tenants.ts';

let directory: string;
let manager: ManagerProcess;
let tenant: TenantAnswer;
let failing: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tenantry-incident-crash-'));
  const { path: git_repo } = await makeFixtureRepository(join(directory, 'repository'));
  manager = await makeManagerProcess({ RUNTIME: 'process' });
  await manager.start();
  const made = await manager.call<TenantAnswer>('POST', '/api/tenants', {
    body: { name: 'one', slug: 'one', domain: 'one.example.org', api_domain: 'api.one.example.org', git_repo },
  });
  tenant = made.body;
  const asked = await manager.call<{ deployment_id: string }>('POST', `/api/tenants/${tenant.id}/deploy`);
  await until(
    () => manager.call<DeploymentAnswer>('GET', `/api/deployments/${asked.body.deployment_id}`),
    ({ body }) => body.status === 'success',
  );
  const environment = await (await fetch(`http://127.0.0.1:${tenant.backend_port}/env`)).json();
  failing = join((environment as { IMPORT_DIR: string }).IMPORT_DIR, 'failing');
});
afterAll(async () => {
  await manager?.call('DELETE', `/api/tenants/${tenant.id}?remove_files=true`);
  await manager?.stop();
  await manager?.remove();
  await rm(directory, { recursive: true, force: true });
});

const check = () => manager.call('POST', `/api/tenants/${tenant.id}/health-check`);
const list = async () => (await manager.call<IncidentListAnswer>('GET', '/api/incidents')).body.incidents;
const get = async (id: string) => (await manager.call<IncidentAnswer>('GET', `/api/incidents/${id}`)).body;

async function killAndStart(): Promise<void> {
  await manager.kill();
  await manager.start();
}

test('a killed manager continues an incident: one of it, announced once, and resolved', async () => {
  await writeFile(failing, '');
  await checkApart(check);
  const [incident] = await until(list, ({ length }) => length === 1);
  const id = incident?.id ?? '';
  // Before it is announced, or in the middle of that.
  await killAndStart();
  await check();
  await check();
  await until(
    () => alertKeys(manager, id),
    (keys) => keys.length > 0,
  );
  await killAndStart();
  await check();
  await check();
  expect((await list()).map((one) => [one.id, one.status])).toEqual([[id, 'open']]);
  await rm(failing);
  await check();
  // The good check is counted again by the next manager.
  await killAndStart();
  await check();
  await check();
  await until(
    () => get(id),
    ({ status }) => status === 'resolved',
  );
  await killAndStart();
  await until(
    () => alertKeys(manager, id),
    (keys) => keys.includes('resolved'),
  );
  expect((await alertKeys(manager, id)).sort()).toEqual(['opened', 'resolved']);
  expect(kindsOf(await get(id)).filter((kind) => kind !== 'notified')).toEqual(['opened', 'recovered', 'resolved']);
  expect(await list()).toHaveLength(1);
});

test('a tenant that broke and one check before the kill still open an incident', async () => {
  await writeFile(failing, '');
  await check();
  await killAndStart();
  await checkApart(check);
  const open = await until(
    async () => (await list()).filter(({ status }) => status === 'open'),
    ({ length }) => length === 1,
  );
  await rm(failing);
  await check();
  await check();
  await until(
    () => get(open[0]?.id ?? ''),
    ({ status }) => status === 'resolved',
  );
});
