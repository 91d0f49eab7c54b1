import { z } from 'zod';
import { largestSide, type Picture, type PictureFormat } from './image.ts';

/** Formats of pixels. */
export type RasterFormat = Exclude<PictureFormat, 'svg'>;

export interface RedrawOptions {
  /** Pixels of both sides of the square, or bound of the longer side. */
  side: number;
  /** `icon`: a PNG, square, borders of one colour cut off, the rest transparent; `within`: a WebP of the picture's own shape. */
  as: 'icon' | 'within';
}

/** What the program that reads and draws pictures is asked for; the picture's bytes come behind it. */
export type PictureTask =
  | { kind: 'clean'; format: RasterFormat }
  | { kind: 'redraw'; picture: Omit<Picture, 'content'>; options: RedrawOptions };

/** What it answers; a picture's bytes come behind it. A file may have got the better of it: its word is checked. */
export const pictureAnswer = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('picture'),
    picture: z.object({
      format: z.enum(['png', 'jpeg', 'webp']),
      width: z.int().min(1).max(largestSide),
      height: z.int().min(1).max(largestSide),
    }),
  }),
  z.object({ kind: z.literal('refused'), rule: z.string().max(1_000) }),
]);
export type PictureAnswer = z.input<typeof pictureAnswer>;

/** A line of JSON, and bytes behind it. */
export const framed = (head: PictureTask | PictureAnswer, content: Uint8Array): Buffer =>
  Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), content]);

/** @throws SyntaxError where the beginning is no line of JSON */
export function unframed(bytes: Buffer): { head: unknown; content: Buffer } {
  const end = bytes.indexOf('\n');
  return { head: JSON.parse(bytes.subarray(0, end).toString('utf8')), content: bytes.subarray(end + 1) };
}
