import type { DomElement } from 'jsdom';
import { refuse } from '../refuse.ts';

/** CSS pixels of an absolute unit. */
const pixelsOf: Readonly<Record<string, number>> = {
  '': 1,
  px: 1,
  pt: 96 / 72,
  pc: 16,
  in: 96,
  cm: 96 / 2.54,
  mm: 96 / 25.4,
};

/**
 * The size a drawing gives itself, in pixels: its width and height, or its view box.
 * @throws AppError unsupported_file where it gives none
 */
export function naturalSize(root: DomElement): { width: number; height: number } {
  const box = (root.getAttribute('viewBox') ?? '')
    .trim()
    .split(/[\s,]+/)
    .map(Number);
  const [, , boxWidth = 0, boxHeight = 0] = box.length === 4 && box.every(Number.isFinite) ? box : [];
  const ratio = boxHeight > 0 ? boxWidth / boxHeight : 0;
  const width = lengthOf(root.getAttribute('width'));
  const height = lengthOf(root.getAttribute('height'));
  if (width && height) return { width, height };
  if (width && ratio) return { width, height: width / ratio };
  if (height && ratio) return { width: height * ratio, height };
  if (boxWidth > 0 && boxHeight > 0) return { width: boxWidth, height: boxHeight };
  throw refuse('must have a viewBox, or width and height, as an SVG');
}

/** Pixels; undefined for what depends on where it is shown (`100%`, `2em`). */
function lengthOf(text: string | null): number | undefined {
  const [, number, unit = ''] = /^((?:\d+(?:\.\d+)?|\.\d+)(?:e[+-]?\d+)?)\s*([a-z]*)$/i.exec(text?.trim() ?? '') ?? [];
  const factor = pixelsOf[unit.toLowerCase()];
  return number === undefined || factor === undefined ? undefined : Number(number) * factor || undefined;
}
