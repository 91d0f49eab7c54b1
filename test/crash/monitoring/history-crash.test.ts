import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type ManagerProcess, makeManagerProcess } from '../../harness/app/manager-process.ts';
import { until } from '../../harness/data/tenants.ts';

/** Measurements are saved every minute or so; older ones survive. In seconds. */
const savedAfter = 80;

let manager: ManagerProcess;
beforeAll(async () => {
  manager = await makeManagerProcess();
  await manager.start();
});
afterAll(async () => {
  await manager?.stop();
  await manager?.remove();
});

async function measured(): Promise<[number, number | null][]> {
  const { body } = await manager.call<{ at: number[]; series: { name: string; values: (number | null)[] }[] }>(
    'GET',
    '/api/system/metrics?range=1h&step=10',
  );
  const memory = body.series.find(({ name }) => name === 'tenantry_manager_memory_bytes');
  return body.at.map((at, index) => [at, memory?.values[index] ?? null]);
}

test('kill -9 loses at most the last minute of measurements', async () => {
  const before = await until(
    measured,
    ([first]) => first !== undefined && Date.now() / 1_000 - first[0] > savedAfter + 15,
  );
  const old = before.filter(([at]) => at + 10 < Date.now() / 1_000 - savedAfter);
  expect(old.length).toBeGreaterThan(0);
  await manager.kill();
  await manager.start();
  expect(await measured()).toEqual(expect.arrayContaining(old));
});
