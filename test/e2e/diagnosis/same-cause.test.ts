import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { IncidentListAnswer } from '../../api/incidents/incident-answers.ts';
import { type App, startApp } from '../../harness/app/app.ts';
import { failWith, makeFaultyRepository } from '../../harness/data/faulty-application.ts';
import { deploy, makeTenant, type TenantAnswer, until } from '../../harness/data/tenants.ts';
import { diagnosisOf, setSettings } from './faults.ts';

let directory: string;
let app: App;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tenantry-same-cause-'));
  await makeFaultyRepository(join(directory, 'repository'));
  app = await startApp();
  await setSettings(app, { health_check_timeout: 1, incident_failures: 1 });
});
afterAll(async () => {
  await app.stop();
  await rm(directory, { recursive: true, force: true });
});

async function makeFailing(fault: string): Promise<TenantAnswer> {
  const tenant = await makeTenant(app, join(directory, 'repository'));
  expect((await deploy(app, tenant.id, { target_version: 'v2.0.0' })).status).toBe('success');
  await failWith(app, tenant, 'api', fault);
  return tenant;
}

/** Checks a tenant until its incident has this cause. */
const openIncident = async ({ id }: TenantAnswer, code: string): Promise<void> => {
  await until(
    async () => {
      await app.call('POST', `/api/tenants/${id}/health-check`);
      return (await app.call<IncidentListAnswer>('GET', `/api/incidents?status=unresolved&tenant_id=${id}`)).body;
    },
    ({ incidents }) => incidents.some(({ cause }) => cause.code === code),
  );
};

test('other tenants of the version count by the cause of their incident, not as unhealthy', async () => {
  await openIncident(await makeFailing('exit-3'), 'unit_crashed');
  await openIncident(await makeFailing('missing-module'), 'missing_module');
  const third = await makeFailing('exit-3');
  await app.call('POST', `/api/tenants/${third.id}/health-check`);
  const fact = '2 of 3 tenants of v2.0.0 have this cause, 0 of 0 of other versions';
  // Until its first end it only does not listen, and what is known of other tenants is reused for some seconds.
  const { cause } = await until(
    () => diagnosisOf(app, third.id),
    ({ cause }) => cause?.code === 'unit_crashed' && cause.evidence.some((one) => one.fact === fact),
  );
  expect(cause?.scope.kind).toBe('tenant');
});
