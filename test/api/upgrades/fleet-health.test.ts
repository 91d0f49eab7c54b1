import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { spaceOf } from '../../../src/features/tenants/tenant.ts';
import { type App, startApp } from '../../harness/app/app.ts';
import { makeFixtureRepository } from '../../harness/data/fixture-repository.ts';
import { noteApplication } from '../../harness/data/note-application.ts';
import { deploy, getTenant, makeTenant, setEnvironment, type TenantAnswer, until } from '../../harness/data/tenants.ts';
import { alertsAbout, type InboxEntry } from '../incidents/incident-answers.ts';

interface FleetAnswer {
  id: string;
  status: string;
  next_ring_at: string | null;
  tenants: { status: string; reason: string | null }[];
}

let directory: string;
let app: App;
let tenants: TenantAnswer[];

/** An application whose API becomes unhealthy when the test says so. */
const server = (ill: string): string => `
const { existsSync } = require('node:fs');
const isIll = () => process.argv[2] === 'api' && existsSync(${JSON.stringify(ill)});
require('node:http').createServer((request, response) => {
  const status = isIll() ? 'unhealthy' : 'healthy';
  response.writeHead(isIll() ? 503 : 200, { 'content-type': 'application/json' }).end(JSON.stringify({ status }));
}).listen(Number(process.env.PORT), process.env.HOST);
process.on('SIGTERM', () => process.exit(0));
`;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tenantry-fleet-health-'));
  const repository = await makeFixtureRepository(join(directory, 'repository'));
  await repository.release('v1.2.0', { 'server.js': server(join(directory, 'ill')) });
  // Also the time within which a ring must be healthy.
  app = await startApp({ healthTimeoutMs: 10_000 });
  tenants = [await makeTenant(app, repository.path), await makeTenant(app, repository.path)];
  const deployed = await Promise.all(tenants.map(({ id }) => deploy(app, id, { target_version: 'v1.0.0' })));
  expect(deployed.map(({ status }) => status)).toEqual(['success', 'success']);
});
afterAll(async () => {
  for (const { id } of tenants) await app.call('DELETE', `/api/tenants/${id}?remove_files=true`);
  await app.stop();
  await rm(directory, { recursive: true, force: true });
});

test('a version that fails some time after its upgrade reaches no further ring', async () => {
  const viewer = await app.userOf('viewer');
  const ofLastTenant = { severity: 'info', tenant_ids: [tenants[1]?.id] };
  const { status: changed } = await app.call('PUT', '/api/notifications/preferences', {
    token: viewer.token,
    body: ofLastTenant,
  });
  expect(changed).toBe(200);
  const { body } = await app.call<FleetAnswer>('POST', '/api/upgrades', {
    body: { target_version: 'v1.2.0', tenant_ids: tenants.map(({ id }) => id), rings: [1, 2], pause_between_s: 3 },
  });
  const see = (wanted: (fleet: FleetAnswer) => boolean) =>
    until(async () => (await app.call<FleetAnswer>('GET', `/api/upgrades/${body.id}`)).body, wanted);
  const resting = await see((fleet) => fleet.next_ring_at !== null);
  expect(resting.tenants.map(({ status }) => status)).toEqual(['succeeded', 'waiting']);
  await writeFile(join(directory, 'ill'), '');
  const halted = await see(({ status }) => status === 'halted');
  expect(halted.tenants).toMatchObject([
    { status: 'failed', reason: expect.stringMatching(/^Not healthy after its upgrade: .*backend: .*503/) },
    { status: 'waiting', reason: null },
  ]);

  expect(await alertsAbout(app, 'fleet')).toMatchObject([
    {
      title: 'Fleet upgrade halted',
      severity: 'error',
      link: `/upgrades/${body.id}`,
      tenants: tenants.map(({ id }) => ({ id })),
    },
  ]);

  await rm(join(directory, 'ill'));
  expect((await app.call('POST', `/api/upgrades/${body.id}/resume`)).status).toBe(202);
  const ended = await see(({ status }) => status === 'completed');
  expect(ended.tenants.map(({ status }) => status)).toEqual(['failed', 'succeeded']);
  const titles = async (): Promise<string[]> =>
    (await app.call<{ entries: InboxEntry[] }>('GET', '/api/inbox', { token: viewer.token })).body.entries
      .filter(({ event }) => event === 'fleet')
      .map(({ title }) => title);
  const both = await until(titles, ({ length }) => length === 2);
  expect(both).toEqual(['Fleet upgrade completed', 'Fleet upgrade halted']);
});

test('a version whose user steps fail, at once or in the pause, reaches no further ring', async () => {
  const repository = await makeFixtureRepository(join(directory, 'notes'));
  await repository.release('v2.0.0', noteApplication(repository));
  await repository.release('v2.1.0', noteApplication(repository, { broken: 'always' }));
  await repository.release('v2.2.0', noteApplication(repository));
  const notes = [await makeTenant(app, repository.path), await makeTenant(app, repository.path)];
  tenants.push(...notes);
  for (const { id } of notes) {
    await setEnvironment(app, id, { CHECK_PASSWORD: 'tulip-marmalade-77' });
    expect((await deploy(app, id, { target_version: 'v2.0.0' })).status).toBe('success');
  }
  const upgradeTo = async (version: string) => {
    const { body } = await app.call<FleetAnswer>('POST', '/api/upgrades', {
      body: { target_version: version, tenant_ids: notes.map(({ id }) => id), rings: [1, 2], pause_between_s: 5 },
    });
    return (wanted: (fleet: FleetAnswer) => boolean) =>
      until(async () => (await app.call<FleetAnswer>('GET', `/api/upgrades/${body.id}`)).body, wanted);
  };
  const atOnce = await (await upgradeTo('v2.1.0'))(({ status }) => status === 'halted');
  expect(atOnce.tenants).toMatchObject([
    { status: 'failed', reason: expect.stringContaining('Check “Find a person”, step “Search”: answered 500') },
    { status: 'waiting', reason: null },
  ]);
  const versions = await Promise.all(notes.map(async ({ id }) => (await getTenant(app, id)).version));
  expect(versions).toEqual(['v2.0.0', 'v2.0.0']);
  await app.call('POST', `/api/upgrades/${atOnce.id}/cancel`);

  const see = await upgradeTo('v2.2.0');
  await see((fleet) => fleet.next_ring_at !== null);
  const first = await app.manager.app.tenants.get(notes[0]?.id ?? '');
  const broken = join(app.manager.app.runtime.paths(spaceOf(first)).importDirectory, 'broken');
  await writeFile(broken, '');
  await app.call('POST', `/api/tenants/${first.id}/synthetic-checks/run`);
  const inPause = await see(({ status }) => status === 'halted');
  expect(inPause.tenants).toMatchObject([
    { status: 'failed', reason: expect.stringContaining('step “Search”: answered 500') },
    { status: 'waiting', reason: null },
  ]);
});
