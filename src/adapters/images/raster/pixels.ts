import { Transformer } from '@napi-rs/image';

interface Sides {
  width: number;
  height: number;
}

/** Whole pixels of the same aspect ratio, with the given longer side. */
export function sidesWithin({ width, height }: Sides, longest: number): Sides {
  const scale = longest / Math.max(width, height);
  const scaled = (side: number): number => Math.max(1, Math.round(side * scale));
  return { width: scaled(width), height: scaled(height) };
}

/** Of 255: more than a JPEG's artefacts in a white border. */
const threshold = 10;

/**
 * Trims the border: transparent pixels if a corner is transparent, otherwise the first pixel's colour. An entirely uniform
 * picture stays.
 */
export function trimmed(pixels: Pixels): Pixels {
  const { data, width, height } = pixels;
  const corners = [0, width - 1, (height - 1) * width, height * width - 1];
  const isSeen = (at: number): boolean => (data[at + 3] as number) > threshold;
  const bordered = corners.every((pixel) => isSeen(pixel * 4));
  const isKept = bordered ? (at: number): boolean => isSeen(at) && differ(data, at, 0) : isSeen;

  let [left, top, right, bottom] = [width, height, -1, -1];
  for (let y = 0, at = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1, at += 4) {
      // Inside of what is kept already: nothing to add.
      if ((y <= bottom && x >= left && x <= right) || !isKept(at)) continue;
      left = Math.min(left, x);
      right = Math.max(right, x);
      top = Math.min(top, y);
      bottom = y;
    }
  }
  if (right < 0) return pixels;
  const rows: Buffer[] = [];
  for (let y = top; y <= bottom; y += 1) rows.push(data.subarray((y * width + left) * 4, (y * width + right + 1) * 4));
  return { data: Buffer.concat(rows), width: right - left + 1, height: bottom - top + 1 };
}

/** Whether two pixels look different; colours are weighted by opacity. */
function differ(data: Buffer, one: number, other: number): boolean {
  const [opacity, otherOpacity] = [data[one + 3] as number, data[other + 3] as number];
  if (Math.abs(opacity - otherOpacity) > threshold) return true;
  for (let channel = 0; channel < 3; channel += 1) {
    const far = (data[one + channel] as number) * opacity - (data[other + channel] as number) * otherOpacity;
    if (Math.abs(far) > threshold * 255) return true;
  }
  return false;
}

/** Red, green, blue and alpha of each pixel, a byte each; not premultiplied. */
export interface Pixels {
  data: Buffer;
  width: number;
  height: number;
}

/** Decodes a picture as stored: without its orientation and profile. @throws Error when it is damaged */
export const unpacked = (content: Uint8Array): Promise<Pixels> => pixelsOf(new Transformer(content));

/** The pixels of an edited picture. @throws Error when it is damaged */
export async function pixelsOf(image: Transformer): Promise<Pixels> {
  const { width, height, colorType } = await image.metadata();
  return { data: fourBytes(await image.rawPixels(), colorType), width, height };
}

export const imageOf = ({ data, width, height }: Pixels): Transformer =>
  Transformer.fromRgbaPixels(data, width, height);

/** The library's colour types count grey, grey with alpha, colour, colour with alpha: of 8 bits, then of 16. */
function fourBytes(raw: Buffer, colorType: number): Buffer {
  const channels = 1 + (colorType % 4);
  const bytes = colorType < 4 ? 1 : 2;
  if (colorType > 7) throw new Error(`Pixels of type ${colorType}`);
  if (channels === 4 && bytes === 1) return raw;
  // Of two bytes, in the machine's order (the lower first), the higher one counts.
  const step = channels * bytes;
  const coloured = channels > 2;
  const transparent = channels % 2 === 0;
  const data = Buffer.alloc((raw.length / step) * 4, 255);
  for (let from = bytes - 1, to = 0; from < raw.length; from += step, to += 4) {
    data[to] = raw[from] as number;
    data[to + 1] = raw[coloured ? from + bytes : from] as number;
    data[to + 2] = raw[coloured ? from + 2 * bytes : from] as number;
    if (transparent) data[to + 3] = raw[from + step - bytes] as number;
  }
  return data;
}

/** Centred in a transparent square of at least its size. */
export function centred({ data, width, height }: Pixels, side: number): Pixels {
  const square = Buffer.alloc(side * side * 4);
  const [left, top] = [side - width, side - height].map((rest) => Math.floor(rest / 2)) as [number, number];
  for (let y = 0; y < height; y += 1)
    data.copy(square, ((top + y) * side + left) * 4, y * width * 4, (y + 1) * width * 4);
  return { data: square, width: side, height: side };
}
