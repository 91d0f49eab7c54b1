import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { NumberedMessage } from '../../../src/lib/streams/message.ts';
import type { MessageBlock } from '../../../src/lib/streams/message-block.ts';
import { MessageFile } from '../../../src/lib/streams/message-file.ts';
import { ReplayStream, ViewerLagged } from '../../../src/lib/streams/replay-stream.ts';
import type { Viewer, Watch, WatchEnd } from '../../../src/lib/streams/watch.ts';

let directory: string;
let path: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tail-'));
  path = join(directory, 'deep', 'stream.ndjson');
});
afterEach(() => rm(directory, { recursive: true }));

const never = new AbortController().signal;
const line = (text: string) => ({ type: 'log', message: text });
const upTo = (last: number, first = 1): number[] => Array.from({ length: last - first + 1 }, (_, at) => first + at);

function fill(tail: ReplayStream, count: number, text = 'x'): void {
  for (let at = 0; at < count; at += 1) tail.append(line(`${text} ${at}`));
}

async function collect(tail: ReplayStream, since = 0): Promise<number[]> {
  const seen: number[] = [];
  for await (const batch of tail.follow(since, never)) seen.push(...batch.map(({ seq }) => seq));
  return seen;
}

/** A viewer that records what it receives, and reads no more than `taking` allows. */
class TestViewer implements Viewer {
  readonly seen: NumberedMessage[] = [];
  readonly blocks: MessageBlock[] = [];
  readonly #ended = Promise.withResolvers<WatchEnd>();
  stalled = false;
  watch: Watch;

  constructor(tail: ReplayStream, since = 0) {
    this.watch = tail.watch(since, this);
  }

  get ended(): Promise<WatchEnd> {
    return this.#ended.promise;
  }

  get numbers(): number[] {
    return this.seen.map(({ seq }) => seq);
  }

  take(block: MessageBlock, from: number, to: number): boolean {
    this.blocks.push(block);
    this.seen.push(...block.messages.slice(from, to));
    return !this.stalled;
  }

  end(reason: WatchEnd): void {
    this.#ended.resolve(reason);
  }

  async sees(seq: number): Promise<void> {
    while (this.watch.cursor < seq) await nextTurn();
  }
}

/** A disk with space for a number of messages and half of the next. */
class FullDisk extends MessageFile {
  #room: number;

  constructor(path: string, room: number) {
    super(path);
    this.#room = room;
  }

  override async append(messages: readonly NumberedMessage[]): Promise<void> {
    this.#room -= messages.length;
    if (this.#room >= 0) return super.append(messages);
    await appendFile(this.path, '{"type":"log","mess');
    throw new Error('ENOSPC: no space left on device, write');
  }
}

describe('a stream in memory', () => {
  test('replays from the buffer, continues live, then ends', async () => {
    const tail = new ReplayStream();
    fill(tail, 3);
    const seen = collect(tail);
    await nextTurn();
    fill(tail, 2);
    tail.close();
    expect(await seen).toEqual([1, 2, 3, 4, 5]);
    expect(await collect(tail, 3)).toEqual([4, 5]);
    expect(() => tail.append(line('late'))).toThrow('has ended');
  });

  test('a message has its number and is encoded once for all viewers', async () => {
    const tail = new ReplayStream();
    const [one, two] = [new TestViewer(tail), new TestViewer(tail)];
    tail.append(line('„Grüße“\n'));
    tail.close();
    await Promise.all([one.ended, two.ended]);
    expect(JSON.parse(one.seen[0]?.json ?? '')).toEqual({ type: 'log', message: '„Grüße“\n', seq: 1 });
    expect(one.seen[0]).toBe(two.seen[0]);
    expect(one.blocks[0]).toBe(two.blocks[0]);
  });

  test('a late viewer gets what the buffer still has, and memory is bounded', async () => {
    const tail = new ReplayStream({ ring: 100 });
    fill(tail, 10_000);
    tail.close();
    const seen = await collect(tail);
    expect(seen.at(-1)).toBe(10_000);
    expect(seen.length).toBeGreaterThanOrEqual(100);
    expect(seen.length).toBeLessThan(200);
    expect(seen).toEqual(upTo(10_000, seen[0]));
  });

  test('bounds large messages by size, not number', async () => {
    const tail = new ReplayStream({ ring: 1_000, ringCharacters: 200_000 });
    fill(tail, 1_000, 'y'.repeat(10_000));
    tail.close();
    const seen = await collect(tail);
    expect(seen.at(-1)).toBe(1_000);
    expect(seen.length).toBeLessThan(30);
  });

  test('a burst larger than the buffer does not lose a viewer’s position', async () => {
    const tail = new ReplayStream({ ring: 100 });
    const viewer = new TestViewer(tail);
    const pulled = collect(tail);
    tail.append(line('first'));
    await viewer.sees(1);
    fill(tail, 10_000);
    tail.close();
    expect(await viewer.ended).toBe('ended');
    expect(viewer.numbers).toEqual(upTo(10_001));
    expect(await pulled).toEqual(viewer.numbers);
  });

  test('drops a viewer that the buffer has overtaken; others continue', async () => {
    const tail = new ReplayStream({ ring: 10, ringCharacters: 2_000 });
    const slow = new TestViewer(tail);
    slow.stalled = true;
    const quick = new TestViewer(tail);
    tail.append(line('first'));
    await Promise.all([slow.sees(1), quick.sees(1)]);
    for (let seq = 2; seq <= 100; seq += 1) {
      tail.append(line('more'));
      await quick.sees(seq);
    }
    slow.watch.resume();
    expect(await slow.ended).toBe('lagged');
    expect(slow.numbers).toEqual([1]);
    tail.close();
    expect(await quick.ended).toBe('ended');
    expect(quick.numbers).toEqual(upTo(100));
  });

  test('a viewer that reads too slowly gets an error', async () => {
    const tail = new ReplayStream({ ring: 10, ringCharacters: 2_000 });
    fill(tail, 5);
    const batches = tail.follow(0, never);
    await batches.next();
    fill(tail, 1_000);
    await expect(batches.next()).rejects.toThrow(ViewerLagged);
  });

  test('a number from an earlier run restarts from the beginning', async () => {
    const tail = new ReplayStream();
    fill(tail, 3);
    tail.close();
    expect(await collect(tail, 500)).toEqual([1, 2, 3]);
  });

  test('nothing follows stop or abort', async () => {
    const tail = new ReplayStream();
    const viewer = new TestViewer(tail);
    const abort = new AbortController();
    const pulled = (async () => {
      const seen: number[] = [];
      for await (const batch of tail.follow(0, abort.signal)) seen.push(...batch.map(({ seq }) => seq));
      return seen;
    })();
    tail.append(line('seen'));
    await viewer.sees(1);
    viewer.watch.stop();
    abort.abort();
    expect(await pulled).toEqual([1]);
    tail.append(line('unseen'));
    tail.close();
    await nextTurn();
    await nextTurn();
    expect(viewer.numbers).toEqual([1]);
  });
});

describe('a stream with a file', () => {
  test('replays everything, also what the buffer has dropped', async () => {
    const tail = new ReplayStream({ file: new MessageFile(path), ring: 10 });
    fill(tail, 5_000);
    await tail.flushed();
    fill(tail, 5);
    tail.close();
    expect(await collect(tail)).toEqual(upTo(5_005));
    expect(await collect(tail, 4_321)).toEqual(upTo(5_005, 4_322));
    await tail.flushed();
    const lines = (await readFile(path, 'utf8')).split('\n');
    expect(lines).toHaveLength(5_006);
    expect(JSON.parse(lines[4_999] ?? '')).toEqual({ type: 'log', message: 'x 4999', seq: 5_000 });
  });

  test('a later run finds it unchanged, line for line', async () => {
    const first = new ReplayStream({ file: new MessageFile(path) });
    fill(first, 3_000, 'ü€𝄞'.repeat(20));
    first.close();
    await first.flushed();
    const file = new MessageFile(path);
    const second = new ReplayStream({ file, lastSeq: await file.recover() });
    expect(second.lastSeq).toBe(3_000);
    second.append(line('resumed'));
    second.close();
    const viewer = new TestViewer(second);
    expect(await viewer.ended).toBe('ended');
    expect(viewer.numbers).toEqual(upTo(3_001));
    expect(JSON.parse(viewer.seen[2_999]?.json ?? '')).toMatchObject({
      seq: 3_000,
      message: expect.stringMatching(/^ü€𝄞/),
    });
  });

  test('viewers that join while it grows miss nothing and see nothing twice', async () => {
    const tail = new ReplayStream({ file: new MessageFile(path), ring: 40 });
    const viewers: TestViewer[] = [];
    const pulled: Promise<number[]>[] = [];
    const starts: number[] = [];
    for (let round = 0; round < 200; round += 1) {
      fill(tail, 1 + ((round * 37) % 90), 'z'.repeat((round * 53) % 400));
      if (round % 4 === 0) {
        const since = round % 8 === 0 ? 0 : Math.floor(tail.lastSeq / 2);
        starts.push(since);
        viewers.push(new TestViewer(tail, since));
        pulled.push(collect(tail, since));
      }
      await nextTurn();
      for (const [at, viewer] of viewers.entries()) {
        viewer.stalled = (at + round) % 3 === 0;
        if (!viewer.stalled) viewer.watch.resume();
      }
    }
    for (const viewer of viewers) viewer.stalled = false;
    for (const viewer of viewers) viewer.watch.resume();
    tail.close();
    expect(await Promise.all(viewers.map((viewer) => viewer.ended))).toEqual(viewers.map(() => 'ended'));
    for (const [at, viewer] of viewers.entries()) {
      expect(viewer.numbers).toEqual(upTo(tail.lastSeq, (starts[at] ?? 0) + 1));
      expect(await pulled[at]).toEqual(viewer.numbers);
    }
  });

  test('a stalled viewer keeps its position and catches up from the file', async () => {
    const tail = new ReplayStream({ file: new MessageFile(path), ring: 10 });
    const viewer = new TestViewer(tail);
    viewer.stalled = true;
    tail.append(line('first'));
    await viewer.sees(1);
    for (let round = 0; round < 50; round += 1) {
      fill(tail, 100);
      await nextTurn();
    }
    expect(viewer.numbers).toEqual([1]);
    viewer.stalled = false;
    viewer.watch.resume();
    tail.close();
    expect(await viewer.ended).toBe('ended');
    expect(viewer.numbers).toEqual(upTo(5_001));
  });

  test('viewers that catch up concurrently share the reads', async () => {
    const file = new MessageFile(path);
    const written = new ReplayStream({ file });
    fill(written, 4_000);
    written.close();
    await written.flushed();
    const tail = new ReplayStream({ file, lastSeq: 4_000, ring: 1 });
    tail.close();
    const viewers = upTo(20).map(() => new TestViewer(tail));
    await Promise.all(viewers.map((viewer) => viewer.ended));
    const blocks = new Set(viewers.flatMap((viewer) => viewer.blocks));
    expect(blocks.size).toBe(viewers[0]?.blocks.length);
  });

  test('thousands of messages in one turn of the event loop', async () => {
    const tail = new ReplayStream({ file: new MessageFile(path) });
    const viewer = new TestViewer(tail);
    fill(tail, 50_000);
    await tail.flushed();
    tail.close();
    expect(await viewer.ended).toBe('ended');
    expect(viewer.seen).toHaveLength(50_000);
    expect(viewer.numbers).toEqual(upTo(50_000));
    expect(await new MessageFile(path).recover()).toBe(50_000);
  });

  test('removes a partial last line after a crash, and reuses its number', async () => {
    const first = new ReplayStream({ file: new MessageFile(path) });
    fill(first, 3);
    first.close();
    await first.flushed();
    await appendFile(path, '{"type":"log","message":"to');
    const file = new MessageFile(path);
    const tail = new ReplayStream({ file, lastSeq: await file.recover() });
    expect(tail.append(line('whole'))).toBe(4);
    tail.close();
    await tail.flushed();
    // A viewer that had seen the lost message gets its replacement now.
    expect(await collect(tail, 2)).toEqual([3, 4]);
    expect(await new MessageFile(path).recover()).toBe(4);
  });

  test('a reader never sees a partial line', async () => {
    await rm(directory, { recursive: true });
    directory = await mkdtemp(join(tmpdir(), 'tail-'));
    path = join(directory, 'stream.ndjson');
    await writeFile(path, '{"type":"log","seq":1}\n{"type":"log","se');
    const file = new MessageFile(path);
    expect((await file.read(1))?.messages.map(({ seq }) => seq)).toEqual([1]);
    expect(await file.read(2)).toBeUndefined();
  });

  test('a full disk: the stream continues from memory and reports it once', async () => {
    const complaints: string[] = [];
    const file = new FullDisk(path, 100);
    const tail = new ReplayStream({ file, ring: 50, onWriteError: (message) => complaints.push(message) });
    const viewer = new TestViewer(tail);
    fill(tail, 80);
    await tail.flushed();
    for (let round = 0; round < 100; round += 1) {
      fill(tail, 40);
      await viewer.sees(tail.lastSeq);
    }
    await tail.flushed();
    tail.close();
    expect(await viewer.ended).toBe('ended');
    expect(viewer.numbers).toEqual(upTo(4_080));
    expect(complaints).toEqual(['ENOSPC: no space left on device, write']);
    // Written messages are complete; viewers learn of the gap between file and buffer.
    const late = new TestViewer(tail);
    expect(await late.ended).toBe('lagged');
    expect(late.numbers).toEqual(upTo(80));
    expect(await new MessageFile(path).recover()).toBe(80);
  });

  test('treats a directory that cannot be created as a full disk', async () => {
    await writeFile(join(directory, 'deep'), 'a file in the way');
    const complaints: string[] = [];
    const tail = new ReplayStream({ file: new MessageFile(path), onWriteError: (message) => complaints.push(message) });
    fill(tail, 10);
    tail.close();
    await tail.flushed();
    expect(await collect(tail)).toEqual(upTo(10));
    expect(complaints).toHaveLength(1);
  });

  test('does not write to a file of another stream', async () => {
    const other = new ReplayStream({ file: new MessageFile(path) });
    fill(other, 5);
    other.close();
    await other.flushed();
    const complaints: string[] = [];
    const tail = new ReplayStream({ file: new MessageFile(path), onWriteError: (message) => complaints.push(message) });
    tail.append(line('mine'));
    await tail.flushed();
    expect(complaints).toHaveLength(1);
    expect(await new MessageFile(path).recover()).toBe(5);
  });

  test('a deleted file ends a viewer, not the stream', async () => {
    const tail = new ReplayStream({ file: new MessageFile(path), ring: 1 });
    fill(tail, 2_000);
    await tail.flushed();
    await rm(path);
    const viewer = new TestViewer(tail);
    expect(await viewer.ended).toBe('unreadable');
    expect(tail.append(line('on'))).toBe(2_001);
    tail.close();
    await tail.flushed();
  });
});
