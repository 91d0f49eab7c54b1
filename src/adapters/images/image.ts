import { AppError } from '../../lib/errors.ts';

/** What a file is by its first bytes: a picture's format, or a drawing. Its name and declared type are ignored. */
export function formatOf(content: Buffer): PictureFormat | 'svg' | undefined {
  const starts = (bytes: string, at = 0): boolean => content.toString('latin1', at, at + bytes.length) === bytes;
  if (starts('\x89PNG\r\n\x1a\n')) return 'png';
  if (starts('\xff\xd8\xff')) return 'jpeg';
  if (starts('RIFF') && starts('WEBP', 8)) return 'webp';
  return looksLikeDrawing(content) ? 'svg' : undefined;
}

/** Maximum offset of a drawing's first element: after a declaration, a doctype and comments. */
const prologueBytes = 8 * 1024;

const looksLikeDrawing = (content: Buffer): boolean =>
  /^\uFEFF?\s*</.test(content.toString('utf8', 0, 64)) && /<svg[\s>/]/.test(content.toString('utf8', 0, prologueBytes));

/** The error for a rejected picture, with the rule it breaks. */
export const refuse = (rule: string, cause?: unknown): AppError => new AppError('unsupported_file', rule, { cause });

/** @throws AppError unsupported_file */
export function assertSize(width: number, height: number): void {
  const seen = `it has ${Math.round(width)} × ${Math.round(height)}`;
  if (Math.max(width, height) > maxSide) throw refuse(`must be at most ${maxSide} pixels wide and high; ${seen}`);
  if (Math.min(width, height) < smallestSide)
    throw refuse(`must be at least ${smallestSide} pixels wide and high; ${seen}`);
}

/** Formats of pixels that every browser shows. */
export const pictureFormats = ['png', 'jpeg', 'webp'] as const;
export type PictureFormat = (typeof pictureFormats)[number];

/** A picture that was decoded and encoded again, or drawn: no metadata or hidden content remains. */
export interface Picture {
  format: PictureFormat;
  content: Buffer;
  width: number;
  height: number;
}

export const mediaTypeOf = (format: PictureFormat): string => `image/${format}`;
/** Without the dot. */
export const extensionOf = (format: PictureFormat): string => (format === 'jpeg' ? 'jpg' : format);

/** Maximum sides in pixels: larger ones are no logos, and cost 4 bytes a pixel to read (64 MiB at most). */
export const maxSide = 4_096;
/** A smaller one is a tracking pixel. */
export const smallestSide = 8;
/** Maximum bytes of a drawing: larger ones are embedded pictures. */
export const maxDrawingBytes = 512 * 1024;
