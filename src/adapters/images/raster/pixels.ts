import { Transformer } from '@napi-rs/image';

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
