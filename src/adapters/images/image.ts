import { AppError } from '../../lib/errors.ts';

/** What a file is by its first bytes; neither its name nor what the sender calls it is asked. */
export function formatOf(content: Buffer): PictureFormat | undefined {
  const starts = (bytes: string, at = 0): boolean => content.toString('latin1', at, at + bytes.length) === bytes;
  if (starts('\x89PNG\r\n\x1a\n')) return 'png';
  if (starts('\xff\xd8\xff')) return 'jpeg';
  if (starts('RIFF') && starts('WEBP', 8)) return 'webp';
  return looksLikeDrawing(content) ? 'svg' : undefined;
}

/** How far a drawing's first element may stand from the beginning: after a declaration, a doctype and an author's comments. */
const prologueBytes = 8 * 1024;

const looksLikeDrawing = (content: Buffer): boolean =>
  /^\uFEFF?\s*</.test(content.toString('utf8', 0, 64)) && /<svg[\s>/]/.test(content.toString('utf8', 0, prologueBytes));

/** A picture that is not taken, and the rule it breaks. */
export const refuse = (rule: string, cause?: unknown): AppError => new AppError('unsupported_file', rule, { cause });

/** @throws AppError unsupported_file */
export function assertSize(width: number, height: number): void {
  const seen = `it has ${Math.round(width)} × ${Math.round(height)}`;
  if (Math.max(width, height) > largestSide)
    throw refuse(`must be at most ${largestSide} pixels wide and high; ${seen}`);
  if (Math.min(width, height) < smallestSide)
    throw refuse(`must be at least ${smallestSide} pixels wide and high; ${seen}`);
}

/** Formats that every browser shows. */
export type PictureFormat = 'png' | 'jpeg' | 'webp' | 'svg';

/** A picture that was read, cleaned and written anew: nothing of what it came with but what it shows. */
export interface Picture {
  format: PictureFormat;
  content: Buffer;
  /** Pixels; of a drawing, the size it gives itself. */
  width: number;
  height: number;
  /** What a drawing held that was left out (`script`, `onload`), each once. */
  removed: string[];
}

export const mediaTypes: Readonly<Record<PictureFormat, string>> = {
  png: 'image/png',
  jpeg: 'image/jpeg',
  webp: 'image/webp',
  svg: 'image/svg+xml',
};

/** Ends of file names, without the dot. */
export const extensions: Readonly<Record<PictureFormat, string>> = {
  png: 'png',
  jpeg: 'jpg',
  webp: 'webp',
  svg: 'svg',
};

/** Sides of a picture in pixels: larger ones are no logos, and cost 4 bytes a pixel to read (64 MiB at most). */
export const largestSide = 4_096;
/** A smaller one is a tracking pixel. */
export const smallestSide = 8;
/** Bytes of a drawing: what is larger is a picture wrapped up as one. */
export const largestDrawing = 512 * 1024;
