import { compressJpeg, FastResizeFilter, FilterType, ResizeFit, Transformer } from '@napi-rs/image';
import { assertSize, type Picture, refuse } from '../image.ts';
import type { RasterFormat, RedrawOptions } from '../picture-task.ts';
import { centred, imageOf, type Pixels, pixelsOf, sidesWithin, trimmed, unpacked } from './pixels.ts';
import { type RasterHeader, readHeader } from './read-header.ts';

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

/** High enough that one more time of compressing is not seen. */
const quality = { jpeg: 94, webp: 95, smaller: 85 };
/** A drawing is drawn so much larger than its icon: once its border is cut off, what is left has to fill it. */
const iconDetail = 2;
/** Pixels of a picture for which there is time to pack it in two ways. */
const twicePacked = 1024 ** 2;

/**
 * Reads a picture and writes it anew in its own format: sides by its header first, before a pixel is unpacked; turned as its
 * EXIF says, then without EXIF, XMP, colour profile (the colours are converted) or anything that follows the picture.
 * @throws AppError unsupported_file
 */
export async function cleanRaster(content: Buffer, format: RasterFormat): Promise<Picture> {
  const header = await readable(() => readHeader(content, format));
  const turned = header.orientation > 4;
  const [width, height] = turned ? [header.height, header.width] : [header.width, header.height];
  assertSize(width, height);
  if (header.animated) throw refuse('must not be animated');
  const written = await readable(async () => {
    if (!header.complete) throw new RangeError('It ends before its end');
    const image = await open(content, header);
    const seen = await image.metadata();
    if (seen.width !== header.width || seen.height !== header.height)
      throw new RangeError('It has other sides than it tells');
    return encode(image.rotate(header.orientation), format, header);
  });
  return { format, content: written, width, height, removed: [] };
}

/** Its pixels in sRGB, not turned. What converts them is loaded where it is needed. */
async function open(content: Buffer, header: RasterHeader): Promise<Transformer> {
  if (!header.profile && !header.inks) return new Transformer(content);
  const { toSrgb } = await import('./to-srgb.ts');
  return imageOf(await toSrgb(content, header));
}

async function encode(image: Transformer, format: RasterFormat, header: RasterHeader): Promise<Buffer> {
  switch (format) {
    case 'png':
      return png(image);
    case 'jpeg':
      // Colours as finely as brightness; then packed smaller, which changes no pixel.
      return compressJpeg(await image.jpeg(quality.jpeg));
    case 'webp':
      return webp(image, header);
    default:
      return format satisfies never;
  }
}

const png = (image: Transformer): Promise<Buffer> => image.png({ filterType: FilterType.Adaptive });

/** With loss colours are stored at half the size, which is seen where they meet: areas of one colour are smaller without. */
async function webp(image: Transformer, { lossless, width, height }: RasterHeader): Promise<Buffer> {
  if (lossless) return image.webpLossless();
  const lossy = await image.webp(quality.webp);
  if (width * height > twicePacked) return lossy;
  const exact = await image.webpLossless();
  return exact.length <= lossy.length ? exact : lossy;
}

/** @throws AppError unsupported_file for whatever the work fails with */
async function readable<Result>(work: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw refuse('could not be read: the picture is damaged or cut short', error);
  }
}

/** A smaller picture of one that was cleaned. @throws AppError unsupported_file where it can't be drawn */
export function redrawn(picture: Picture, { side, as }: RedrawOptions): Promise<Picture> {
  return readable(async () => {
    if (as === 'icon') {
      const square = centred(await resized(trimmed(await seen(picture, iconDetail * side)), side), side);
      return { format: 'png', content: await png(imageOf(square)), width: side, height: side, removed: [] };
    }
    // Pixels are not made more than they are.
    const longest = picture.format === 'svg' ? side : Math.min(side, Math.max(picture.width, picture.height));
    const pixels = await resized(await seen(picture, longest), longest);
    const { width, height } = pixels;
    return { format: 'webp', content: await imageOf(pixels).webp(quality.smaller), width, height, removed: [] };
  });
}

/** Its pixels; a drawing's with the given longer side. */
const seen = (picture: Picture, side: number): Promise<Pixels> =>
  picture.format === 'svg' ? drawSvg(picture, side) : unpacked(picture.content);

/**
 * With the given longer side, by what multiplies colours with the opacity first: what is transparent has none that could run into
 * the edges.
 */
async function resized(pixels: Pixels, longest: number): Promise<Pixels> {
  const { width, height } = sidesWithin(pixels, longest);
  if (width === pixels.width && height === pixels.height) return pixels;
  const filter = FastResizeFilter.Lanczos3;
  return pixelsOf(imageOf(pixels).fastResize({ width, height, fit: ResizeFit.Fill, filter }));
}
