import { runTask } from '../../lib/workers/worker-task.ts';
import { assertSize, formatOf, maxDrawingBytes, type Picture, refuse } from './image.ts';
import { inProcess } from './picture-process.ts';
import type { RedrawOptions } from './picture-task.ts';
import type { CleanedDrawing, DrawingTask } from './svg/clean-svg.ts';

const entry = new URL('./svg/drawing-worker.ts', import.meta.url);
/** jsdom takes 40 MiB of it. */
const heapMb = 160;
const timeoutMs = 30_000;

/**
 * Cleans an SVG in a worker thread with memory and time limits: the result can neither run nor load anything.
 * @throws AppError unsupported_file; the signal's reason
 */
async function cleanDrawing(content: Buffer, { signal }: { signal?: AbortSignal }): Promise<Picture> {
  if (content.length > maxDrawingBytes)
    throw refuse(
      `must have at most ${maxDrawingBytes / 1024} KiB as an SVG; it has ${Math.ceil(content.length / 1024)}`,
    );
  const tooMuch = () => refuse('is too elaborate an SVG; simplify it, or upload it as PNG');
  const { text, width, height, removed } = await runTask<DrawingTask, never, CleanedDrawing>(
    entry,
    { text: textOf(content) },
    { signal, heapMb, timeoutMs, outOfMemory: tooMuch, timedOut: tooMuch },
  );
  assertSize(width, height);
  return { format: 'svg', content: Buffer.from(text), width, height, removed };
}

/** Other encodings could be read differently by browsers. */
function textOf(content: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(content);
  } catch (error) {
    throw refuse('must be encoded in UTF-8 as an SVG', error);
  }
}

/** A smaller version of a cleaned picture. @throws AppError unsupported_file when it can't be drawn */
export function redraw({ content, ...picture }: Picture, options: RedrawOptions): Promise<Picture> {
  return inProcess({ kind: 'redraw', picture, options }, content);
}

/**
 * Reads an untrusted picture (PNG, JPEG, WebP, SVG by its content) and returns it cleaned.
 * @throws AppError unsupported_file whose message is the rule it breaks, to follow the picture's name
 */
export async function readPicture(content: Buffer, work: { signal?: AbortSignal } = {}): Promise<Picture> {
  if (content.length === 0) throw refuse('is empty');
  const format = formatOf(content);
  if (!format) throw refuse('must be a PNG, JPEG, WebP or SVG picture; by its content it is none of them');
  return format === 'svg' ? cleanDrawing(content, work) : inProcess({ kind: 'clean', format }, content, work);
}
