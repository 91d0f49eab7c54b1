import { readdir } from 'node:fs/promises';
import { basename } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import PQueue from 'p-queue';
import { streamProgram } from '../../lib/spawn.ts';
import { type Picture, refuse } from './image.ts';
import { framed, type PictureTask, pictureAnswer, unframed } from './picture-task.ts';

/** Common fonts, best first: a file whose existence shows that the font is installed, and the configuration that names it. */
const fonts = {
  'DejaVuSans.ttf': 'dejavu',
  'LiberationSans-Regular.ttf': 'liberation',
  'NotoSans-Regular.ttf': 'noto',
  'FreeSans.ttf': 'free',
} as const;
const directories = ['/usr/share/fonts', '/usr/local/share/fonts'];

let configuration: Promise<string | undefined> | undefined;

/**
 * The path of a fontconfig configuration that replaces missing fonts by an installed one: the renderer then asks for `serif`,
 * and drops the text if that is not installed. Undefined if no such font is known.
 */
export function fallbackFont(): Promise<string | undefined> {
  configuration ??= find();
  return configuration;
}

async function find(): Promise<string | undefined> {
  const lists = await Promise.all(directories.map((path) => readdir(path, { recursive: true }).catch(() => [])));
  const present = new Set(lists.flat().map((path) => basename(path)));
  const found = Object.entries(fonts).find(([file]) => present.has(file));
  return found && fileURLToPath(new URL(`./fonts/${found[1]}.conf`, import.meta.url));
}

const program = fileURLToPath(new URL('./picture-program.ts', import.meta.url));
/**
 * Timeouts: anything slower is too complex to be a logo. The slowest accepted drawing took 12 s; pictures of the largest sides
 * took 13 s of processor time (CMYK 6 s), and the machine may be slow and busy.
 */
export const timeoutsMs: Readonly<Record<PictureTask['kind'], number>> = { clean: 90_000, redraw: 20_000 };
const tooLong: Readonly<Record<PictureTask['kind'], string>> = {
  clean: 'takes too long to be read; give a smaller one',
  redraw: 'takes too long to be drawn; simplify it',
};
/** Each may take some hundred MiB. */
const turns = new PQueue({ concurrency: 2 });

/**
 * Reads or draws a picture in a child process. The libraries are native: a thread could not be ended, and a hostile file must
 * not crash the manager.
 * @throws AppError unsupported_file; the signal's reason
 */
export async function inProcess(task: PictureTask, content: Uint8Array, options: Options = {}): Promise<Picture> {
  return turns.add(() => run(task, content, options));
}

interface Options {
  signal?: AbortSignal | undefined;
  /** Default: 90 s to read pixels and 20 s to draw. */
  timeoutMs?: number;
}

async function run(
  task: PictureTask,
  content: Uint8Array,
  { signal, timeoutMs = timeoutsMs[task.kind] }: Options,
): Promise<Picture> {
  const timeout = AbortSignal.timeout(timeoutMs);
  const either = signal ? AbortSignal.any([signal, timeout]) : timeout;
  const { answer, end } = await exchange(framed(task, content), either).catch((error: unknown) => {
    if (timeout.aborted && !signal?.aborted) throw refuse(tooLong[task.kind]);
    throw error;
  });
  // Ended by a signal: out of memory, or crashed by the file.
  if (end.exitCode === null) throw refuse('could not be read: it is damaged, or too elaborate');
  if (end.exitCode !== 0) throw new Error(`Pictures can’t be read here: ${end.errors.slice(-500)}`);
  const { head: said, content: written } = unframed(answer);
  const head = pictureAnswer.parse(said);
  if (head.kind === 'refused') throw refuse(head.rule);
  return { ...head.picture, content: written, removed: [] };
}

async function exchange(question: Buffer, signal: AbortSignal) {
  const font = await fallbackFont();
  const { output, ended } = streamProgram(process.execPath, ['--max-old-space-size=128', program], {
    env: { LC_ALL: 'C.UTF-8', MALLOC_ARENA_MAX: '2', ...(font ? { FONTCONFIG_FILE: font } : {}) },
    input: Readable.from([question]),
    signal,
  });
  return { answer: await buffer(output), end: await ended };
}
