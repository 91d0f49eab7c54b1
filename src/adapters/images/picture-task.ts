import { z } from 'zod';
import { maxSide, type PictureFormat, pictureFormats } from './image.ts';
import type { RedrawOptions } from './raster.ts';

/** The child process' request; the picture's bytes follow. */
export type PictureTask =
  | { kind: 'clean'; format: PictureFormat }
  | { kind: 'draw' }
  | { kind: 'redraw'; options: RedrawOptions };

/** Its answer; a picture's bytes follow. The process may be compromised, so its answer is validated. */
export const pictureAnswer = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('picture'),
    picture: z.object({
      format: z.enum(pictureFormats),
      width: z.number().positive().max(maxSide),
      height: z.number().positive().max(maxSide),
    }),
  }),
  z.object({ kind: z.literal('refused'), rule: z.string().max(1_000) }),
]);
export type PictureAnswer = z.input<typeof pictureAnswer>;

/** A line of JSON, followed by bytes. */
export const framed = (head: PictureTask | PictureAnswer, content: Uint8Array): Buffer =>
  Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), content]);

/** @throws SyntaxError when the first line is not JSON */
export function unframed(bytes: Buffer): { head: unknown; content: Buffer } {
  const end = bytes.indexOf('\n');
  return { head: JSON.parse(bytes.subarray(0, end).toString('utf8')), content: bytes.subarray(end + 1) };
}
