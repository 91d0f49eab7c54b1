import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { makeContactsRepository } from '../../examples/contacts/make-repository.ts';
import { type App, startApp } from '../harness/app.ts';
import { countPeople, supporters } from '../harness/contacts.ts';
import { analyze, execute, listPath, uploadFile } from '../harness/lists.ts';
import { deploy, makeTenant, type TenantAnswer } from '../harness/tenants.ts';

jest.setTimeout(5 * 60_000);

let directory: string;
let app: App;
let tenant: TenantAnswer;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tenantry-imports-'));
  const { path } = await makeContactsRepository(join(directory, 'repository'));
  app = await startApp({ healthTimeoutMs: 20_000, importing: { patienceMs: 3_000 } });
  tenant = await makeTenant(app, path);
  expect(await deploy(app, tenant.id, { target_version: 'v1.0.0' })).toMatchObject({ status: 'success' });
});
afterAll(async () => {
  await app.call('DELETE', `/api/tenants/${tenant.id}?remove_files=true`);
  await app.stop();
  await rm(directory, { recursive: true, force: true });
});

const call = <T = Record<string, unknown>>(method: string, rest: string, options = {}) =>
  app.call<T>(method, listPath(tenant.id, rest), options);

test('a list goes all the way into the tenant', async () => {
  const uploaded = await uploadFile(app, tenant.id, supporters.path, 'supporters.csv');
  expect(uploaded).toMatchObject({ filename: 'supporters.csv', status: 'pending', row_count: supporters.people });
  const { job_id: id } = uploaded;
  expect(id).toMatch(/^imp_[\w-]{16}$/);
  console.log((await call('GET', `${id}/preview`)).body);
  console.log(await analyze(app, tenant.id, id));
  console.log((await call('POST', `${id}/validate`)).body);
  console.log(await execute(app, tenant.id, id, { tags: ['autumn'] }));
  expect(await countPeople(app, tenant.id)).toBe(40);
  console.log((await call('GET', `${id}/errors.csv`)).body);
  console.log((await call('GET', `history`)).body);
  console.log(await readdir(join(app.directory, 'data', 'imports'), { recursive: true }));
  console.log((await call('POST', `${id}/undo`)).body);
});
