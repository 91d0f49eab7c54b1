import { formatOf } from './format.ts';
import type { Picture } from './image.ts';
import { inProcess } from './picture-process.ts';
import { refuse } from './refuse.ts';
import { cleanDrawing } from './svg/drawing.ts';

/**
 * Reads an untrusted picture (PNG, JPEG, WebP, SVG by its content) and answers it cleaned.
 * @throws AppError unsupported_file whose message is the rule it breaks, to be put after what the picture is called
 */
export async function readPicture(content: Buffer, work: { signal?: AbortSignal } = {}): Promise<Picture> {
  if (content.length === 0) throw refuse('is empty');
  const format = formatOf(content);
  if (!format) throw refuse('must be a PNG, JPEG, WebP or SVG picture; by its content it is none of them');
  return format === 'svg' ? cleanDrawing(content, work) : inProcess({ kind: 'clean', format }, content, work);
}
