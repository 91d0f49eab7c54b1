import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { AppError } from '../../../src/lib/errors.ts';
import { runTask, WorkerError } from '../../../src/lib/workers/worker-task.ts';
import { patienceMs } from '../../harness/patience.ts';

const entry = new URL('worker-entry.ts', import.meta.url);
const run = (what: string, more: Partial<Parameters<typeof runTask<object, number, unknown>>[2]> = {}, count = 0) =>
  runTask<object, number, unknown>(entry, { what, count }, { heapMb: 32, processorMs: patienceMs, ...more });

describe('a task in a worker thread', () => {
  test('messages arrive in order, all before the result, and the task waits for the receiver', async () => {
    const taken: number[] = [];
    let open = 0;
    let most = 0;
    const result = await run(
      'count',
      {
        onMessage: async (number) => {
          open += 1;
          most = Math.max(most, open);
          await turn();
          taken.push(number);
          open -= 1;
        },
      },
      50,
    );
    expect(result).toBe('counted');
    expect(taken).toEqual(Array.from({ length: 50 }, (_, at) => at + 1));
    expect(most).toBe(1);
  });

  test('a task waits for a receiver that never finishes', async () => {
    const stop = new AbortController();
    let received = 0;
    const work = run(
      'count',
      {
        signal: stop.signal,
        onMessage: () => {
          received += 1;
          if (received === 1) setTimeout(() => stop.abort(new Error('enough')), 200);
          return new Promise(() => undefined);
        },
      },
      1_000,
    );
    await expect(work).rejects.toThrow('enough');
    expect(received).toBe(1);
  });

  test('an AppError arrives complete', async () => {
    const failed = run('refuse');
    await expect(failed).rejects.toBeInstanceOf(AppError);
    await expect(failed).rejects.toMatchObject({
      code: 'validation_error',
      message: 'sheet: none',
      issues: [{ path: 'sheet', message: 'none' }],
    });
  });

  test('reports a programming error as a fault of the manager', async () => {
    await expect(run('bug')).rejects.toThrow('worker thread failed: a mistake in the task');
    await expect(run('bug')).rejects.toBeInstanceOf(WorkerError);
  });

  test('an error of the receiver ends the task', async () => {
    const onMessage = (): never => {
      throw new Error('no room');
    };
    await expect(run('count', { onMessage }, 1_000_000)).rejects.toThrow('no room');
  });

  test('reports a full heap in the agreed words', async () => {
    const outOfMemory = (): Error => new AppError('unsupported_file', 'too large');
    await expect(run('fill', { outOfMemory })).rejects.toMatchObject({ code: 'unsupported_file' });
    await expect(run('fill')).rejects.toMatchObject({ code: 'ERR_WORKER_OUT_OF_MEMORY' });
  });

  test('ends an endless task: at the timeout, by a signal', async () => {
    await expect(run('spin', { processorMs: 300, timedOut: () => new Error('too slow') })).rejects.toThrow('too slow');
    await expect(run('spin', { processorMs: 300 })).rejects.toThrow('Not done after 300 ms of processor time');
    await expect(run('spin', { signal: AbortSignal.timeout(300) })).rejects.toMatchObject({ name: 'TimeoutError' });
    await expect(run('spin', { signal: AbortSignal.abort() })).rejects.toMatchObject({ name: 'AbortError' });
  });

  test('time in which a task only waits does not count: on a busy machine its start takes longer', async () => {
    await expect(run('wait', { processorMs: 1_000 }, 2_000)).resolves.toBe('waited');
  });

  test('reports a thread that exits early as an error', async () => {
    await expect(run('leave')).rejects.toThrow(new WorkerError('it ended without a result'));
  });

  test('sees nothing of the manager’s environment but the compile cache', async () => {
    const { NODE_COMPILE_CACHE: _cache, ...others } = (await run('environment')) as NodeJS.ProcessEnv;
    expect(others).toEqual({});
  });
});
