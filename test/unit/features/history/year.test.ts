import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { Store } from '../../../../src/adapters/store/store.ts';
import { openManagerStore } from '../../../../src/app/lifecycle/manager-store.ts';
import { createRecorder } from '../../../../src/features/history/recorder.ts';
import { levels } from '../../../../src/features/history/rollups/levels.ts';
import { createHistoryStore } from '../../../../src/features/history/store.ts';
import { createLogger } from '../../../../src/lib/logger.ts';
import { addTenant } from '../../../harness/data/tenant-row.ts';

const days = levels[3];
const day = 86_400_000;
const start = Date.UTC(2026, 0, 1);
const megabytes = 2;

let directory: string;
let store: Store;
const path = (): string => join(directory, 'tenantry.db');
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tenantry-year-'));
  store = await openManagerStore(`sqlite:${path()}`, createLogger({ level: 'silent' }));
});
afterEach(async () => {
  await store.close();
  await rm(directory, { recursive: true, force: true });
});

async function size(): Promise<number> {
  await store.sequelize.query('PRAGMA wal_checkpoint(TRUNCATE)');
  return (await stat(path())).size;
}

/** Deterministic noise, so that nothing compresses well. */
let state = 1;
function noise(): number {
  state = (state * 48_271) % 2_147_483_647;
  return state / 2_147_483_647;
}

const busiest = () => ({
  tenantry_tenant_up: noise() < 0.01 ? 0 : 1,
  tenantry_tenant_frontend_response_seconds: noise(),
  tenantry_tenant_backend_response_seconds: noise(),
  tenantry_tenant_proxy_response_seconds: noise(),
  tenantry_tenant_restarts: noise() < 0.01 ? 1 : 0,
  tenantry_tenant_cpu_cores: noise(),
  tenantry_tenant_memory_bytes: Math.round(noise() * 2 ** 29),
  tenantry_tenant_disk_bytes: Math.round(noise() * 2 ** 33),
  tenantry_tenant_database_bytes: Math.round(noise() * 2 ** 30),
  tenantry_tenant_database_connections: Math.round(noise() * 100),
  tenantry_tenant_down_seconds: noise() * 60,
});

const year = 400;
/** The last days of the year are measured as often as possible: finer periods are kept for a day, so no more of them would be left. */
const everySeconds = (at: number): number => (at < start + (year - 3) * day ? 900 : 10);

test('a year of a tenant takes at most 2 MB, however often it is measured', async () => {
  const id = 'a';
  await addTenant(store, id);
  const before = await size();
  let now = start;
  const recorder = createRecorder(createHistoryStore(store), { now: () => new Date(now) });
  let measured = 0;
  for (; now < start + year * day; now += everySeconds(now) * 1_000) {
    recorder.add({ kind: 'tenant', id }, new Date(now), busiest());
    measured += 1;
    if ((now - start) % (day / 4) === 0) await recorder.save();
  }
  await recorder.save();
  const found = (await recorder.read({ subjects: [id], level: days, step: days.step, from: 0 })).get(id) ?? [];
  expect(found).toHaveLength(year);
  expect(found.reduce((sum, { stats }) => sum + (stats[0]?.count ?? 0), 0)).toBe(measured);
  const growth = (await size()) - before;
  expect(growth).toBeLessThanOrEqual(megabytes * 1024 ** 2);
  // A bound far above what is used would not notice that it grew.
  expect(growth).toBeGreaterThan((megabytes * 1024 ** 2) / 20);
});
