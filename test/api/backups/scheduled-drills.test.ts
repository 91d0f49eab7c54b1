import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Store } from '../../../src/adapters/store/store.ts';
import { openManagerStore } from '../../../src/app/lifecycle/manager-store.ts';
import { createScheduledDrills } from '../../../src/features/backups/restore/scheduled-drills.ts';
import { createBackupStore } from '../../../src/features/backups/store.ts';
import { alertsOfConditions } from '../../../src/features/incidents/alert-sources/conditions.ts';
import { createLogger } from '../../../src/lib/logger.ts';
import { type App, startApp } from '../../harness/app/app.ts';
import { makeFixtureRepository } from '../../harness/data/fixture-repository.ts';
import { deploy, makeTenant, type TenantAnswer } from '../../harness/data/tenants.ts';
import { eachDatabase } from '../../harness/servers/mariadb.ts';

interface BackupsAnswer {
  backups: { id: string; drill: { ok: boolean; checked_at: string } | null }[];
}

eachDatabase('scheduled restore drills', (newDatabase) => {
  let app: App;
  let store: Store;
  let tenant: TenantAnswer;
  /** Days after now. */
  let later = 0;
  const clock = { now: () => new Date(Date.now() + later * 86_400_000) };

  beforeAll(async () => {
    const address = await newDatabase();
    app = await startApp({ environment: { DATABASE_URL: address } });
    store = await openManagerStore(address, createLogger({ level: 'silent' }));
    const repository = await makeFixtureRepository(join(app.directory, 'repository'));
    tenant = await makeTenant(app, repository.path, { name: 'Riverside' });
    expect((await deploy(app, tenant.id)).status).toBe('success');
  });
  afterAll(async () => {
    await store?.close();
    await app?.call('DELETE', `/api/tenants/${tenant.id}?remove_files=true`);
    await app?.stop();
  });

  const drills = (days = 30) => {
    const { backups, tenants, deploymentStore } = app.manager.app;
    return createScheduledDrills(
      { rows: createBackupStore(store), service: backups },
      { tenants, clock, lastOutcomes: deploymentStore.lastOutcomes, settings: { drillDays: async () => days } },
    );
  };
  const { signal } = new AbortController();
  const backups = async () => (await app.call<BackupsAnswer>('GET', `/api/tenants/${tenant.id}/backups`)).body.backups;

  test('are made of the newest backup once it is due, and not before', async () => {
    later = 40;
    await drills().runDue(signal);
    expect(await drills().missing()).toEqual([]);
    for (let count = 0; count < 2; count += 1)
      await app.call('POST', `/api/tenants/${tenant.id}/backups`, { body: {} });
    later = 29;
    await drills().runDue(signal);
    later = 31;
    await drills(0).runDue(signal);
    expect((await backups()).map(({ drill }) => drill)).toEqual([null, null]);
    await drills().runDue(signal);
    const [newest, older] = await backups();
    expect(newest?.drill).toMatchObject({ ok: true });
    expect(older?.drill).toBeNull();
    later = 29;
    const made = newest?.drill?.checked_at;
    await drills().runDue(signal);
    expect((await backups())[0]?.drill?.checked_at).toBe(made);
  });

  test('that a stopped tenant has not had for a week are missing, with an alert', async () => {
    await app.call('POST', `/api/tenants/${tenant.id}/stop`);
    const before = (await backups())[0]?.drill?.checked_at;
    later = 36;
    await drills().runDue(signal);
    expect((await backups())[0]?.drill?.checked_at).toBe(before);
    expect(await drills().missing()).toEqual([]);
    later = 38;
    expect(await drills().missing()).toEqual([{ tenantId: tenant.id, last: expect.any(Date) }]);
    const alerts = await alertsOfConditions({
      clock,
      tenants: app.manager.app.tenants,
      attention: async () => [],
      certificateOf: async () => null,
      updateOf: () => null,
      unseenFaults: () => [],
      missingDrills: drills().missing,
    });
    expect(alerts).toMatchObject([
      { event: 'drill', severity: 'warning', title: 'Riverside: Restore drill missing', tenants: [{ id: tenant.id }] },
    ]);
    expect(await drills(0).missing()).toEqual([]);
  });
});
