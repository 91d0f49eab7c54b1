import { beforeEach, expect, test } from '@jest/globals';
import type { Store } from '../../../../src/adapters/store/store.ts';
import { createRecorder } from '../../../../src/features/history/recorder.ts';
import { levels } from '../../../../src/features/history/rollups/levels.ts';
import { createHistoryStore } from '../../../../src/features/history/store.ts';
import { newId } from '../../../../src/lib/ids.ts';
import { eachStore } from '../../../harness/servers/mariadb.ts';

const [tens, minutes, hours, days] = levels;
const noon = Date.UTC(2026, 10, 20, 12);
const minute = 60_000;
const hour = 60 * minute;
const manager = { kind: 'manager', id: '' } as const;
const memory = 'tenantry_manager_memory_bytes';

eachStore('the recorder of measurements', (store) => {
  let now = noon;
  const clock = { now: () => new Date(now) };
  const started = (on: Store = store()) => createRecorder(createHistoryStore(on), clock);
  type Recorder = ReturnType<typeof started>;
  const measure = (recorder: Recorder, at: number, bytes: number): void =>
    recorder.add(manager, new Date(at), { [memory]: bytes });
  const read = async (recorder: Recorder, level: (typeof levels)[number]) =>
    ((await recorder.read({ level, step: level.step, from: 0 })).get('manager:') ?? []).map(({ at, stats }) => [
      (at * 1_000 - noon) / minute,
      stats[0]?.count,
      stats[0]?.sum,
      stats[0]?.max,
    ]);

  beforeEach(async () => {
    now = noon;
    for (const table of ['measurement_blocks', 'measurement_journal'])
      await store().sequelize.query(`DELETE FROM ${table}`);
  });

  test('answers by every level before and after the hour is rolled up', async () => {
    const recorder = started();
    for (const [at, bytes] of [
      [0, 100],
      [5, 300],
      [70, 50],
    ] as const)
      measure(recorder, noon + at * 1_000, bytes);
    const expected = async () => {
      expect(await read(recorder, tens)).toEqual([
        [0, 2, 400, 300],
        [1 + 1 / 6, 1, 50, 50],
      ]);
      expect(await read(recorder, minutes)).toEqual([
        [0, 2, 400, 300],
        [1, 1, 50, 50],
      ]);
      expect(await read(recorder, hours)).toEqual([[0, 3, 450, 300]]);
      expect(await read(recorder, days)).toEqual([[-720, 3, 450, 300]]);
    };
    await expected();
    now = noon + hour + 2 * minute;
    await recorder.save();
    expect(await store().select('SELECT id FROM measurement_journal', {})).toEqual([]);
    await expected();
  });

  test('answers after a restart what it answered before, to the last digit', async () => {
    const recorder = started();
    for (const [index, bytes] of [151_699_488, 151_699_503, 0.123_456_789, 1 / 3].entries())
      measure(recorder, noon + index * 10_000, bytes);
    await recorder.save();
    const next = started();
    await next.open();
    expect(await read(next, tens)).toEqual(await read(recorder, tens));
  });

  test('adds an open hour to the same day’s rolled up hours', async () => {
    const recorder = started();
    measure(recorder, noon, 10);
    now = noon + hour + 2 * minute;
    await recorder.save();
    measure(recorder, now, 30);
    expect(await read(recorder, days)).toEqual([[-720, 2, 40, 30]]);
    now = noon + 2 * hour + 2 * minute;
    await recorder.save();
    expect(await read(recorder, days)).toEqual([[-720, 2, 40, 30]]);
    expect(await read(recorder, hours)).toEqual([
      [0, 1, 10, 10],
      [60, 1, 30, 30],
    ]);
  });

  test('a new manager continues with what was saved, and loses only what was not', async () => {
    const killed = started();
    measure(killed, noon, 10);
    measure(killed, noon + minute, 20);
    await killed.save();
    measure(killed, noon + 2 * minute, 40);

    const next = started();
    await next.open();
    expect(await read(next, minutes)).toEqual([
      [0, 1, 10, 10],
      [1, 1, 20, 20],
    ]);
    measure(next, noon + 3 * minute, 80);
    now = noon + hour + 2 * minute;
    await next.save();
    expect(await read(next, hours)).toEqual([[0, 3, 110, 80]]);
  });

  test('a manager killed after a roll-up, before its journal was emptied, counts nothing twice', async () => {
    const history = createHistoryStore(store());
    const killed = createRecorder({ ...history, removeJournal: () => Promise.reject(new Error('killed')) }, clock);
    measure(killed, noon, 10);
    now = noon + hour + 2 * minute;
    await expect(killed.save()).rejects.toThrow('killed');

    const next = started();
    await next.open();
    await next.save();
    expect(await read(next, hours)).toEqual([[0, 1, 10, 10]]);
    expect(await read(next, days)).toEqual([[-720, 1, 10, 10]]);
  });

  test('keeps what could not be saved for the next time', async () => {
    const history = createHistoryStore(store());
    let fails = true;
    const append: typeof history.append = (row) =>
      fails ? Promise.reject(new Error('no store')) : history.append(row);
    const recorder = createRecorder({ ...history, append }, clock);
    measure(recorder, noon, 10);
    await expect(recorder.save()).rejects.toThrow('no store');
    fails = false;
    measure(recorder, noon + 1_000, 20);
    await recorder.save();

    const next = started();
    await next.open();
    expect(await read(next, minutes)).toEqual([[0, 2, 30, 20]]);
  });

  test('a measurement that arrives after its hour was rolled up counts to the open one', async () => {
    const recorder = started();
    measure(recorder, noon, 10);
    now = noon + hour + 2 * minute;
    await recorder.save();
    measure(recorder, noon + 59 * minute, 30);
    expect(await read(recorder, hours)).toEqual([
      [0, 1, 10, 10],
      [60, 1, 30, 30],
    ]);
  });

  test('removes what is too old, by level', async () => {
    const recorder = started();
    measure(recorder, noon, 10);
    now = noon + hour + 2 * minute;
    await recorder.save();
    now = noon + 2 * 24 * hour;
    measure(recorder, now, 1);
    now += hour + 2 * minute;
    await recorder.save();
    expect((await read(recorder, minutes)).map(([at]) => at)).toEqual([2 * 24 * 60]);
    expect(await read(recorder, hours)).toHaveLength(2);
    now = noon + 40 * 24 * hour;
    measure(recorder, now, 1);
    now += hour + 2 * minute;
    await recorder.save();
    expect((await read(recorder, hours)).map(([at]) => at)).toEqual([40 * 24 * 60]);
    expect(await read(recorder, days)).toHaveLength(3);
  });

  test('forgets a subject, and what a deleted tenant left', async () => {
    const recorder = started();
    const tenant = { kind: 'tenant', id: newId() } as const;
    recorder.add(tenant, new Date(noon), { tenantry_tenant_up: 1 });
    measure(recorder, noon, 10);
    now = noon + hour + 2 * minute;
    await recorder.save();
    // No tenant has this id.
    expect([...(await recorder.read({ level: days, step: days.step, from: 0 })).keys()]).toEqual(['manager:']);
    await recorder.forget(manager);
    expect(await store().select('SELECT subject FROM measurement_blocks', {})).toEqual([]);
  });

  test('keeps the precision of seven digits in the store', async () => {
    const recorder = started();
    measure(recorder, noon, 123_456_789_012);
    now = noon + hour + 2 * minute;
    await recorder.save();
    const [[, , sum = 0] = []] = await read(recorder, hours);
    expect(Math.abs(sum / 123_456_789_012 - 1)).toBeLessThan(1e-7);
  });
});
