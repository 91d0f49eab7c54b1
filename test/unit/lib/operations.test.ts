import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { systemClock } from '../../../src/lib/clock.ts';
import { createLogger } from '../../../src/lib/logger.ts';
import { OperationEngine } from '../../../src/lib/operations/engine.ts';
import type {
  OperationDefinition,
  OperationJournal,
  OperationRecord,
  Step,
} from '../../../src/lib/operations/operation.ts';
import { boundedLog, stepLog } from '../../../src/lib/operations/step-log.ts';

/** Practically for ever: a useless wait ends with the test's timeout. */
const hour = 3_600_000;

type State = { done?: string[] };
type Input = Record<string, unknown>;

/** A store that keeps what a disk would: copies, taken at the moment of saving. */
class MemoryJournal implements OperationJournal {
  readonly rows = new Map<string, OperationRecord>();
  readonly history: OperationRecord[] = [];

  async insert(record: OperationRecord): Promise<void> {
    await this.save(record);
  }

  async save(record: OperationRecord): Promise<void> {
    const cancelRequestedAt = this.rows.get(record.id)?.cancelRequestedAt ?? record.cancelRequestedAt;
    const row = structuredClone({ ...record, cancelRequestedAt });
    this.rows.set(record.id, row);
    this.history.push(row);
  }

  async requestCancel(id: string, at: Date): Promise<void> {
    const row = this.rows.get(id);
    if (row) this.rows.set(id, { ...row, cancelRequestedAt: at });
  }

  async unfinished(): Promise<OperationRecord[]> {
    return [...this.rows.values()]
      .filter(({ status }) => status === 'queued' || status === 'running')
      .map((row) => structuredClone(row));
  }
}

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tenantry-operations-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

function engineWith(
  journal: OperationJournal,
  steps: Step<Input, State>[],
  extra: Partial<OperationDefinition<Input, State>> = {},
  { room = 1, stepTimeoutMs = 5_000, graceMs = 100, isTransient = (_error: unknown): boolean => false } = {},
) {
  const engine = new OperationEngine({
    journal,
    directory,
    clock: systemClock,
    logger: createLogger({ level: 'silent' }),
    concurrency: async () => room,
    stepTimeoutMs: async () => stepTimeoutMs,
    graceMs,
    isTransient,
    messages: {
      progress: (record) => ({ type: 'progress', status: record.status }),
      log: (message) => ({ type: 'log', message }),
      complete: (record) => ({ type: 'complete', status: record.status }),
    },
  });
  engine.register<Input, State>({
    kind: 'work',
    steps,
    parseInput: (value) => value as Input,
    parseState: (value) => value as State,
    ...extra,
  });
  return engine;
}

/** A step that records its calls in `calls`, and keeps its own mark in the state. */
function step(name: string, calls: string[], run?: Step<Input, State>['run']): Step<Input, State> {
  return {
    name,
    async run(context) {
      calls.push(`run ${name}`);
      await run?.(context);
      await context.save({ done: [...(context.state.done ?? []), name] });
    },
    async undo() {
      calls.push(`undo ${name}`);
    },
  };
}

async function messagesOf(
  engine: OperationEngine,
  id: string,
): Promise<{ seq: number; type: string; message?: string }[]> {
  const messages = [];
  for await (const batch of (await engine.stream(id)).follow(0, new AbortController().signal)) {
    messages.push(...batch.map(({ json }) => JSON.parse(json)));
  }
  return messages;
}

describe('operations', () => {
  test('retries a step while the store is unavailable; any other error fails it', async () => {
    const calls: string[] = [];
    const away = new Error('the database does not answer');
    const engine = engineWith(
      new MemoryJournal(),
      [
        step('a', calls, async () => {
          if (calls.length < 3) throw away;
        }),
        step('b', calls, async () => {
          throw new Error('no');
        }),
      ],
      {},
      { isTransient: (error) => error === away },
    );
    const { id } = await engine.submit('work', 'tenant', {});
    const record = await engine.ended(id);
    expect(record).toMatchObject({ status: 'failed', error: { step: 'b', message: 'no' } });
    expect(calls).toEqual(['run a', 'run a', 'run a', 'run b', 'undo b', 'undo a']);
  });

  test('a started step may end as skipped; the operation continues, and a later failure undoes it too', async () => {
    const calls: string[] = [];
    const engine = engineWith(new MemoryJournal(), [
      { ...step('a', calls), run: async () => ({ skipped: 'no source has one today' }) },
      step('b', calls),
      step('c', calls, async ({ input }) => {
        if ((input as { fail?: boolean }).fail) throw new Error('no');
        return undefined;
      }),
    ]);
    const { id } = await engine.submit('work', 'tenant', {});
    const record = await engine.ended(id);
    expect(record?.status).toBe('success');
    expect(record?.steps[0]).toMatchObject({
      status: 'skipped',
      reason: 'no source has one today',
      duration: expect.any(Number),
    });
    expect(JSON.stringify(await messagesOf(engine, id))).toContain('a: skipped, no source has one today');

    calls.length = 0;
    const failed = await engine.submit('work', 'tenant', { fail: true });
    expect((await engine.ended(failed.id))?.status).toBe('failed');
    expect(calls).toContain('undo a');
  });

  test('runs steps in order, saves each before it starts, and reports all without a gap', async () => {
    const journal = new MemoryJournal();
    const calls: string[] = [];
    const engine = engineWith(journal, [
      step('a', calls),
      { ...step('b', calls), skip: () => 'not needed' },
      step('c', calls),
    ]);
    const { id } = await engine.submit('work', 'tenant', {});
    const record = await engine.ended(id);

    expect(calls).toEqual(['run a', 'run c']);
    expect(record?.steps.map(({ status }) => status)).toEqual(['success', 'skipped', 'success']);
    expect(record?.steps[1]?.reason).toBe('not needed');
    expect(journal.history.some(({ steps }) => steps[0]?.status === 'running')).toBe(true);
    const messages = await messagesOf(engine, id);
    expect(messages.map(({ seq }) => seq)).toEqual(messages.map((_, index) => index + 1));
    expect(messages.at(-1)).toMatchObject({ type: 'complete', status: 'success' });
  });

  test('a failure undoes the started steps in reverse order, and is reported with step and reason', async () => {
    const journal = new MemoryJournal();
    const calls: string[] = [];
    const fail = step('c', calls, async () => {
      throw new Error('disk on fire');
    });
    const ends: unknown[] = [];
    const engine = engineWith(journal, [step('a', calls), step('b', calls), fail, step('d', calls)], {
      async settle(_context, end) {
        ends.push(end);
      },
    });
    const { id } = await engine.submit('work', 'tenant', {});
    const record = await engine.ended(id);

    expect(calls).toEqual(['run a', 'run b', 'run c', 'undo c', 'undo b', 'undo a']);
    expect(record).toMatchObject({ status: 'failed', error: { step: 'c', message: 'disk on fire' } });
    expect(record?.steps.map(({ status }) => status)).toEqual(['success', 'success', 'failed', 'pending']);
    expect(ends).toEqual([{ outcome: 'failed', error: { step: 'c', message: 'disk on fire' } }]);
  });

  test('reports a failed undo, and runs the others', async () => {
    const calls: string[] = [];
    const stuck: Step<Input, State> = {
      ...step('b', calls, async () => {
        throw new Error('no');
      }),
      async undo() {
        throw new Error('engine gone');
      },
    };
    const engine = engineWith(new MemoryJournal(), [step('a', calls), stuck]);
    const { id } = await engine.submit('work', 'tenant', {});
    const record = await engine.ended(id);
    expect(calls).toContain('undo a');
    expect(record?.error?.message).toMatch(/no; b could not be rolled back: engine gone/);
    expect(record?.error?.notPutBack).toEqual(['b']);
  });

  test('an undo that fails, then succeeds after a crash of the manager, counts as done', async () => {
    const journal = new MemoryJournal();
    const calls: string[] = [];
    let gone = true;
    const first: Step<Input, State> = {
      ...step('a', calls),
      async undo(context) {
        await context.save({ done: ['putting a back'] });
      },
    };
    const stuck: Step<Input, State> = {
      ...step('b', calls, () => Promise.reject(new Error('x could not be rolled back: no'))),
      async undo() {
        if (gone) throw new Error('engine gone');
      },
    };
    const engine = engineWith(journal, [first, stuck]);
    const { id } = await engine.submit('work', 'tenant', {});
    await engine.ended(id);
    // The manager is killed when the undo of a, which comes after that of b, has saved something.
    const crashed = journal.history.findLast(({ phase }) => phase === 'undo');
    if (!crashed) throw new Error('nothing was saved during the rollback');
    expect(crashed.state).toEqual({ done: ['putting a back'] });
    const left = new MemoryJournal();
    await left.save(crashed);
    gone = false;
    const next = engineWith(left, [first, stuck]);
    await next.recover();
    const error = (await next.ended(id))?.error;
    expect(error).toEqual({ step: 'b', message: 'x could not be rolled back: no' });
  });

  test('an operation whose end is saved can no longer be cancelled', async () => {
    const journal = new MemoryJournal();
    const engine = engineWith(journal, [step('a', [])]);
    const { id } = await engine.submit('work', 'tenant', {});
    const answers: boolean[] = [];
    const save = journal.save.bind(journal);
    journal.save = async (record) => {
      await save(record);
      if (record.status === 'success') answers.push(await engine.cancel(id));
    };
    await engine.ended(id);
    expect(answers).toEqual([false]);
  });

  test('cancel aborts the running step by its signal and undoes it; a queued operation never starts', async () => {
    const calls: string[] = [];
    const slow = step('a', calls, ({ signal }) => sleep(hour, undefined, { signal }));
    const engine = engineWith(new MemoryJournal(), [slow]);
    const first = await engine.submit('work', 'one', {});
    const second = await engine.submit('work', 'two', {});
    await sleep(20);
    const ends = [engine.ended(first.id), engine.ended(second.id)];
    expect(await engine.cancel(second.id)).toBe(true);
    expect(await engine.cancel(first.id)).toBe(true);
    const [one, two] = await Promise.all(ends);
    expect([one?.status, two?.status]).toEqual(['cancelled', 'cancelled']);
    expect(calls).toEqual(['run a', 'undo a']);
    expect(await engine.cancel(first.id)).toBe(false);
  });

  test('runs one at a time on a subject, and names it; limits the total number, oldest first', async () => {
    const calls: string[] = [];
    let running = 0;
    let most = 0;
    const busy = step('a', calls, async ({ subject }) => {
      calls.push(subject);
      running += 1;
      most = Math.max(most, running);
      await sleep(10);
      running -= 1;
    });
    const engine = engineWith(new MemoryJournal(), [busy], {}, { room: 2 });
    const subjects = ['1', '2', '3', '4', '5', '6'];
    const records = [];
    for (const subject of subjects) records.push(await engine.submit('work', subject, {}));
    await expect(engine.submit('work', '6', {})).rejects.toMatchObject({
      code: 'operation_in_progress',
      message: expect.stringContaining('work'),
    });
    await expect(engine.exclusive('6', 'stop', async () => undefined)).rejects.toMatchObject({
      code: 'operation_in_progress',
    });
    await Promise.all(records.map(({ id }) => engine.ended(id)));
    expect(most).toBe(2);
    expect(calls.filter((call) => subjects.includes(call))).toEqual(subjects);
    await expect(engine.exclusive('6', 'stop', async () => 'done')).resolves.toBe('done');
  });

  test('waits for one that only has to save its end; no longer than for that', async () => {
    const settled = Promise.withResolvers<void>();
    const settling = Promise.withResolvers<void>();
    const order: string[] = [];
    const engine = engineWith(new MemoryJournal(), [step('a', [])], {
      async settle() {
        settling.resolve();
        await settled.promise;
        order.push('settled');
      },
    });
    await engine.submit('work', 'tenant', {});
    await settling.promise;
    const next = engine.exclusive('tenant', 'stop', async () => void order.push('next'));
    settled.resolve();
    await next;
    expect(order).toEqual(['settled', 'next']);
  });

  test('waits for work in the background, which does not make its subject busy', async () => {
    const order: string[] = [];
    const engine = engineWith(new MemoryJournal(), [step('a', [], async () => void order.push('operation'))]);
    const ended = Promise.withResolvers<void>();
    const background = engine.inBackground('tenant', 'proxy', async () => {
      await ended.promise;
      order.push('background');
    });
    expect(engine.isBusy('tenant')).toBe(false);
    engine.assertIdle('tenant');
    const asked = engine.submit('work', 'tenant', {});
    ended.resolve();
    await engine.ended((await asked).id);
    await background;
    expect(order).toEqual(['background', 'operation']);
    await expect(engine.inBackground('tenant', 'proxy', () => Promise.reject(new Error('failed')))).rejects.toThrow();
    await expect(engine.exclusive('tenant', 'stop', async () => 'done')).resolves.toBe('done');
  });

  test('immediate work does not wait for a slot', async () => {
    const engine = engineWith(new MemoryJournal(), [step('a', [], ({ signal }) => sleep(hour, undefined, { signal }))]);
    const done: string[] = [];
    engine.register<Input, State>({
      kind: 'delete',
      immediate: true,
      steps: [step('b', done)],
      parseInput: (value) => value as Input,
      parseState: (value) => value as State,
    });
    const slow = await engine.submit('work', 'one', {});
    const quick = await engine.submit('delete', 'two', {});
    expect((await engine.ended(quick.id))?.status).toBe('success');
    expect(engine.counts()).toEqual({ queued: 0, running: 1 });
    await engine.cancel(slow.id);
    await engine.ended(slow.id);
  });

  test('is known by an id of the caller; a caller that waits for one that never started gets the shutdown error', async () => {
    const waits = step('a', [], ({ signal }) => sleep(hour, undefined, { signal }));
    const engine = engineWith(new MemoryJournal(), [waits], {}, { room: 1 });
    expect((await engine.submit('work', 'one', {}, {}, 'my own')).id).toBe('my own');
    const { id } = await engine.submit('work', 'two', {});
    const ended = engine.ended(id);
    await engine.stop();
    await expect(ended).rejects.toThrow('stopping');
  });

  test('after a kill at any save, a new manager completes it, and every step has run', async () => {
    for (const fails of [false, true]) {
      const journal = new MemoryJournal();
      const calls: string[] = [];
      const last = step('c', calls, async () => {
        if (fails) throw new Error('broken');
      });
      const steps = [step('a', calls), step('b', calls), last];
      const first = engineWith(journal, steps);
      const { id } = await first.submit('work', 'tenant', {});
      await first.ended(id);

      for (const snapshot of journal.history.filter(({ status }) => status === 'queued' || status === 'running')) {
        const left = new MemoryJournal();
        await left.save(snapshot);
        calls.length = 0;
        const second = engineWith(left, steps);
        await second.recover();
        const end = await second.ended(snapshot.id);
        expect(end?.status).toBe(fails ? 'failed' : 'success');
        const beforeCrash = snapshot.steps
          .filter(({ status }) => status === 'success')
          .map(({ name }) => `run ${name}`);
        if (snapshot.phase === 'forward')
          expect([...beforeCrash, ...calls.filter((call) => call.startsWith('run'))]).toEqual([
            'run a',
            'run b',
            'run c',
          ]);
        if (fails && snapshot.phase !== 'settle') expect(calls.slice(-3)).toEqual(['undo c', 'undo b', 'undo a']);
        if (snapshot.phase === 'settle') expect(calls).toEqual([]);
      }
    }
  });

  test('gives up an operation that repeatedly crashes the manager', async () => {
    const journal = new MemoryJournal();
    const calls: string[] = [];
    const engine = engineWith(journal, [step('a', calls)]);
    const { id } = await engine.submit('work', 'tenant', {});
    await engine.ended(id);
    const [queued] = journal.history;
    if (!queued) throw new Error('nothing was saved');
    const left = new MemoryJournal();
    await left.save({ ...queued, status: 'running', attempts: 3 });
    calls.length = 0;
    const next = engineWith(left, [step('a', calls)]);
    await next.recover();
    const end = await next.ended(id);
    expect(end).toMatchObject({
      status: 'failed',
      error: { step: 'a', message: expect.stringContaining('crashed 3 times') },
    });
    expect(calls).toEqual([]);
  });

  test('stop leaves the operation open and undoes nothing; the next manager completes it', async () => {
    const journal = new MemoryJournal();
    const calls: string[] = [];
    let blocked = true;
    const slow = step('a', calls, async ({ signal }) => {
      if (blocked) await sleep(hour, undefined, { signal });
    });
    const engine = engineWith(journal, [slow]);
    const { id } = await engine.submit('work', 'tenant', {});
    await sleep(20);
    await engine.stop();
    expect(journal.rows.get(id)).toMatchObject({ status: 'running', phase: 'forward' });
    expect(calls).toEqual(['run a']);
    await expect(engine.submit('work', 'other', {})).rejects.toMatchObject({ code: 'shutting_down' });

    blocked = false;
    const next = engineWith(journal, [slow]);
    await next.recover();
    expect(await next.ended(id)).toMatchObject({ status: 'success', attempts: 1 });
  });
});

describe('stopping', () => {
  test.each([
    ['a cancel', (signal: AbortSignal) => sleep(hour, undefined, { signal })],
    ['a failure', () => Promise.reject(new Error('broken'))],
  ])('reaches an operation that is being recovered after %s', async (how, work) => {
    const journal = new MemoryJournal();
    const undoing = Promise.withResolvers<void>();
    const engine = engineWith(journal, [
      {
        name: 'a',
        run: ({ signal }) => work(signal),
        async undo({ signal }) {
          undoing.resolve();
          await sleep(hour, undefined, { signal });
        },
      },
    ]);
    const { id } = await engine.submit('work', 'tenant', {});
    await sleep(20);
    if (how === 'a cancel') await engine.cancel(id);
    await undoing.promise;
    await engine.stop();
    expect(journal.rows.get(id)).toMatchObject({ status: 'running', phase: 'undo' });
  });

  test('does not lose a cancellation', async () => {
    const journal = new MemoryJournal();
    const calls: string[] = [];
    const slow = step('a', calls, async ({ signal }) => {
      await sleep(hour, undefined, { signal }).catch(() => sleep(50));
    });
    const engine = engineWith(journal, [slow]);
    const { id } = await engine.submit('work', 'tenant', {});
    await sleep(20);
    await engine.cancel(id);
    await engine.stop();
    expect(calls).toEqual(['run a']);
    const next = engineWith(journal, [slow]);
    await next.recover();
    expect(await next.ended(id)).toMatchObject({ status: 'cancelled' });
    expect(calls).toEqual(['run a', 'undo a']);
  });

  test('just before an operation starts leaves it queued', async () => {
    const journal = new MemoryJournal();
    const calls: string[] = [];
    const engine = engineWith(journal, [step('a', calls)]);
    const { id } = await engine.submit('work', 'tenant', {});
    await engine.stop();
    await sleep(50);
    expect(calls).toEqual([]);
    expect(journal.rows.get(id)).toMatchObject({ status: 'queued', attempts: 0 });
  });

  test('does not wait for an unavailable store', async () => {
    const journal = new MemoryJournal();
    const engine = engineWith(journal, [step('a', [])]);
    const { id } = await engine.submit('work', 'tenant', {});
    journal.save = async () => {
      throw new Error('connection lost');
    };
    await sleep(1_200);
    await engine.stop();
    expect(journal.rows.get(id)).toMatchObject({ status: 'queued' });
  });
});

describe('an unavailable store', () => {
  test('is waited for while publishing the end, and the subject stays locked', async () => {
    let refusals = 0;
    const engine = engineWith(new MemoryJournal(), [step('a', [])], {
      async settle() {
        refusals += 1;
        if (refusals < 3) throw new Error('connection lost');
      },
    });
    const { id } = await engine.submit('work', 'tenant', {});
    await sleep(100);
    expect(engine.isBusy('tenant')).toBe(true);
    expect((await engine.ended(id))?.status).toBe('success');
  });

  test('is waited for: nothing runs unrecorded, and nothing is lost', async () => {
    const journal = new MemoryJournal();
    const calls: string[] = [];
    let refusals = 0;
    const save = journal.save.bind(journal);
    journal.save = async (record) => {
      if (record.steps[0]?.status === 'running' && refusals < 2) {
        refusals += 1;
        throw new Error('connection lost');
      }
      await save(record);
    };
    const engine = engineWith(journal, [step('a', calls)]);
    const { id } = await engine.submit('work', 'tenant', {});
    expect((await engine.ended(id))?.status).toBe('success');
    expect(refusals).toBe(2);
    expect(calls).toEqual(['run a']);
  });
});

test('two open records of one subject do not prevent a manager from starting', async () => {
  const journal = new MemoryJournal();
  const calls: string[] = [];
  const engine = engineWith(journal, [step('a', calls)]);
  const { id } = await engine.submit('work', 'tenant', {});
  await engine.ended(id);
  const [queued] = journal.history;
  if (!queued) throw new Error('nothing was saved');
  const left = new MemoryJournal();
  await left.save({ ...queued, id: 'first' });
  await left.save({ ...queued, id: 'second' });
  calls.length = 0;
  const next = engineWith(left, [step('a', calls)]);
  await next.recover();
  await next.ended('second');
  expect(calls).toEqual(['run a']);
  expect([left.rows.get('first')?.status, left.rows.get('second')?.status]).toEqual(['failed', 'success']);
});

test('truncates endless output, and reports it once', () => {
  const lines: string[] = [];
  const { log } = boundedLog((line) => lines.push(line), 1_000);
  for (let count = 0; count < 10_000; count += 1) log('y');
  expect(lines.length).toBeLessThan(25);
  expect(lines.filter((line) => line !== 'y')).toEqual(['The log is too long: further output is dropped']);
});

test('the last 512 KiB of a step are kept, however long or short its lines are', () => {
  const lines: string[] = [];
  const { log, end } = stepLog({ log: (line) => lines.push(line), left: () => 0 });
  for (let count = 0; count < 10; count += 1) log('long '.repeat(20_000));
  for (let count = 0; count < 1_000; count += 1) log('short');
  end();
  expect(lines.join('').length).toBeGreaterThan(400_000);
  expect(lines.filter((line) => line === 'short')).toHaveLength(1_000);
});

test('a step with endless output leaves space for the next one; keeps its first and last lines', async () => {
  const talk: Step<Input, State>['run'] = async ({ log }) => {
    for (let count = 0; count < 1_000_000; count += 1) log(`line ${count}`);
    return undefined;
  };
  const engine = engineWith(new MemoryJournal(), [
    ...[1, 2, 3].map((number) => step(`talk ${number}`, [], talk)),
    step('after', [], async ({ log }) => void log('and then this')),
  ]);
  const { id } = await engine.submit('work', 'tenant', {});
  await engine.ended(id);
  const lines = (await messagesOf(engine, id)).map(({ message }) => message);
  expect(lines).toContain('and then this');
  const at = (text: string): number[] => lines.flatMap((line, index) => (line === text ? [index] : []));
  const leftOut = lines.flatMap((line, index) => (/^… \d+ bytes dropped …$/.test(line ?? '') ? [index] : []));
  expect([at('line 0').length, leftOut.length, at('line 999999').length]).toEqual([3, 3, 3]);
  for (const turn of [0, 1, 2]) {
    expect(at('line 0')[turn]).toBeLessThan(leftOut[turn] as number);
    expect(at('line 999999')[turn]).toBeGreaterThan(leftOut[turn] as number);
  }
});

describe('a cancellation request', () => {
  test('survives a manager that is killed right after the response', async () => {
    const journal = new MemoryJournal();
    const calls: string[] = [];
    const thaw = Promise.withResolvers<undefined>();
    let waits: Promise<undefined> = thaw.promise;
    const steps = [step('a', calls), step('b', calls, () => waits)];
    const engine = engineWith(journal, steps, {}, { graceMs: 60_000 });
    const { id } = await engine.submit('work', 'tenant', {});
    await sleep(20);
    await engine.cancel(id);
    const left = new MemoryJournal();
    for (const row of journal.rows.values()) left.rows.set(row.id, structuredClone(row));

    waits = Promise.resolve(undefined);
    calls.length = 0;
    const next = engineWith(left, steps);
    await next.recover();
    expect(await next.ended(id)).toMatchObject({ status: 'cancelled', error: { step: 'b', message: 'Cancelled' } });
    expect(calls).toEqual(['undo b', 'undo a']);
    thaw.resolve(undefined);
    await engine.ended(id);
  });

  test('fails if it cannot be saved', async () => {
    const journal = new MemoryJournal();
    const engine = engineWith(journal, [step('a', [], () => sleep(100))]);
    const { id } = await engine.submit('work', 'tenant', {});
    await sleep(20);
    journal.requestCancel = async () => {
      throw new Error('connection lost');
    };
    await expect(engine.cancel(id)).rejects.toThrow('connection lost');
    expect((await engine.ended(id))?.status).toBe('success');
  });
});

test('orderly restarts of the manager do not count towards giving up', async () => {
  const journal = new MemoryJournal();
  let waits = true;
  const steps = [
    step('a', [], ({ signal }) => (waits ? sleep(hour, undefined, { signal }) : Promise.resolve(undefined))),
  ];
  let engine = engineWith(journal, steps);
  const { id } = await engine.submit('work', 'tenant', {});
  for (let restarts = 0; restarts < 5; restarts += 1) {
    await sleep(20);
    await engine.stop();
    engine = engineWith(journal, steps);
    await engine.recover();
  }
  await sleep(20);
  await engine.stop();
  waits = false;
  const last = engineWith(journal, steps);
  await last.recover();
  expect(await last.ended(id)).toMatchObject({ status: 'success', attempts: 1 });
});

describe('a step that ignores its signal', () => {
  /** A step that hangs until released, and then tries to continue. */
  function frozenStep(name: string, calls: string[]) {
    const thaw = Promise.withResolvers<void>();
    const late = Promise.withResolvers<unknown>();
    const frozen: Step<Input, State> = {
      name,
      async run(context) {
        calls.push(`run ${name}`);
        await thaw.promise;
        context.log('late words');
        late.resolve(await context.save({ done: ['late'] }).catch((error: Error) => error.message));
        return undefined;
      },
      async undo() {
        calls.push(`undo ${name}`);
      },
    };
    return { frozen, thaw: thaw.resolve, late: late.promise };
  }

  test('is abandoned after a cancel: its slot is free, its undo runs, and its late end changes nothing', async () => {
    const journal = new MemoryJournal();
    const calls: string[] = [];
    const { frozen, thaw, late } = frozenStep('b', calls);
    const engine = engineWith(journal, [step('a', calls), frozen]);
    const { id } = await engine.submit('work', 'tenant', {});
    const waiting = await engine.submit('work', 'other', {});
    await sleep(20);
    const ends = [engine.ended(id), engine.ended(waiting.id)];
    await engine.cancel(id);
    const end = await ends[0];
    expect(end).toMatchObject({ status: 'cancelled', state: { done: ['a'] } });
    expect(end?.error?.message).toBe('Cancelled; b did not end within 0.1 s of cancellation and was abandoned');
    expect(end?.steps[1]?.status).toBe('failed');
    expect(calls.slice(0, 4)).toEqual(['run a', 'run b', 'undo b', 'undo a']);

    await until(() => calls.length === 6);
    expect(engine.counts().running).toBe(1);
    await expect(engine.submit('work', 'tenant', {})).rejects.toMatchObject({ code: 'operation_in_progress' });
    thaw();
    expect(await late).toMatch(/was abandoned/);
    await until(() => !engine.isBusy('tenant'));
    expect(journal.rows.get(id)?.state).toEqual({ done: ['a'] });
    expect(JSON.stringify(await messagesOf(engine, id))).not.toContain('late words');
    await ends[1];
  });

  test('fails at the timeout', async () => {
    const calls: string[] = [];
    const { frozen, thaw } = frozenStep('a', calls);
    const engine = engineWith(new MemoryJournal(), [frozen], {}, { stepTimeoutMs: 50 });
    const { id } = await engine.submit('work', 'tenant', {});
    expect(await engine.ended(id)).toMatchObject({
      status: 'failed',
      error: { step: 'a', message: expect.stringMatching(/^Not finished within 0.05 s; it did not end within 0.1 s/) },
    });
    expect(calls).toEqual(['run a', 'undo a']);
    thaw();
  });

  test('an undo that does is reported, and the other undos run', async () => {
    const calls: string[] = [];
    const broken: Step<Input, State> = {
      ...step('b', calls, () => Promise.reject(new Error('no'))),
      undo: () => new Promise(() => undefined),
    };
    const engine = engineWith(new MemoryJournal(), [step('a', calls), broken], {}, { stepTimeoutMs: 50 });
    const { id } = await engine.submit('work', 'tenant', {});
    const end = await engine.ended(id);
    expect(end?.error?.message).toMatch(/^no; b could not be rolled back: Not finished within 0.05 s; it did not end/);
    expect(calls).toContain('undo a');
  });

  test('does not block an orderly stop of the manager; the next one continues', async () => {
    const journal = new MemoryJournal();
    const calls: string[] = [];
    const { frozen, thaw } = frozenStep('a', calls);
    const engine = engineWith(journal, [frozen]);
    const { id } = await engine.submit('work', 'tenant', {});
    await sleep(20);
    await engine.stop();
    expect(journal.rows.get(id)).toMatchObject({ status: 'running', phase: 'forward', attempts: 0 });
    const next = engineWith(journal, [step('a', calls)]);
    await next.recover();
    expect(await next.ended(id)).toMatchObject({ status: 'success', attempts: 1 });
    thaw();
  });
});

async function until(wanted: () => boolean): Promise<void> {
  while (!wanted()) await sleep(5);
}
