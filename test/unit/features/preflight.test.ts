import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { type Check, runChecks } from '../../../src/features/preflight/run.ts';
import type { CheckResult } from '../../../src/features/preflight/schema.ts';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

const untilEnded = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));
const run = (checks: Check[], changes: CheckResult[][] = [], signal = new AbortController().signal) =>
  runChecks(checks, { log: () => undefined, signal }, async (results) => void changes.push(results));

test('a check without an answer ends after 20 s, and the others have ended before', async () => {
  const changes: CheckResult[][] = [];
  const running = run(
    [
      { code: 'runtime', run: ({ signal }) => untilEnded(signal) },
      { code: 'clock', run: async () => 'here' },
      { code: 'network', after: ['runtime'], run: async () => undefined },
    ],
    changes,
  );
  await jest.advanceTimersByTimeAsync(19_999);
  expect(changes.at(-1)?.map(({ status }) => status)).toEqual(['running', 'good', 'pending']);
  await jest.advanceTimersByTimeAsync(1);
  const results = await running;
  expect(results.map(({ status }) => status)).toEqual(['failed', 'good', 'good']);
  expect(results[0]).toMatchObject({
    cause: { code: 'too_slow', params: { seconds: '20' } },
    remedy: { code: 'check_again' },
  });
});

test('a pull that moves goes on and says so; one that does not move ends', async () => {
  const changes: CheckResult[][] = [];
  const lines = ['1: Downloading', '2: Downloading', '3: Downloading'];
  const moving = run(
    [
      {
        code: 'base_image',
        moves: true,
        async run({ log, signal }) {
          for (const line of lines) {
            await new Promise((resolve) => setTimeout(resolve, 15_000));
            log(line);
          }
          return untilEnded(signal);
        },
      },
    ],
    changes,
  );
  await jest.advanceTimersByTimeAsync(64_999);
  expect(changes.map(([result]) => result?.detail)).toEqual([null, ...lines]);
  expect(changes.at(-1)?.[0]?.status).toBe('running');
  await jest.advanceTimersByTimeAsync(1);
  expect(await moving).toMatchObject([{ status: 'failed', cause: { code: 'too_slow' } }]);
});

test('an aborted signal ends the running checks, and no other one starts', async () => {
  const stop = new AbortController();
  const started: string[] = [];
  const running = run(
    [
      {
        code: 'runtime',
        run({ signal }) {
          started.push('runtime');
          return untilEnded(signal);
        },
      },
      {
        code: 'network',
        after: ['runtime'],
        async run() {
          started.push('network');
          return undefined;
        },
      },
    ],
    [],
    stop.signal,
  );
  await jest.advanceTimersByTimeAsync(0);
  stop.abort(new Error('stopped'));
  await expect(running).rejects.toThrow('stopped');
  expect(started).toEqual(['runtime']);
});
