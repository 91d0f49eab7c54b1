import { buffer } from 'node:stream/consumers';
import { AppError } from '../../lib/errors.ts';
import type { Picture } from './image.ts';
import { framed, type PictureAnswer, type PictureTask, unframed } from './picture-task.ts';
import { cleanRaster, redrawn } from './raster/raster.ts';

/** A child process: reads one task and its picture, writes the answer. See `inProcess`. */
const { head, content } = unframed(await buffer(process.stdin));
const [answer, bytes] = await work(head as PictureTask).then(
  ({ content: written, format, width, height }): [PictureAnswer, Uint8Array] => {
    if (format === 'svg') throw new Error('A drawing is cleaned elsewhere');
    return [{ kind: 'picture', picture: { format, width, height } }, written];
  },
  (error: unknown): [PictureAnswer, Uint8Array] => {
    if (!(error instanceof AppError) || error.code !== 'unsupported_file') throw error;
    return [{ kind: 'refused', rule: error.message }, Buffer.alloc(0)];
  },
);
process.stdout.write(framed(answer, bytes));

async function work(task: PictureTask): Promise<Picture> {
  switch (task.kind) {
    case 'clean':
      return cleanRaster(content, task.format);
    case 'redraw':
      return redrawn({ ...task.picture, content }, task.options);
    default:
      return task satisfies never;
  }
}
