import { formatOf, type Picture, refuse } from './image.ts';
import { inProcess } from './picture-process.ts';
import type { RedrawOptions } from './raster.ts';

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
  return inProcess(format === 'svg' ? { kind: 'clean drawing' } : { kind: 'clean', format }, content, work);
}
