import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { IncidentAnswer, IncidentListAnswer } from '../../api/incidents/incident-answers.ts';
import { type App, startApp } from '../../harness/app/app.ts';
import { failWith, makeFaultyRepository } from '../../harness/data/faulty-application.ts';
import { deploy, makeTenant, type TenantAnswer, until } from '../../harness/data/tenants.ts';
import { setSettings } from './faults.ts';

let directory: string;
let app: App;
let tenants: TenantAnswer[];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tenantry-crash-log-'));
  await makeFaultyRepository(join(directory, 'repository'));
  app = await startApp();
  await setSettings(app, { health_check_timeout: 1 });
  tenants = [];
  for (const name of ['a', 'b']) {
    const tenant = await makeTenant(app, join(directory, 'repository'), { name });
    expect((await deploy(app, tenant.id, { target_version: 'v2.0.0' })).status).toBe('success');
    tenants.push(tenant);
  }
});
afterAll(async () => {
  await app.stop();
  await rm(directory, { recursive: true, force: true });
});

/** The incident of this scope that the failing tenants open, once it has the lines of a log. */
const incidentWithLog = (failing: readonly TenantAnswer[], kind: string): Promise<IncidentAnswer> =>
  until(
    async () => {
      for (const { id } of failing) await app.call('POST', `/api/tenants/${id}/health-check`);
      const { body } = await app.call<IncidentListAnswer>('GET', '/api/incidents?status=unresolved');
      const id = body.incidents.find(({ cause }) => cause.scope.kind === kind)?.id ?? '';
      return (await app.call<IncidentAnswer>('GET', `/api/incidents/${id}`)).body;
    },
    ({ timeline = [] }) => timeline.some((entry) => entry.kind === 'log'),
  );
const logsOf = ({ timeline }: IncidentAnswer) => timeline.filter(({ kind }) => kind === 'log');

test('an incident has the last lines of the unit that crashed, and not of the other', async () => {
  const [a] = tenants as [TenantAnswer];
  await failWith(app, a, 'api', 'exit-3');
  const [log, ...others] = logsOf(await incidentWithLog([a], 'tenant'));
  expect(others).toEqual([]);
  const lines = log?.text?.split('\n') ?? [];
  expect(lines.at(-1)).toMatch(/^\d{4}-[\d-]+T[\d:.]+Z api: cannot reach the moon$/);
  expect(lines.every((line) => line.includes(' api: '))).toBe(true);
  await failWith(app, a, 'api', 'none');
  for (const _ of [1, 2]) await app.call('POST', `/api/tenants/${a.id}/health-check`);
});

test('an incident whose unit crashes later has its last lines, too', async () => {
  const [, b] = tenants as [TenantAnswer, TenantAnswer];
  await failWith(app, b, 'api', 'status-500');
  const opened = await until(
    async () => {
      await app.call('POST', `/api/tenants/${b.id}/health-check`);
      const { body } = await app.call<IncidentListAnswer>('GET', '/api/incidents?status=unresolved');
      return body.incidents.find(({ cause }) => cause.code === 'application_fails');
    },
    (incident) => incident !== undefined,
  );
  await failWith(app, b, 'api', 'exit-3');
  const incident = await until(
    async () => {
      await app.call('POST', `/api/tenants/${b.id}/health-check`);
      return (await app.call<IncidentAnswer>('GET', `/api/incidents/${opened?.id}`)).body;
    },
    ({ timeline }) => timeline.some(({ kind }) => kind === 'log'),
  );
  expect(incident.timeline.map(({ kind }) => kind)).toContain('diagnosis_changed');
  expect(logsOf(incident)[0]?.text).toContain('cannot reach the moon');
  await failWith(app, b, 'api', 'none');
  await until(
    async () => {
      for (const { id } of tenants) await app.call('POST', `/api/tenants/${id}/health-check`);
      return (await app.call<IncidentListAnswer>('GET', '/api/incidents?status=unresolved')).body.incidents;
    },
    ({ length }) => length === 0,
  );
});

test('that of a version that crashes several tenants has the lines of the first', async () => {
  await Promise.all(tenants.map((tenant) => failWith(app, tenant, 'api', 'exit-3')));
  const incident = await incidentWithLog(tenants, 'version');
  expect(incident).toMatchObject({ cause: { scope: { kind: 'version', name: 'v2.0.0' } } });
  expect(logsOf(incident)).toMatchObject([{ text: expect.stringContaining('api: cannot reach the moon') }]);
});
