import type { PictureFormat } from './image.ts';

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
