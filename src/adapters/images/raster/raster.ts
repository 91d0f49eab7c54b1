import { compressJpeg, FastResizeFilter, FilterType, ResizeFit, Transformer } from '@napi-rs/image';
import { assertSize, type Picture, refuse } from '../image.ts';
import type { RasterFormat, RedrawOptions } from '../picture-task.ts';
import { centred, imageOf, type Pixels, pixelsOf, sidesWithin, trimmed, unpacked } from './pixels.ts';
import { type RasterHeader, readHeader } from './read-header.ts';

/** External references: a cleaned drawing has none. */
const reading = /<(?:[\w-]+:)?(?:fe)?image\b/i;
/** The library doubles a drawing until it has this size; twice the size takes four times as long. */
const minSide = 1_000;

/** Draws a cleaned SVG with the given longer side, in pixels. @throws Error when it can't be drawn */
export async function drawSvg({ content, width, height }: Picture, side: number): Promise<Pixels> {
  const text = content.toString();
  if (reading.test(text)) throw new Error('It was not cleaned');
  const drawn = sidesWithin({ width, height }, side);
  // The library draws each at its own size: so it is nested in one of the required size, on a sheet of the width the library
  // wants.
  const sheet = Math.max(minSide, drawn.width);
  const units = (sheet * width) / drawn.width;
  const image = Transformer.fromSvg(
    `<svg xmlns="http://www.w3.org/2000/svg" width="${sheet}" height="${drawn.height}" viewBox="0 0 ${units} ${height}" preserveAspectRatio="none">` +
      `<svg width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">${text}</svg></svg>`,
  );
  return pixelsOf(image.crop(0, 0, drawn.width, drawn.height));
}

/** High enough that another compression is invisible. */
const quality = { jpeg: 94, webp: 95, smaller: 85 };
/** A drawing is drawn larger than its icon: after trimming its border, the rest has to fill it. */
const iconDetail = 2;
/** Maximum pixels of a picture for encoding it in two ways. */
const twicePacked = 1024 ** 2;

/**
 * Decodes a picture and encodes it again in its own format: checks the sides in its header before decoding; applies its EXIF
 * orientation, then drops EXIF, XMP, colour profile (the colours are converted) and trailing data.
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
      throw new RangeError('Its sides differ from its header');
    return encode(image.rotate(header.orientation), format, header);
  });
  return { format, content: written, width, height, removed: [] };
}

/** Its pixels in sRGB, without its orientation. The converter is loaded on first use. */
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
      // Full colour resolution; then a smaller encoding without loss.
      return compressJpeg(await image.jpeg(quality.jpeg));
    case 'webp':
      return webp(image, header);
    default:
      return format satisfies never;
  }
}

const png = (image: Transformer): Promise<Buffer> => image.png({ filterType: FilterType.Adaptive });

/** Lossy encoding halves the colour resolution, visible at edges: areas of one colour are smaller without loss. */
async function webp(image: Transformer, { lossless, width, height }: RasterHeader): Promise<Buffer> {
  if (lossless) return image.webpLossless();
  const lossy = await image.webp(quality.webp);
  if (width * height > twicePacked) return lossy;
  const exact = await image.webpLossless();
  return exact.length <= lossy.length ? exact : lossy;
}

/** @throws AppError unsupported_file for any failure of the work */
async function readable<Result>(work: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw refuse('could not be read: the picture is damaged or cut short', error);
  }
}

/** A smaller version of a cleaned picture. @throws AppError unsupported_file when it can't be drawn */
export function redrawn(picture: Picture, { side, as }: RedrawOptions): Promise<Picture> {
  return readable(async () => {
    if (as === 'icon') {
      const square = centred(await resized(trimmed(await seen(picture, iconDetail * side)), side), side);
      return { format: 'png', content: await png(imageOf(square)), width: side, height: side, removed: [] };
    }
    // Pixels are never upscaled.
    const longest = picture.format === 'svg' ? side : Math.min(side, Math.max(picture.width, picture.height));
    const pixels = await resized(await seen(picture, longest), longest);
    const { width, height } = pixels;
    return { format: 'webp', content: await imageOf(pixels).webp(quality.smaller), width, height, removed: [] };
  });
}

/** Its pixels; a drawing's with the given longer side. */
const seen = (picture: Picture, side: number): Promise<Pixels> =>
  picture.format === 'svg' ? drawSvg(picture, side) : unpacked(picture.content);

/** Resizes to the given longer side with premultiplied colours, so that transparent pixels don't bleed into edges. */
async function resized(pixels: Pixels, longest: number): Promise<Pixels> {
  const { width, height } = sidesWithin(pixels, longest);
  if (width === pixels.width && height === pixels.height) return pixels;
  const filter = FastResizeFilter.Lanczos3;
  return pixelsOf(imageOf(pixels).fastResize({ width, height, fit: ResizeFit.Fill, filter }));
}
