import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, test } from '@jest/globals';
import { makeContactsRepository } from '../../../examples/contacts/make-repository.ts';
import { type App, sharedApp } from '../../harness/app/app.ts';
import { deploy, makeTenant, type TenantAnswer } from '../../harness/data/tenants.ts';
import { expectRoundTrip } from './import-round-trip-journey.ts';
import { roundTrips } from './import-round-trip-lists.ts';

describe('imports of lists into the sample application, on SQLite', () => {
  let directory: string;
  let app: App;
  let tenant: TenantAnswer;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tenantry-round-trip-'));
    const { path } = await makeContactsRepository(join(directory, 'repository'));
    app = await sharedApp();
    tenant = await makeTenant(app, path);
    const deployed = await deploy(app, tenant.id);
    if (deployed.status !== 'success') throw new Error(`The deployment failed: ${JSON.stringify(deployed.error)}`);
  });
  afterAll(async () => {
    await app.call('DELETE', `/api/tenants/${tenant.id}?remove_files=true`);
    await rm(directory, { recursive: true, force: true });
  });

  test.each(roundTrips)('$name', (trip) => expectRoundTrip(app, tenant.id, trip));
});
