import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { makeContactsRepository } from '../../../examples/contacts/make-repository.ts';
import { expectRoundTrip } from '../../api/list-imports/import-round-trip-journey.ts';
import { roundTrips } from '../../api/list-imports/import-round-trip-lists.ts';
import { type App, startApp } from '../../harness/app/app.ts';
import { deploy, makeTenant, type TenantAnswer } from '../../harness/data/tenants.ts';
import { describeWithEngine } from '../../harness/engine/engine.ts';

describeWithEngine('imports into the sample application, in containers and on MariaDB', () => {
  let directory: string;
  let app: App;
  let tenant: TenantAnswer;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tenantry-round-trip-'));
    const { path } = await makeContactsRepository(join(directory, 'repository'));
    app = await startApp({ environment: { RUNTIME: 'docker' }, healthTimeoutMs: 30_000 });
    tenant = await makeTenant(app, path);
    const deployed = await deploy(app, tenant.id);
    if (deployed.status !== 'success') throw new Error(`The deployment failed: ${JSON.stringify(deployed.error)}`);
  });
  afterAll(async () => {
    const { runtime } = app.manager.app;
    await app.call('DELETE', `/api/tenants/${tenant.id}?remove_files=true`);
    await runtime.removeReleasesExcept(new Set());
    const left = (await runtime.list()).map(({ name }) => name);
    await app.stop();
    await rm(directory, { recursive: true, force: true });
    expect(left).toEqual([]);
  });

  test.each(roundTrips)('$name', (trip) => expectRoundTrip(app, tenant.id, trip));
});
