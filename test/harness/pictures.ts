import sharp from 'sharp';

type Bytes = Buffer<ArrayBuffer>;
const own = (content: Uint8Array): Bytes => Buffer.from(Uint8Array.from(content).buffer);

interface Size {
  width?: number;
  height?: number;
}

const drawn = ({ width = 300, height = 120 }: Size = {}) =>
  sharp({ create: { width, height, channels: 3, background: '#FFFFFF' } }).composite([
    {
      input: Buffer.from(
        `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><circle cx="${width / 2}" cy="${height / 2}" r="${height / 3}" fill="#C0143C"/></svg>`,
      ),
    },
  ]);

/** A red disc on white. */
export const png = async (size?: Size): Promise<Bytes> => own(await drawn(size).png().toBuffer());
export const webp = async (size?: Size): Promise<Bytes> => own(await drawn(size).webp({ lossless: true }).toBuffer());

/** With EXIF that tells where it was taken, and that it lies on its side. */
export async function jpeg(size?: Size): Promise<Bytes> {
  const exif = { IFD0: { Copyright: 'Somebody Private' }, IFD3: { GPSLatitude: '47/1 22/1 0/1' } };
  return own(await drawn(size).jpeg().withMetadata({ orientation: 6, exif }).toBuffer());
}

/** What no compression makes small: each pixel another colour. */
export async function noise(side: number): Promise<Bytes> {
  const raw = Buffer.alloc(side * side * 3);
  let state = 1;
  for (let index = 0; index < raw.length; index += 1) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    raw[index] = state >>> 16;
  }
  return own(
    await sharp(raw, { raw: { width: side, height: side, channels: 3 } })
      .png()
      .toBuffer(),
  );
}

/** A PNG whose header says that it is so large. */
export async function bomb(side: number): Promise<Bytes> {
  const content = await png();
  content.writeUInt32BE(side, 16);
  content.writeUInt32BE(side, 20);
  const { crc32 } = await import('node:zlib');
  content.writeUInt32BE(crc32(content.subarray(12, 29)), 29);
  return content;
}

export const svg = (inner: string, attributes = 'viewBox="0 0 40 20"'): Bytes =>
  own(
    Buffer.from(
      `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" ${attributes}>${inner}</svg>`,
    ),
  );

/** A form of texts and files; a file's declared name and type say nothing true. */
export function themeForm(parts: Record<string, string | Bytes>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(parts)) {
    if (typeof value === 'string') form.append(name, value);
    else form.append(name, new Blob([value], { type: 'text/html' }), '../../etc/logo.html');
  }
  return form;
}
