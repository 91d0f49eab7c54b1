import sharp, { type Metadata, type Sharp } from 'sharp';
import { largestSide, type Picture } from './image.ts';
import type { RasterFormat, RedrawOptions } from './picture-task.ts';
import { assertSize, refuse } from './refuse.ts';

// The library reads forty formats, each of them code that a hostile file could reach: four are needed.
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({
  operation: [
    'VipsForeignLoadPngBuffer',
    'VipsForeignLoadJpegBuffer',
    'VipsForeignLoadWebpBuffer',
    'VipsForeignLoadSvgBuffer',
  ],
});
// Nothing is read twice, and a logo is not worth the memory of a thread for each core.
sharp.cache(false);
sharp.concurrency(1);

const limits = {
  limitInputPixels: largestSide ** 2,
  // A picture cut short or damaged is told, not shown with grey in it.
  failOn: 'error',
} as const;
const timeout = { seconds: 20 };

/** High enough that one more time of compressing is not seen. */
const quality = 92;

/**
 * Reads a picture and writes it anew in its own format: sides by its header first, before a pixel is unpacked; turned as its
 * EXIF says, then without EXIF, XMP, colour profile (the colours are converted) or anything that follows the picture.
 * @throws AppError unsupported_file
 */
export async function cleanRaster(content: Buffer, format: RasterFormat): Promise<Picture> {
  const metadata = await headerOf(content);
  if (metadata.format !== format) throw refuse('could not be read: it is not what its first bytes say');
  const { width, height } = metadata.autoOrient;
  assertSize(width, height);
  if ((metadata.pages ?? 1) > 1) throw refuse('must not be animated');
  const read = sharp(content, limits).autoOrient().toColourspace('srgb').timeout(timeout);
  const written = await encode(read, format, content).toBuffer().catch(unreadable);
  return { format, content: written, width, height, removed: [] };
}

/** What the header says. @throws AppError unsupported_file */
async function headerOf(content: Buffer): Promise<Metadata> {
  try {
    // Bounds are ours to tell of, by their sides.
    return await sharp(content, { ...limits, limitInputPixels: false }).metadata();
  } catch (error) {
    return unreadable(error);
  }
}

function encode(image: Sharp, format: RasterFormat, content: Buffer): Sharp {
  switch (format) {
    case 'png':
      return image.png({ compressionLevel: 9 });
    case 'jpeg':
      return image.jpeg({ quality, chromaSubsampling: '4:4:4', mozjpeg: true });
    case 'webp':
      return image.webp(isLossless(content) ? { lossless: true } : { quality, smartSubsample: true });
    default:
      return format satisfies never;
  }
}

/** A WebP's picture stands in a chunk `VP8 ` or, without loss, `VP8L`: first, or after those of an extended header. */
const isLossless = (content: Buffer): boolean => content.subarray(12, 64 * 1024).includes('VP8L');

function unreadable(error: unknown): never {
  throw refuse('could not be read: the picture is damaged or cut short', error);
}

/** A smaller picture of one that was cleaned. @throws AppError unsupported_file where it can't be drawn */
export async function redrawn(picture: Picture, { side, as }: RedrawOptions): Promise<Picture> {
  const source = await open(picture, side, as === 'icon');
  const size = { width: side, height: side, background: { r: 0, g: 0, b: 0, alpha: 0 } };
  const { data, info } = await (as === 'icon'
    ? source.resize({ ...size, fit: 'contain' }).png({ compressionLevel: 9 })
    : source.resize({ ...size, fit: 'inside', withoutEnlargement: picture.format !== 'svg' }).webp({ quality: 85 })
  )
    .timeout(timeout)
    .toBuffer({ resolveWithObject: true })
    .catch(unreadable);
  const format = as === 'icon' ? 'png' : 'webp';
  return { format, content: data, width: info.width, height: info.height, removed: [] };
}

/** A drawing is drawn as large as it will be needed: at 72 dots an inch a unit of it is a pixel. */
async function open(picture: Picture, side: number, trimmed: boolean): Promise<Sharp> {
  const scale = side / Math.max(picture.width, picture.height);
  const drawn =
    picture.format === 'svg' ? { ...limits, density: Math.min(100_000, Math.max(1, 72 * scale)) } : { ...limits };
  const image = sharp(picture.content, drawn);
  if (!trimmed) return image;
  // One of a single colour has nothing but border.
  const cut = await image
    .clone()
    .trim()
    .png()
    .timeout(timeout)
    .toBuffer()
    .catch(() => undefined);
  return cut ? sharp(cut, limits) : image;
}
