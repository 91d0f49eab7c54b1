import { expect, test } from '@jest/globals';
import type { UnitExit, UnitState } from '../../../../src/adapters/runtimes/runtime.ts';
import { CrashLoops } from '../../../../src/features/health/checks/crash-loops.ts';

const start = Date.parse('2026-11-29T03:00:00.000Z');
const at = (seconds: number): Date => new Date(start + seconds * 1_000);
const active = (startedAt: number, restarts: number | undefined, more: Partial<UnitState> = {}): UnitState => ({
  ...{ state: 'active', commit: 'c', reason: null, gaveUp: false, generation: 'g', startedAt: at(startedAt), restarts },
  ...more,
});
const exit = (seconds: number): UnitExit => ({
  code: 1,
  signal: null,
  outOfMemory: false,
  startedAt: null,
  at: at(seconds),
});

/** What each check says: the number of restarts of the loop; undefined: none. */
function observe(checks: readonly (readonly [number, UnitState])[]) {
  const loops = new CrashLoops();
  return checks.map(([seconds, state]) => loops.observe('t', 'api', state, at(seconds))?.restarts);
}

test('a unit that a check sees only while it runs is in a crash loop from its third restart on, until it has been quiet', () => {
  const checks = [0, 50, 100, 150, 200].map((seconds, index) => [seconds + 5, active(seconds, index)] as const);
  const quiet = [300, 500, 506].map((seconds) => [seconds, active(200, 4)] as const);
  expect(observe([...checks, ...quiet])).toEqual([undefined, undefined, undefined, 3, 4, 4, 4, undefined]);
});

test('restarts are counted as runtimes count them: from one steady run to the next, from ends, and up to a limit', () => {
  const process = [1, 2, 3, 4].map((n) => [n * 90, active(n * 90 - 20, 1, { lastExit: exit(n * 90 - 21) })] as const);
  expect(observe([[0, active(-100, 0)], ...process])).toEqual([undefined, undefined, undefined, 3, 4]);
  const full = [1, 2, 3, 4].map((n) => [n * 60, active(n * 60 - 20, 4)] as const);
  expect(observe(full)).toEqual([undefined, undefined, undefined, 3]);
  const waits = { state: 'inactive', reason: 'Exit code 1', lastExit: exit(48) } as const;
  // The end and the start after it are one restart.
  expect(
    observe([
      [0, active(0, 0)],
      [50, active(0, 1, waits)],
      [60, active(59, 1)],
    ]),
  ).toEqual(Array(3).fill(undefined));
});

test('a start by the manager, another generation and long pauses start the count again', () => {
  const crashed = [0, 1, 2].map((n) => [n * 30, active(n * 30 - 5, n)] as const);
  expect(observe([...crashed, [80, active(79, 0)], [110, active(109, 1)]])).toEqual(Array(5).fill(undefined));
  expect(observe([...crashed, [80, active(79, 1, { generation: 'h' })]])).toEqual(Array(4).fill(undefined));
  const daily = [1, 2, 3, 4].map((n) => [n * 86_400, active(n * 86_400 - 5, n)] as const);
  expect(observe(daily)).toEqual(Array(4).fill(undefined));
  // A manager that has just started knows nothing of how old the count is.
  expect(observe([[0, active(-5, 30)]])).toEqual([undefined]);
});
