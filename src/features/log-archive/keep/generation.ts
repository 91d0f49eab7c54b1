import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { UnitLogLine } from '../../../adapters/runtimes/runtime.ts';
import { writeFileAtomic } from '../../../lib/files/atomic-file.ts';
import { mkdir, open, rm } from '../../../lib/files/changes.ts';
import { encodeLine } from './line.ts';
import {
  encodeFrame,
  type Frame,
  type FrameFacts,
  frameBytes,
  framesIn,
  segmentName,
  segmentNumber,
  textOf,
} from './segment.ts';

/** Text of a segment: what retention removes at a time. */
const segmentBytes = 4 * frameBytes;
/** A segment of this many small frames is packed into large ones. */
const mostFrames = 128;

const facts = z.object({
  commit: z.string().nullable(),
  /** In ms since 1970: when it was live first. */
  startedAt: z.number(),
  /** null: it is live. */
  endedAt: z.number().nullable(),
  state: z.enum(['running', 'stopped', 'failed', 'replaced']),
  /** Why it failed last; null: it did not. */
  reason: z.string().nullable(),
});
/** What is known of a generation besides its lines. */
export type GenerationFacts = z.output<typeof facts>;

const factsFile = 'generation.json';

/** What is remembered of a segment: the frames themselves are read when they are needed. */
interface Segment {
  number: number;
  /** Where its whole frames end. */
  end: number;
  frames: number;
  lines: number;
  /** Of text. */
  bytes: number;
  first: number | null;
  last: Frame | undefined;
}

/** The facts of the generation in a directory; undefined if there are none, or damaged ones. */
export async function readFacts(directory: string): Promise<GenerationFacts | undefined> {
  try {
    return facts.parse(JSON.parse(await readFile(join(directory, factsFile), 'utf8')));
  } catch {
    return undefined;
  }
}

/** The numbers of the segments in a directory, the oldest first. */
export async function segmentsIn(directory: string): Promise<number[]> {
  const names = await readdir(directory).catch(() => []);
  return names.flatMap((name) => segmentNumber(name) ?? []).sort((one, other) => one - other);
}

async function readFrames(directory: string, number: number): Promise<{ frames: Frame[]; end: number }> {
  const file = await open(join(directory, segmentName(number)), 'r');
  return framesIn(file).finally(() => file.close());
}

/** The kept log of one generation of a unit. Calls of functions that change it must not overlap. */
export class KeptGeneration {
  readonly id: string;
  readonly directory: string;
  facts: GenerationFacts;
  #segments: Segment[];

  private constructor(directory: string, id: string, known: GenerationFacts, segments: Segment[]) {
    this.id = id;
    this.directory = directory;
    this.facts = known;
    this.#segments = segments;
  }

  /** Reads what is kept in a directory; undefined when it is not a generation's. */
  static async read(directory: string, id: string): Promise<KeptGeneration | undefined> {
    const known = await readFacts(directory);
    if (!known) return undefined;
    const segments: Segment[] = [];
    for (const number of await segmentsIn(directory)) {
      const { frames, end } = await readFrames(directory, number);
      segments.push({ number, end, ...summaryOf(frames) });
    }
    return new KeptGeneration(directory, id, known, segments);
  }

  static async create(directory: string, id: string, known: GenerationFacts): Promise<KeptGeneration> {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    await writeFileAtomic(join(directory, factsFile), JSON.stringify(known));
    return new KeptGeneration(directory, id, known, []);
  }

  /** The frame that was added last; undefined: no line is kept. */
  get last(): Frame | undefined {
    return this.#segments.findLast(({ last }) => last)?.last;
  }

  /** Times, lines and bytes of text of all that is kept. */
  get totals(): { first: number | null; last: number | null; lines: number; bytes: number } {
    const sum = (key: 'lines' | 'bytes'): number => this.#segments.reduce((total, segment) => total + segment[key], 0);
    return {
      first: this.#segments.find(({ first }) => first !== null)?.first ?? null,
      last: this.last?.last ?? null,
      lines: sum('lines'),
      bytes: sum('bytes'),
    };
  }

  async note(changes: Partial<GenerationFacts>): Promise<void> {
    const next = { ...this.facts, ...changes };
    if (JSON.stringify(next) === JSON.stringify(this.facts)) return;
    await writeFileAtomic(join(this.directory, factsFile), JSON.stringify(next));
    this.facts = next;
  }

  /** Adds lines in their order. @param at see Frame */
  async append(lines: readonly UnitLogLine[], at: number): Promise<void> {
    let time = this.last?.last ?? lines.find((line) => line.time)?.time?.getTime() ?? at;
    for (let start = 0; start < lines.length; ) {
      const texts: string[] = [];
      const first = Math.max(time, lines[start]?.time?.getTime() ?? 0);
      for (let bytes = 0; start < lines.length && bytes < frameBytes; start += 1) {
        const line = lines[start];
        if (!line) break;
        // A clock that was set back must not change the order.
        time = Math.max(time, line.time?.getTime() ?? 0);
        const text = encodeLine(line);
        texts.push(text);
        bytes += Buffer.byteLength(text) + 1;
      }
      const position = lines[start - 1]?.position ?? null;
      await this.#add(`${texts.join('\n')}\n`, { lines: texts.length, first, last: time, at, position });
    }
  }

  async #add(text: string, described: FrameFacts): Promise<void> {
    const segment = await this.#openSegment();
    const { encoded, frame } = await encodeFrame(Buffer.from(text), described, segment.end);
    const file = await open(join(this.directory, segmentName(segment.number)), segment.end === 0 ? 'w' : 'r+', 0o600);
    try {
      // What a killed manager left of a frame goes first.
      await file.truncate(segment.end);
      await file.write(encoded, 0, encoded.length, segment.end);
    } finally {
      await file.close();
    }
    segment.end += encoded.length;
    segment.frames += 1;
    segment.lines += frame.lines;
    segment.bytes += frame.bytes;
    segment.first ??= frame.first;
    segment.last = frame;
  }

  async #openSegment(): Promise<Segment> {
    const latest = this.#segments.at(-1);
    const isFull = latest && latest.bytes >= segmentBytes;
    if (latest && (isFull || latest.frames >= mostFrames)) await this.#pack(latest);
    if (latest && !isFull) return latest;
    const segment: Segment = { number: (latest?.number ?? 0) + 1, end: 0, ...summaryOf([]) };
    this.#segments.push(segment);
    return segment;
  }

  /** Joins small frames into large ones; the lines keep their numbers. */
  async #pack(segment: Segment): Promise<void> {
    if (segment.frames <= 2 * (segmentBytes / frameBytes)) return;
    const path = join(this.directory, segmentName(segment.number));
    const small = (await readFrames(this.directory, segment.number)).frames;
    const parts: Buffer[] = [];
    const large: Frame[] = [];
    let end = 0;
    const file = await open(path, 'r');
    try {
      for (const group of groupsOf(small)) {
        const texts: Buffer[] = [];
        for (const frame of group) texts.push(await textOf(file, frame));
        const { encoded, frame } = await encodeFrame(Buffer.concat(texts), joined(group), end);
        parts.push(encoded);
        large.push(frame);
        end += encoded.length;
      }
    } finally {
      await file.close();
    }
    await writeFileAtomic(path, Buffer.concat(parts));
    Object.assign(segment, { end, ...summaryOf(large) });
  }

  /** Removes its oldest segments: those without which `keepBytes` of text are left, and those written before a time. */
  async trim(keepBytes: number, before = 0): Promise<void> {
    let total = this.totals.bytes;
    for (const segment of this.#segments.slice(0, -1)) {
      const isOld = (segment.last?.last ?? 0) < before;
      if (total - segment.bytes < keepBytes && !isOld) return;
      await rm(join(this.directory, segmentName(segment.number)), { force: true });
      this.#segments = this.#segments.filter((other) => other !== segment);
      total -= segment.bytes;
    }
  }

  /** Packs what it ended with. */
  async close(): Promise<void> {
    const latest = this.#segments.at(-1);
    if (latest) await this.#pack(latest);
  }

  async remove(): Promise<void> {
    await rm(this.directory, { recursive: true, force: true });
  }
}

function summaryOf(frames: readonly Frame[]): Omit<Segment, 'number' | 'end'> {
  const sum = (key: 'lines' | 'bytes'): number => frames.reduce((total, frame) => total + frame[key], 0);
  return {
    frames: frames.length,
    lines: sum('lines'),
    bytes: sum('bytes'),
    first: frames[0]?.first ?? null,
    last: frames.at(-1),
  };
}

type Group = [Frame, ...Frame[]];

/** Successive frames whose text together makes one large frame. */
function groupsOf(frames: readonly Frame[]): Group[] {
  const groups: Group[] = [];
  let bytes = frameBytes;
  for (const frame of frames) {
    if (bytes >= frameBytes) {
      groups.push([frame]);
      bytes = 0;
    } else groups.at(-1)?.push(frame);
    bytes += frame.bytes;
  }
  return groups;
}

function joined(group: Group): FrameFacts {
  const { last, at, position } = group.at(-1) ?? group[0];
  return { lines: group.reduce((total, frame) => total + frame.lines, 0), first: group[0].first, last, at, position };
}
