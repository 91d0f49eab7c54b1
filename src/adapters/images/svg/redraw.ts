import type { Picture } from '../image.ts';
import { inProcess } from '../picture-process.ts';
import type { RedrawOptions } from '../picture-task.ts';

/** A smaller picture of one that was cleaned. @throws AppError unsupported_file where it can't be drawn */
export function redraw({ content, ...picture }: Picture, options: RedrawOptions): Promise<Picture> {
  return inProcess({ kind: 'redraw', picture, options }, content);
}
