import sharp, { type Sharp } from 'sharp';
import { assertSize, maxSide, type Picture, type PictureFormat, refuse } from './image.ts';

// Each picture has its own process: a cache or more threads would only take memory.
sharp.cache(false);
sharp.concurrency(1);
// The bytes decide which decoder libvips uses: a file that looks like another format reaches none.
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({ operation: ['Png', 'Jpeg', 'Webp', 'Svg'].map((format) => `VipsForeignLoad${format}Buffer`) });

/** High enough that another compression is invisible. */
const quality = { jpeg: 94, webp: 95, smaller: 85 };
/** Of 255: more than a JPEG's artefacts in a white border. */
const threshold = 10;
const transparent = { r: 0, g: 0, b: 0, alpha: 0 };

/** Fails on any warning of the decoder. `cleanRaster` has already checked the size. */
const open = (content: Buffer): Sharp => sharp(content, { failOn: 'warning', limitInputPixels: maxSide ** 2 });

/**
 * Decodes a picture and encodes it again in its own format: checks the sides in its header before decoding; applies its EXIF
 * orientation, then drops EXIF, XMP, colour profile (the colours are converted) and trailing data.
 * @throws AppError unsupported_file
 */
export async function cleanRaster(content: Buffer, format: PictureFormat): Promise<Picture> {
  const header = await readable(() => sharp(content, { limitInputPixels: false }).metadata());
  const { width, height } = header.autoOrient;
  assertSize(width, height);
  const animated = header.delay !== undefined || (format === 'png' && isAnimatedPng(content));
  if (animated) throw refuse('must not be animated');
  const written = await readable(async () => {
    if (header.format !== format || !isComplete(content, format)) throw new Error('The file is truncated');
    const image = header.space === 'cmyk' && !header.hasProfile ? await inkColours(content) : open(content);
    return encoded(image.autoOrient(), format, content).toBuffer();
  });
  return { format, content: written, width, height };
}

/** libvips knows no animated PNG, and shows the first frame. */
const isAnimatedPng = (content: Buffer): boolean => content.subarray(0, content.indexOf('IDAT')).includes('acTL');

/** The last bytes of a file. Those of a WebP, whose header has its length, are checked by libvips. */
const endMarks = { png: Buffer.from('IEND\xaeB`\x82', 'latin1'), jpeg: Buffer.from([0xff, 0xd9]), webp: '' };
const isComplete = (content: Buffer, format: PictureFormat): boolean => content.includes(endMarks[format]);

/** CMYK without a profile, in the colours that browsers show it in; libvips would assume a printer's profile. */
async function inkColours(content: Buffer): Promise<Sharp> {
  const ink = open(content).autoOrient().pipelineColourspace('cmyk').toColourspace('cmyk');
  const { data, info } = await ink.raw().toBuffer({ resolveWithObject: true });
  const rgb = Buffer.alloc(info.width * info.height * 3);
  for (let from = 0, to = 0; from < data.length; from += 4, to += 3) {
    const light = 255 - (data[from + 3] as number);
    for (let at = 0; at < 3; at += 1) rgb[to + at] = Math.round(((255 - (data[from + at] as number)) * light) / 255);
  }
  return sharp(rgb, { raw: { width: info.width, height: info.height, channels: 3 } });
}

function encoded(image: Sharp, format: PictureFormat, original: Buffer): Sharp {
  switch (format) {
    case 'png':
      return image.png();
    case 'jpeg':
      return image.jpeg({ quality: quality.jpeg, chromaSubsampling: '4:4:4' });
    case 'webp':
      return original.includes('VP8L')
        ? image.webp({ lossless: true, exact: true })
        : image.webp({ quality: quality.webp, smartSubsample: true });
    default:
      return format satisfies never;
  }
}

/** @throws AppError unsupported_file for any failure of the work */
export async function readable<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw refuse('could not be read: the picture is damaged or cut short', error);
  }
}

export interface RedrawOptions {
  /** Both sides of the square in pixels, or the maximum of the longer side. */
  side: number;
  /**
   * `icon`: a PNG, square, borders of one colour trimmed, the rest transparent; `within`: a WebP with the picture's aspect
   * ratio, pixels never upscaled.
   */
  as: 'icon' | 'within';
}

/** A smaller version of a cleaned picture. @throws AppError unsupported_file when it can't be read */
export function redrawn(picture: Buffer, { side, as }: RedrawOptions): Promise<Picture> {
  return readable(async () => {
    const image =
      as === 'icon'
        ? (await trimmed(open(picture)))
            .resize({ width: side, height: side, fit: 'contain', background: transparent })
            .png()
        : open(picture)
            .resize({ width: side, height: side, fit: 'inside', withoutEnlargement: true })
            .webp({ quality: quality.smaller });
    const { data, info } = await image.toBuffer({ resolveWithObject: true });
    return { format: as === 'icon' ? 'png' : 'webp', content: data, width: info.width, height: info.height };
  });
}

/**
 * Trims the border: transparent pixels if a corner is transparent, otherwise the first pixel's colour. An entirely uniform
 * picture stays.
 */
export async function trimmed(image: Sharp): Promise<Sharp> {
  const pixels = image.toColourspace('srgb').ensureAlpha().raw();
  const { data, info } = await pixels.toBuffer({ resolveWithObject: true });
  const { width, height } = info;
  const corners = [0, width - 1, (height - 1) * width, height * width - 1];
  const bordered = corners.every((pixel) => (data[pixel * 4 + 3] as number) > threshold);
  return sharp(data, { raw: { width, height, channels: 4 } }).trim({
    threshold,
    // Without it a median filter takes hairlines for the border.
    lineArt: true,
    ...(bordered ? {} : { background: transparent }),
  });
}
