import { Transformer } from '@napi-rs/image';
import type { Picture } from '../image.ts';
import { type Pixels, pixelsOf } from '../raster/pixels.ts';
import { sidesWithin } from '../raster/sides.ts';

/** What would be read from a file that it names: nothing of the kind is left in a cleaned one. */
const reading = /<(?:[\w-]+:)?(?:fe)?image\b/i;
/** The library doubles a drawing until it is so large, which what is drawn twice as large takes four times as long for. */
const leastSide = 1_000;

/** Draws a cleaned SVG with the given longer side, in pixels. @throws Error where it can't be drawn */
export async function drawSvg({ content, width, height }: Picture, side: number): Promise<Pixels> {
  const text = content.toString();
  if (reading.test(text)) throw new Error('It was not cleaned');
  const drawn = sidesWithin({ width, height }, side);
  // The library draws each at the size that it gives itself: so within one of the size that is needed, on a sheet as wide as the
  // library wants it.
  const sheet = Math.max(leastSide, drawn.width);
  const units = (sheet * width) / drawn.width;
  const image = Transformer.fromSvg(
    `<svg xmlns="http://www.w3.org/2000/svg" width="${sheet}" height="${drawn.height}" viewBox="0 0 ${units} ${height}" preserveAspectRatio="none">` +
      `<svg width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">${text}</svg></svg>`,
  );
  return pixelsOf(image.crop(0, 0, drawn.width, drawn.height));
}
