import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type App, startApp } from '../../harness/app/app.ts';
import { makeFixtureRepository } from '../../harness/data/fixture-repository.ts';
import { noteApplication } from '../../harness/data/note-application.ts';
import { deploy, getTenant, makeTenant, setEnvironment, type TenantAnswer, until } from '../../harness/data/tenants.ts';

interface FleetAnswer {
  id: string;
  status: string;
  tenants: { status: string; reason: string | null }[];
}

let directory: string;
let app: App;
let tenants: TenantAnswer[];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tenantry-fleet-steps-'));
  const repository = await makeFixtureRepository(join(directory, 'repository'));
  await repository.release('v2.0.0', noteApplication(repository));
  await repository.release('v2.1.0', noteApplication(repository, { broken: 'always' }));
  app = await startApp({ healthTimeoutMs: 60_000 });
  tenants = [await makeTenant(app, repository.path), await makeTenant(app, repository.path)];
  for (const { id } of tenants) {
    await setEnvironment(app, id, { CHECK_PASSWORD: 'tulip-marmalade-77' });
    expect((await deploy(app, id, { target_version: 'v2.0.0' })).status).toBe('success');
  }
});
afterAll(async () => {
  for (const { id } of tenants) await app.call('DELETE', `/api/tenants/${id}?remove_files=true`);
  await app.stop();
  await rm(directory, { recursive: true, force: true });
});

test('a version whose user steps fail in the first ring reaches no further ring', async () => {
  const { body } = await app.call<FleetAnswer>('POST', '/api/upgrades', {
    body: { target_version: 'v2.1.0', tenant_ids: tenants.map(({ id }) => id), rings: [1, 2], pause_between_s: 0 },
  });
  const see = async () => (await app.call<FleetAnswer>('GET', `/api/upgrades/${body.id}`)).body;
  const halted = await until(see, ({ status }) => status === 'halted');
  expect(halted.tenants).toMatchObject([
    { status: 'failed', reason: expect.stringContaining('Check “Find a person”, step “Search”: answered 500') },
    { status: 'waiting', reason: null },
  ]);
  const versions = await Promise.all(tenants.map(async ({ id }) => (await getTenant(app, id)).version));
  expect(versions).toEqual(['v2.0.0', 'v2.0.0']);
});
