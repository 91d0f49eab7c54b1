import { appendFileSync, copyFileSync, statSync } from 'node:fs';
import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { LogTimes, timesFrom } from '../../../../src/adapters/runtimes/recorded/process/logs/log-times.ts';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tenantry-log-times-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

test('keeps a limited number of times for a log that is written byte by byte, one for each byte', async () => {
  const log = join(directory, 'api.log');
  await writeFile(log, '');
  const times = new LogTimes(log, 64);
  const before = Date.now();
  for (let written = 1; written <= 5_000; written += 1) {
    appendFileSync(log, 'x');
    times.mark();
    expect(statSync(`${log}.times`).size).toBeLessThanOrEqual(64 * 16);
  }
  const known = (path: string, from: number, to: number) => {
    const timeAt = timesFrom(path, from);
    return Array.from({ length: to - from }, (_, index) => timeAt(from + index)?.getTime() ?? 0);
  };
  const all = known(log, 0, 5_000);
  expect(all).toEqual(all.toSorted((one, other) => one - other));
  expect(all[0]).toBeGreaterThanOrEqual(before);
  expect(new Set(all).size).toBeGreaterThan(1);
  expect(known(log, 4_321, 5_000)).toEqual(all.slice(4_321));

  copyFileSync(log, `${log}.1`);
  times.moveToArchive(`${log}.1`, 0);
  expect(known(`${log}.1`, 0, 5_000)).toEqual(all);
  await truncate(log);
  appendFileSync(log, 'next');
  times.mark();
  expect(statSync(`${log}.times`).size).toBe(16);
});
