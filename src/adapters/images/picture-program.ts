import { buffer } from 'node:stream/consumers';
import { AppError } from '../../lib/errors.ts';
import type { Picture } from './image.ts';
import { framed, type PictureTask, unframed } from './picture-task.ts';

/** A child process: reads one task and its picture, writes the answer. See `inProcess`. */
const { head, content } = unframed(await buffer(process.stdin));
const answer = await work(head as PictureTask).then(
  ({ content: written, ...picture }) => framed({ kind: 'picture', picture }, written),
  (error: unknown) => {
    if (!(error instanceof AppError) || error.code !== 'unsupported_file') throw error;
    return framed({ kind: 'refused', rule: error.message }, Buffer.alloc(0));
  },
);
process.stdout.write(answer);

/** Each library is loaded only where it is needed. */
async function work(task: PictureTask): Promise<Picture> {
  switch (task.kind) {
    case 'draw':
      return (await import('./drawing.ts')).drawing(content);
    case 'clean':
      return (await import('./raster.ts')).cleanRaster(content, task.format);
    case 'redraw':
      return (await import('./raster.ts')).redrawn(content, task.options);
    default:
      return task satisfies never;
  }
}
