import { Transformer } from '@napi-rs/image';

interface Sides {
  width: number;
  height: number;
}

/** Whole pixels of the same shape, with the given longer side. */
export function sidesWithin({ width, height }: Sides, longest: number): Sides {
  const scale = longest / Math.max(width, height);
  const scaled = (side: number): number => Math.max(1, Math.round(side * scale));
  return { width: scaled(width), height: scaled(height) };
}

/** Of 255: what a JPEG's compression leaves in a white border is less. */
const threshold = 10;

/**
 * Cuts off the border: what is transparent where a corner is, otherwise what looks like the first pixel. Where nothing would be left, it
 * all stays.
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
      // Between what is kept already, it matters no more.
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

/** Whether two pixels look different; colours count as much as they are seen. */
function differ(data: Buffer, one: number, other: number): boolean {
  const [opacity, otherOpacity] = [data[one + 3] as number, data[other + 3] as number];
  if (Math.abs(opacity - otherOpacity) > threshold) return true;
  for (let channel = 0; channel < 3; channel += 1) {
    const far = (data[one + channel] as number) * opacity - (data[other + channel] as number) * otherOpacity;
    if (Math.abs(far) > threshold * 255) return true;
  }
  return false;
}

/** Red, green, blue and opacity of each pixel, a byte each; colours are not multiplied with the opacity. */
export interface Pixels {
  data: Buffer;
  width: number;
  height: number;
}

/** Unpacks a picture as it is stored: neither turned nor with its profile. @throws Error where it is damaged */
export const unpacked = (content: Uint8Array): Promise<Pixels> => pixelsOf(new Transformer(content));

/** What a picture in work looks like. @throws Error where it is damaged */
export async function pixelsOf(image: Transformer): Promise<Pixels> {
  const { width, height, colorType } = await image.metadata();
  return { data: fourBytes(await image.rawPixels(), colorType), width, height };
}

export const imageOf = ({ data, width, height }: Pixels): Transformer =>
  Transformer.fromRgbaPixels(data, width, height);

/** The library's colour types count grey, grey with opacity, colour, colour with opacity: of 8 bits, then of 16. */
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

/** In the middle of a transparent square that is as large or larger. */
export function centred({ data, width, height }: Pixels, side: number): Pixels {
  const square = Buffer.alloc(side * side * 4);
  const [left, top] = [side - width, side - height].map((rest) => Math.floor(rest / 2)) as [number, number];
  for (let y = 0; y < height; y += 1)
    data.copy(square, ((top + y) * side + left) * 4, y * width * 4, (y + 1) * width * 4);
  return { data: square, width: side, height: side };
}
