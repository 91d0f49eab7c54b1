import { crc32 } from 'node:zlib';
import sharp, { type Sharp } from 'sharp';
import { annotated, exif } from '../browser/annotated.ts';

type Bytes = Buffer<ArrayBuffer>;
const own = (content: Uint8Array): Bytes => Buffer.from(Uint8Array.from(content).buffer);

interface Size {
  width?: number;
  height?: number;
}

/** Red, green, blue and alpha of each pixel, a byte each; not premultiplied. */
export interface Pixels {
  data: Buffer;
  width: number;
  height: number;
}

/** A picture's pixels as stored: without its orientation and profile. */
export const unpacked = (content: Uint8Array): Promise<Pixels> => pixelsOf(sharp(content, { ignoreIcc: true }));

export async function pixelsOf(image: Sharp): Promise<Pixels> {
  const pixels = image.toColourspace('srgb').ensureAlpha().raw();
  const { data, info } = await pixels.toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height };
}

export const imageOf = ({ data, width, height }: Pixels): Sharp => sharp(data, { raw: { width, height, channels: 4 } });

const drawn = ({ width = 300, height = 120 }: Size = {}): Sharp =>
  sharp(
    Buffer.from(
      `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><rect width="${width}" height="${height}" fill="#FFF"/><circle cx="${width / 2}" cy="${height / 2}" r="${height / 3}" fill="#C0143C"/></svg>`,
    ),
  );

/** A red disc on white. */
export const png = async (size?: Size): Promise<Bytes> => own(await drawn(size).png().toBuffer());
export const webp = async (size?: Size): Promise<Bytes> => own(await drawn(size).webp({ lossless: true }).toBuffer());

/** With EXIF that names the author and a rotated orientation. */
export const jpeg = async (size?: Size): Promise<Bytes> =>
  own(annotated(await drawn(size).jpeg().toBuffer(), { exif: exif(6) }));

/** Incompressible: each pixel has a random colour. */
export async function noise(side: number): Promise<Bytes> {
  const raw = Buffer.alloc(side * side * 4, 255);
  let state = 1;
  for (let index = 0; index < raw.length; index += 1) {
    if (index % 4 === 3) continue;
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    raw[index] = state >>> 16;
  }
  return own(await imageOf({ data: raw, width: side, height: side }).png().toBuffer());
}

/** A PNG whose header declares this size. */
export async function bomb(side: number): Promise<Bytes> {
  const content = await png();
  content.writeUInt32BE(side, 16);
  content.writeUInt32BE(side, 20);
  content.writeUInt32BE(crc32(content.subarray(12, 29)), 29);
  return content;
}

/** The properties of a file, from the library that decodes it. */
export async function imageInfo(content: Uint8Array): Promise<{ format: string; width: number; height: number }> {
  const { format, width, height } = await sharp(content).metadata();
  return { format, width, height };
}

/** The colour at a position of a picture, as `#rrggbb`. */
export async function colourAt(content: Uint8Array, left: number, top: number): Promise<string> {
  const { data, width } = await unpacked(content);
  const at = (top * width + left) * 4;
  return `#${data.toString('hex', at, at + 3)}`;
}

export const svg = (inner: string, attributes = 'viewBox="0 0 40 20"'): Bytes =>
  own(
    Buffer.from(
      `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" ${attributes}>${inner}</svg>`,
    ),
  );

/** A form of texts and files; the declared name and type of a file are wrong. */
export function themeForm(parts: Record<string, string | Bytes>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(parts)) {
    if (typeof value === 'string') form.append(name, value);
    else form.append(name, new Blob([value], { type: 'text/html' }), '../../etc/logo.html');
  }
  return form;
}
