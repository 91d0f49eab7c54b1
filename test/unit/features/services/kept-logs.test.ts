import { appendFile, mkdtemp, open, readdir, readFile, rm, stat, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { assert, property, string } from 'fast-check';
import type {
  LogRequest,
  Runtime,
  TenantSpace,
  UnitLogLine,
  UnitState,
} from '../../../../src/adapters/runtimes/runtime.ts';
import { newLines } from '../../../../src/features/log-archive/keep/read-lines.ts';
import { framesIn } from '../../../../src/features/log-archive/keep/segment.ts';
import { filterBytes, mayContain, trigramsOf } from '../../../../src/features/log-archive/keep/trigrams.ts';
import { createLogKeeper } from '../../../../src/features/log-archive/log-archive.ts';
import { around, type SearchTask, search } from '../../../../src/features/log-archive/search/scan.ts';
import { createLogger } from '../../../../src/lib/logger.ts';
import { patienceMs } from '../../../harness/patience.ts';

const start = Date.parse('2026-11-25T20:00:00.000Z');
const second = 1_000;

/** A runtime whose api writes to one log for each generation, like Docker's. */
function loggingRuntime() {
  const logs = new Map<string, UnitLogLine[]>();
  let live = 'first';
  let written = 0;
  const state = (): UnitState => ({
    ...{ state: 'active', commit: `commit of ${live}`, reason: null, gaveUp: false },
    startedAt: new Date(start),
    generation: live,
  });
  const runtime = {
    kind: 'docker',
    inspect: async ({ role }: { role: string }) =>
      role === 'api' ? state() : { ...state(), state: 'inactive', generation: undefined },
    async *logs({ role }: { role: string }, { lines }: LogRequest) {
      if (role === 'api') for (const log of logs.values()) yield* log.slice(-lines);
    },
  } as unknown as Runtime;
  return {
    runtime,
    write(...messages: string[]): void {
      const log = logs.get(live) ?? [];
      logs.set(live, log);
      for (const message of messages) {
        const time = new Date(start + written * second);
        log.push({ stream: 'stdout', message, time, generation: live, position: String(written) });
        written += 1;
      }
    },
    replace(generation: string): void {
      live = generation;
    },
    forget: (generation: string) => logs.delete(generation),
  };
}

describe('kept logs', () => {
  let directory = '';
  let keepMb = 20;
  const tenant: TenantSpace = { id: 'tenant', slug: 'tenant', directory: '/nowhere' };
  const makeKeeper = () =>
    createLogKeeper({
      directory,
      logger: createLogger({ level: 'silent' }),
      keepBytes: async () => keepMb * 1024 ** 2,
    });
  const find = (task: Partial<SearchTask>) =>
    search({
      ...{ task: 'search', directory: join(directory, 'tenant'), roles: ['api', 'frontend'], limit: 50, context: 0 },
      ...{ pageWithinMs: 60_000, timeoutMs: patienceMs },
      ...task,
    });
  const messages = (lines: readonly { message: string }[]): string[] => lines.map(({ message }) => message);
  const segments = async (generation: string): Promise<string[]> =>
    (await readdir(join(directory, 'tenant', 'api', generation))).filter((name) => name.endsWith('.zst')).sort();

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tenantry-kept-'));
    keepMb = 20;
  });
  afterEach(() => rm(directory, { recursive: true, force: true }));

  test('each line is kept once, in whichever steps it is collected, by whichever manager', async () => {
    const unit = loggingRuntime();
    const wanted: string[] = [];
    for (let round = 0; round < 5; round += 1) {
      const some = Array.from({ length: 700 }, () => 'tick');
      unit.write(`round ${round}`, ...some);
      wanted.push(`round ${round}`, ...some);
      // A new keeper knows only what is in the files.
      await (round % 2 === 0 ? makeKeeper() : makeKeeper()).collect(unit.runtime, tenant);
    }
    await makeKeeper().collect(unit.runtime, tenant);
    expect(messages(await makeKeeper().lastLines('tenant', 'api', 10_000))).toEqual(wanted);
  });

  test('a burst that is longer than one reading is kept whole', async () => {
    const unit = loggingRuntime();
    const keeper = makeKeeper();
    unit.write('before');
    await keeper.collect(unit.runtime, tenant);
    unit.write(...Array.from({ length: 20_000 }, (_, index) => `line ${index}`));
    await keeper.collect(unit.runtime, tenant);
    expect(await keeper.lastLines('tenant', 'api', 30_000)).toHaveLength(20_001);
  });

  test('a log that has been rotated continues where times are later', async () => {
    const unit = loggingRuntime();
    const keeper = makeKeeper();
    unit.write('one', 'two');
    await keeper.collect(unit.runtime, tenant);
    unit.forget('first');
    unit.write('three');
    await keeper.collect(unit.runtime, tenant);
    expect(messages(await keeper.lastLines('tenant', 'api', 10))).toEqual(['one', 'two', 'three']);
  });

  test('the lines of a generation stay when its log is gone', async () => {
    const unit = loggingRuntime();
    const keeper = makeKeeper();
    unit.write('of the first');
    await keeper.collect(unit.runtime, tenant);
    unit.replace('second');
    unit.forget('first');
    unit.write('of the second');
    await keeper.collect(unit.runtime, tenant);
    const { hits } = await find({ text: 'OF THE' });
    expect(hits.map(({ message, generation }) => [message, generation])).toEqual([
      ['of the second', 'second'],
      ['of the first', 'first'],
    ]);
    expect(await keeper.generations('tenant', 'api')).toMatchObject([
      { generation: 'second', commit: 'commit of second', endedAt: null, state: 'running', lines: 1 },
      { generation: 'first', commit: 'commit of first', endedAt: start, state: 'replaced', lines: 1 },
    ]);
  });

  test.each([1, 7, 40])('a frame cut %i bytes before its end is read again, what came before is there', async (cut) => {
    const unit = loggingRuntime();
    unit.write('one', 'two');
    await makeKeeper().collect(unit.runtime, tenant);
    unit.write('three');
    await makeKeeper().collect(unit.runtime, tenant);
    const path = join(directory, 'tenant', 'api', 'first', '000001.zst');
    await truncate(path, (await stat(path)).size - cut);

    expect(messages((await find({})).hits)).toEqual(['two', 'one']);
    const keeper = makeKeeper();
    await keeper.collect(unit.runtime, tenant);
    unit.write('four');
    await keeper.collect(unit.runtime, tenant);
    expect(messages((await find({})).hits)).toEqual(['four', 'three', 'two', 'one']);
  });

  test('garbage after the frames is overwritten', async () => {
    const unit = loggingRuntime();
    unit.write('one');
    await makeKeeper().collect(unit.runtime, tenant);
    const path = join(directory, 'tenant', 'api', 'first', '000001.zst');
    await appendFile(path, Buffer.alloc(500));
    unit.write('two');
    await makeKeeper().collect(unit.runtime, tenant);
    expect(messages((await find({})).hits)).toEqual(['two', 'one']);
  });

  test('many small frames are packed; lines keep their names', async () => {
    const unit = loggingRuntime();
    const keeper = makeKeeper();
    unit.write('needle');
    await keeper.collect(unit.runtime, tenant);
    const [before] = (await find({ text: 'needle' })).hits;
    for (let round = 0; round < 200; round += 1) {
      unit.write(`line ${round}`);
      await keeper.collect(unit.runtime, tenant);
    }
    const [after] = (await find({ text: 'needle' })).hits;
    expect(after?.id).toBe(before?.id);
    const [name = ''] = await segments('first');
    const bytes = await readFile(join(directory, 'tenant', 'api', 'first', name));
    expect(bytes.length).toBeLessThan(200 * 150);
    expect((await find({ limit: 500 })).hits).toHaveLength(201);
    expect(messages(await keeper.lastLines('tenant', 'api', 2))).toEqual(['line 198', 'line 199']);
  });

  test('of each generation the last megabytes are kept, and of a unit the last generations', async () => {
    keepMb = 5;
    const unit = loggingRuntime();
    const keeper = makeKeeper();
    for (let round = 0; round < 6; round += 1) {
      unit.write(...Array.from({ length: 2_000 }, (_, index) => `${round} ${index} ${'x'.repeat(1_000)}`));
      await keeper.collect(unit.runtime, tenant);
    }
    const [kept] = await keeper.generations('tenant', 'api');
    expect(kept?.bytes).toBeGreaterThan(5 * 1024 ** 2);
    expect(kept?.bytes).toBeLessThan(10.5 * 1024 ** 2);
    expect((await find({ text: '5 1999 x' })).hits).toHaveLength(1);
    for (let generation = 0; generation < 8; generation += 1) {
      unit.forget(generation === 0 ? 'first' : `g${generation - 1}`);
      unit.replace(`g${generation}`);
      unit.write('hello');
      await keeper.collect(unit.runtime, tenant);
    }
    expect((await keeper.generations('tenant', 'api')).map(({ generation }) => generation)).toEqual([
      'g7',
      'g6',
      'g5',
      'g4',
      'g3',
      'g2',
    ]);
  });

  test('lines that are too old are removed with their ended generations; logs of unknown tenants, too', async () => {
    const unit = loggingRuntime();
    const keeper = makeKeeper();
    unit.write('old');
    await keeper.collect(unit.runtime, tenant);
    unit.forget('first');
    unit.replace('second');
    unit.write('new');
    await keeper.collect(unit.runtime, tenant);
    await keeper.removeBefore(new Date(start + second));
    expect(messages((await find({})).hits)).toEqual(['new']);
    await keeper.removeExcept(async () => false);
    expect(await readdir(directory)).toEqual([]);
    expect(await keeper.generations('tenant', 'api')).toEqual([]);
  });

  describe('are searched', () => {
    const lines = [
      'GET /persons answered 200',
      'TypeError: name is undefined',
      '    at save (people.js:12)',
      'WARN: the mail server is slow',
      'grüße an María (1+1) [x]',
      'GET /persons answered 200 again',
    ];
    beforeEach(async () => {
      const unit = loggingRuntime();
      const keeper = makeKeeper();
      for (const some of [lines.slice(0, 1), lines.slice(1, 3), ...lines.slice(3).map((line) => [line])]) {
        unit.write(...some);
        await keeper.collect(unit.runtime, tenant);
      }
    });

    test.each<[string, Partial<SearchTask>, number[]]>([
      ['by text in any case', { text: 'get /PERSONS' }, [5, 0]],
      ['by text with special characters', { text: '(1+1) [x]' }, [4]],
      ['by text beyond ASCII in any case', { text: 'GRÜSSE'.replace('SS', 'ß') }, [4]],
      ['not in the time of a line', { text: '2026-11' }, []],
      ['by errors', { level: 'error' }, [1]],
      ['by warnings and errors', { level: 'warning' }, [3, 1]],
      ['by text in a stack trace of an error', { text: 'people.js', level: 'error' }, [2]],
      ['since a time', { since: start + 4 * second }, [5, 4]],
      ['until a time', { until: start + second }, [1, 0]],
      ['of one unit', { roles: ['frontend'] }, []],
      ['of an unknown generation', { generation: 'other' }, []],
    ])('%s', async (_, task, found) => {
      expect(messages((await find(task)).hits)).toEqual(found.map((index) => lines[index]));
    });

    test('in long frames with trigrams: in any case, at either end, beyond ASCII', async () => {
      const unit = loggingRuntime();
      const keeper = makeKeeper();
      unit.replace('long');
      const needles = ['Xylophone first', 'the XYLOPHONE', 'ein Xylophon für 7', 'xy', 'last xylophone'];
      for (const needle of needles) {
        const filler = Array.from(
          { length: 6_000 },
          (_, index) => `GET /persons/${index} answered 200 in ${index % 90} ms`,
        );
        unit.write(...(needle.startsWith('last') ? [...filler, needle] : [needle, ...filler]));
        await keeper.collect(unit.runtime, tenant);
      }
      const found = async (text: string) => messages((await find({ text, generation: 'long' })).hits).toReversed();
      expect(await found('xylophone')).toEqual([needles[0], needles[1], needles[4]]);
      expect(await found('XYLOPHON FÜR')).toEqual([needles[2]]);
      expect(await found('xy')).toEqual(needles);
      expect(await found('xylophones')).toEqual([]);
      expect(await found('/persons/5999 answered')).toHaveLength(needles.length);

      // A frame whose trigrams are gone is passed over, but not by a search without text.
      const path = join(directory, 'tenant', 'api', 'long', (await segments('long'))[0] ?? '');
      const file = await open(path, 'r+');
      const { frames } = await framesIn(file);
      expect(frames[0]).toMatchObject({ trigrams: true });
      await file.write(Buffer.alloc(filterBytes), 0, filterBytes, (frames[0]?.offset ?? 0) - filterBytes);
      await file.close();
      expect(await found('xylophone')).not.toContain(needles[0]);
      const all = await find({ generation: 'long', limit: 100_000 });
      expect(messages(all.hits)).toContain(needles[0]);
    });

    test('in pages, without a gap or a repetition', async () => {
      const pages: string[][] = [];
      let cursor: string | undefined;
      do {
        const page = await find({ limit: 2, cursor });
        pages.push(messages(page.hits));
        cursor = page.cursor ?? undefined;
      } while (cursor);
      expect(pages.flat()).toEqual(lines.toReversed());
      expect(pages.filter((page) => page.length > 0)).toHaveLength(3);
    });

    test('with what is around a hit, across frames', async () => {
      const [hit] = (await find({ text: 'mail server', context: 2 })).hits;
      expect(messages(hit?.before ?? [])).toEqual(lines.slice(1, 3));
      expect(messages(hit?.after ?? [])).toEqual(lines.slice(4, 6));
      const task = { task: 'around', directory: join(directory, 'tenant'), before: 50, after: 1 } as const;
      expect(messages((await around({ ...task, line: hit?.id ?? '' })) ?? [])).toEqual(lines.slice(0, 5));
      expect(await around({ ...task, line: 'api.first.1.99' })).toBeUndefined();
    });

    test('within a time, and continue from there', async () => {
      const first = await find({ text: 'persons', timeoutMs: 0 });
      expect(messages(first.hits)).toEqual([lines[5]]);
      const rest = await find({ text: 'persons', cursor: first.cursor ?? '' });
      expect(messages(rest.hits)).toEqual([lines[0]]);
      expect(rest.cursor).toBeNull();
    });
  });
});

test('of very many short lines, a reading keeps the end', async () => {
  const line = (index: number): UnitLogLine => ({
    stream: 'stdout',
    message: 'x',
    time: undefined,
    position: String(index),
  });
  async function* logs(_: unknown, { lines }: LogRequest) {
    for (let index = 700_000 - lines; index < 700_000; index += 1) yield line(index);
  }
  const { signal } = new AbortController();
  const unit = { role: 'api' } as unknown as Parameters<typeof newLines>[1];
  const read = await newLines({ logs } as Parameters<typeof newLines>[0], unit, () => undefined, signal);
  const kept = read.get('') ?? [];
  expect(kept.at(-1)).toEqual(line(699_999));
  expect(kept.length).toBeLessThan(340_000);
  expect(kept.length).toBeGreaterThan(160_000);
});

test('a text whose trigrams are missing is not in another', async () => {
  const trigrams = (text: string): Uint8Array => trigramsOf(Buffer.from(text));
  await assert(
    property(string(), string(), string({ minLength: 3, unit: 'grapheme-ascii' }), (before, after, text) =>
      mayContain(trigrams(before + text.toUpperCase() + after), trigrams(text.toLowerCase())),
    ),
  );
  const lines = trigrams(Array.from({ length: 10_000 }, (_, index) => `GET /persons/${index} answered 200`).join('\n'));
  expect(
    ['ET /PERSONS/9999 a', '42 answered', 'ab', ''].filter((text) => mayContain(lines, trigrams(text))),
  ).toHaveLength(4);
  expect(['persona', 'answered 500', 'zzyzx'].filter((text) => mayContain(lines, trigrams(text)))).toEqual([]);
});
