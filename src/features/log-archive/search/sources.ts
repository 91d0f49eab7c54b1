import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { UnitRole } from '../../../adapters/runtimes/runtime.ts';
import { mapConcurrently } from '../../../lib/concurrency/map-concurrently.ts';
import { open } from '../../../lib/files/changes.ts';
import { segmentsIn } from '../keep/generation.ts';
import type { KeptLine } from '../keep/line.ts';
import { type Frame, framesIn, segmentName, textOf, trigramsBefore } from '../keep/segment.ts';
import { mayContain } from '../keep/trigrams.ts';
import { linesIn } from './matches.ts';

const filesAtOnce = 16;

/** The name of a line: it stays the same as long as the line is kept. */
export const lineId = z
  .string()
  .max(200)
  .regex(/^(?:api|frontend)\.[\w-]{1,64}\.\d{1,9}\.\d{1,9}$/);

/** A frame of one generation's log, and where it is. */
export interface Source {
  role: UnitRole;
  generation: string;
  segment: number;
  path: string;
  frame: Frame;
  /** The number of its first line in the segment. */
  firstLine: number;
  /** Its place among its generation's frames, the oldest first. */
  index: number;
  /** All frames of its generation. */
  siblings: readonly Source[];
}

/** The frames of a tenant's kept logs, in any order. */
export async function sourcesIn(
  directory: string,
  roles: readonly UnitRole[],
  generation: string | undefined,
): Promise<Source[]> {
  const all: Source[] = [];
  for (const role of roles) {
    const names = generation === undefined ? await readdir(join(directory, role)).catch(() => []) : [generation];
    for (const name of names) all.push(...(await sourcesOf(join(directory, role, name), role, name)));
  }
  return all;
}

async function sourcesOf(directory: string, role: UnitRole, generation: string): Promise<Source[]> {
  const frames = new Map<number, Frame[]>();
  const segments = await segmentsIn(directory);
  await mapConcurrently(segments, filesAtOnce, async (segment) => {
    const file = await open(join(directory, segmentName(segment)), 'r').catch(() => undefined);
    // Removed since.
    if (!file) return;
    frames.set(segment, (await framesIn(file).finally(() => file.close())).frames);
  });
  const siblings: Source[] = [];
  for (const segment of segments) {
    const path = join(directory, segmentName(segment));
    let firstLine = 0;
    for (const frame of frames.get(segment) ?? []) {
      siblings.push({ role, generation, segment, path, frame, firstLine, index: siblings.length, siblings });
      firstLine += frame.lines;
    }
  }
  return siblings;
}

export const nameOfLine = ({ role, generation, segment, firstLine }: Source, line: number): string =>
  `${role}.${generation}.${segment}.${firstLine + line}`;

/**
 * The text of a frame; none when it is damaged, or was removed or packed since it was found.
 * @param wanted trigrams of what is searched for: also none when the frame can't contain it
 */
export async function readSource({ path, frame }: Source, wanted?: Uint8Array): Promise<Buffer> {
  const file = await open(path, 'r').catch(() => undefined);
  if (!file) return Buffer.alloc(0);
  try {
    const trigrams = wanted && (await trigramsBefore(file, frame));
    return trigrams && !mayContain(trigrams, wanted) ? Buffer.alloc(0) : await textOf(file, frame);
  } catch {
    return Buffer.alloc(0);
  } finally {
    await file.close();
  }
}

/** A kept line with its name. */
export type NamedLine = KeptLine & { id: string };

/** Reads the lines around others; the last few frames are remembered. */
export class LineReader {
  readonly #read = new Map<Source, KeptLine[]>();

  async around(source: Source, line: number, before: number, after: number): Promise<[NamedLine[], NamedLine[]]> {
    return [await this.#next(source, line, before, -1), await this.#next(source, line, after, 1)];
  }

  async at(source: Source, line: number): Promise<NamedLine | undefined> {
    const found = (await this.#linesOf(source))[line];
    return found && { ...found, id: nameOfLine(source, line) };
  }

  async #next(from: Source, line: number, count: number, step: 1 | -1): Promise<NamedLine[]> {
    const found: NamedLine[] = [];
    let source: Source | undefined = from;
    for (let at = line + step; source && found.length < count; at += step) {
      const lines: KeptLine[] = await this.#linesOf(source);
      const text = lines[at];
      if (text) {
        found.push({ ...text, id: nameOfLine(source, at) });
        continue;
      }
      source = source.siblings[source.index + step];
      if (!source) break;
      at = step === 1 ? -1 : (await this.#linesOf(source)).length;
    }
    return step === 1 ? found : found.reverse();
  }

  async #linesOf(source: Source): Promise<KeptLine[]> {
    const known = this.#read.get(source);
    if (known) return known;
    const text = await readSource(source);
    const lines = text.length === 0 ? [] : linesIn(text);
    this.#read.set(source, lines);
    const [oldest] = this.#read.keys();
    if (this.#read.size > mostRead && oldest) this.#read.delete(oldest);
    return lines;
  }
}

const mostRead = 6;
