import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import PQueue from 'p-queue';
import { streamProgram } from '../../lib/spawn.ts';
import { formatOf, type Picture, refuse } from './image.ts';
import { framed, type PictureTask, pictureAnswer, unframed } from './picture-task.ts';
import type { RedrawOptions } from './raster.ts';

const program = fileURLToPath(new URL('./picture-program.ts', import.meta.url));
const fonts = join(import.meta.dirname, 'fonts.conf');

interface Limit {
  /** Anything slower is too complex to be a logo; the machine may be slow and busy. */
  timeoutMs: number;
  tooLong: string;
  /** The process was ended by a signal: out of memory, or crashed by the file. */
  crashed: string;
}

const damaged = 'could not be read: it is damaged, or too complex';
const tooComplex = 'is too complex as an SVG; simplify it, or upload a PNG';
/** The slowest seen on a busy machine: 17 s for a lossy WebP of noise with the largest sides, 11 s for an SVG made only of filters. */
export const limits: Readonly<Record<PictureTask['kind'], Limit>> = {
  clean: { timeoutMs: 90_000, tooLong: 'takes too long to be read; give a smaller one', crashed: damaged },
  draw: { timeoutMs: 30_000, tooLong: tooComplex, crashed: tooComplex },
  redraw: { timeoutMs: 20_000, tooLong: 'takes too long to be drawn; give a smaller one', crashed: damaged },
};
/** Each may take some hundred MiB. */
const queue = new PQueue({ concurrency: 2 });

interface Options {
  signal?: AbortSignal | undefined;
  /** Default: the task's limit. */
  timeoutMs?: number;
}

/** A smaller version of a cleaned picture. @throws AppError unsupported_file when it can't be drawn */
export function redraw({ content }: Picture, options: RedrawOptions): Promise<Picture> {
  return inProcess({ kind: 'redraw', options }, content);
}

/**
 * Reads an untrusted picture (PNG, JPEG, WebP, SVG by its content) and returns it cleaned; an SVG as a PNG.
 * @throws AppError unsupported_file whose message is the rule it breaks, to follow the picture's name
 */
export async function readPicture(content: Buffer, work: { signal?: AbortSignal } = {}): Promise<Picture> {
  if (content.length === 0) throw refuse('is empty');
  const format = formatOf(content);
  if (!format) throw refuse('must be a PNG, JPEG, WebP or SVG picture; by its content it is none of them');
  return inProcess(format === 'svg' ? { kind: 'draw' } : { kind: 'clean', format }, content, work);
}

/**
 * Reads or draws a picture in a child process: the libraries are native, so a thread could not be ended, and a hostile file
 * must not crash the manager.
 * @throws AppError unsupported_file; the signal's reason
 */
export async function inProcess(task: PictureTask, content: Uint8Array, options: Options = {}): Promise<Picture> {
  return queue.add(() => run(task, content, options));
}

async function run(task: PictureTask, content: Uint8Array, { signal, timeoutMs }: Options): Promise<Picture> {
  const limit = limits[task.kind];
  const timeout = AbortSignal.timeout(timeoutMs ?? limit.timeoutMs);
  const either = signal ? AbortSignal.any([signal, timeout]) : timeout;
  const { answer, end } = await exchange(framed(task, content), either).catch((error: unknown) => {
    if (timeout.aborted && !signal?.aborted) throw refuse(limit.tooLong);
    throw error;
  });
  if (end.exitCode === null) throw refuse(limit.crashed);
  if (end.exitCode !== 0) throw new Error(`Pictures can’t be read here: ${end.errors.slice(-500)}`);
  const { head: said, content: written } = unframed(answer);
  const head = pictureAnswer.parse(said);
  if (head.kind === 'refused') throw refuse(head.rule);
  if (!formatsOf(task).includes(head.picture.format))
    throw new Error(`A ${head.picture.format} is no answer to ${task.kind}`);
  return { ...head.picture, content: written };
}

/** The formats that a task may return: a compromised process must not pass off another one. */
function formatsOf(task: PictureTask): Picture['format'][] {
  if (task.kind === 'clean') return [task.format];
  return task.kind === 'draw' ? ['png'] : ['png', 'webp'];
}

async function exchange(question: Buffer, signal: AbortSignal) {
  const { output, ended } = streamProgram(process.execPath, ['--max-old-space-size=160', program], {
    env: { LC_ALL: 'C.UTF-8', MALLOC_ARENA_MAX: '2', FONTCONFIG_FILE: fonts },
    input: Readable.from([question]),
    signal,
  });
  return { answer: await buffer(output), end: await ended };
}
