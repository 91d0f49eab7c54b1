import { runTask } from '../../../lib/workers/worker-task.ts';
import { largestDrawing, type Picture } from '../image.ts';
import { assertSize, refuse } from '../refuse.ts';
import type { CleanedDrawing, DrawingTask } from './drawing-task.ts';

const entry = new URL('./drawing-worker.ts', import.meta.url);
/** The library's own document takes 40 MiB of it. */
const heapMb = 160;
const timeoutMs = 30_000;

/**
 * Cleans an SVG in a thread of its own with bounds of memory and time: what stays can neither run nor load anything.
 * @throws AppError unsupported_file; the signal's reason
 */
export async function cleanDrawing(content: Buffer, { signal }: { signal?: AbortSignal }): Promise<Picture> {
  if (content.length > largestDrawing)
    throw refuse(
      `must have at most ${largestDrawing / 1024} KiB as an SVG; it has ${Math.ceil(content.length / 1024)}`,
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

/** Another encoding would be read one way here and another way by a browser. */
function textOf(content: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(content);
  } catch (error) {
    throw refuse('must be encoded in UTF-8 as an SVG', error);
  }
}
