import { crc32, deflateSync } from 'node:zlib';
import CanvasKitInit from 'canvaskit-wasm';
import { type Pixels, unpacked } from './pixels.ts';
import { bareJpeg, type RasterHeader } from './read-header.ts';

/** Sides of the palette picture. */
const widest = 4_096;

interface DistinctColours {
  /** Each colour of the picture once, without its alpha; the rest of the last row is black. */
  colours: Pixels;
  /** The picture with these colours replaced, in the same order. */
  spread(others: Pixels): Pixels;
}

/**
 * A picture's distinct colours: converting only these is enough, and a logo has few. Skia premultiplies, which would destroy
 * faint colours, so they have no alpha.
 */
function distinctColours({ data, width, height }: Pixels): DistinctColours {
  // The number of each possible colour; 0: not seen yet.
  const numbers = new Uint32Array(2 ** 24);
  const met: number[] = [];
  const colourAt = (at: number): number =>
    ((data[at] as number) << 16) | ((data[at + 1] as number) << 8) | (data[at + 2] as number);
  for (let at = 0; at < data.length; at += 4) {
    const colour = colourAt(at);
    if (numbers[colour] === 0) numbers[colour] = met.push(colour);
  }
  const columns = Math.min(widest, met.length);
  const rows = Math.ceil(met.length / columns);
  const colours = Buffer.alloc(columns * rows * 4, 0);
  for (const [index, colour] of met.entries()) colours.writeUInt32BE(colour * 256 + 255, index * 4);
  return {
    colours: { data: colours, width: columns, height: rows },
    spread: (others) => {
      const spread = Buffer.from(data);
      for (let at = 0; at < data.length; at += 4) {
        const from = ((numbers[colourAt(at)] as number) - 1) * 4;
        spread[at] = others.data[from] as number;
        spread[at + 1] = others.data[from + 1] as number;
        spread[at + 2] = others.data[from + 2] as number;
      }
      return { data: spread, width, height };
    },
  };
}

const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
const [grey, colour] = [0, 2];
/** Fastest compression, as it is decoded at once. */
const fast = { level: 1 };

/** Encodes pixels, without their alpha, as a PNG with a profile. */
function profiledPng({ data, width, height }: Pixels, profile: Buffer, inGrey: boolean): Buffer {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.writeUInt8(8, 8);
  head.writeUInt8(inGrey ? grey : colour, 9);
  return Buffer.concat([
    signature,
    chunk('IHDR', head),
    chunk('iCCP', Buffer.concat([Buffer.from('profile\0\0', 'latin1'), deflateSync(profile, fast)])),
    chunk('IDAT', deflateSync(rows({ data, width, height }, inGrey ? 1 : 3), fast)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** Each starts with its filter type: none. */
function rows({ data, width, height }: Pixels, channels: number): Buffer {
  const packed = Buffer.alloc((width * channels + 1) * height);
  let to = 0;
  for (let at = 0; at < data.length; at += 4) {
    if (at % (width * 4) === 0) to += 1;
    for (let channel = 0; channel < channels; channel += 1) {
      packed[to] = data[at + channel] as number;
      to += 1;
    }
  }
  return packed;
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}

/** The colour space in a profile's header: four letters. */
const mixedOf = (profile: Buffer): string => profile.toString('latin1', 16, 20);

/**
 * Converts a picture with a profile or CMYK colours to sRGB pixels, without its orientation. By Skia, as Chromium shows it:
 * CMYK without a profile looks like in browsers.
 * @throws Error when it can't be decoded
 */
export async function toSrgb(content: Buffer, { profile, inks }: RasterHeader): Promise<Pixels> {
  if (inks) return converted(bareJpeg(content));
  const pixels = await unpacked(content);
  const space = profile && mixedOf(profile);
  // A profile of another colour space is ignored, as in browsers.
  if (!profile || (space !== 'RGB ' && space !== 'GRAY')) return pixels;
  const { colours, spread } = distinctColours(pixels);
  return spread(await converted(profiledPng(colours, profile, space === 'GRAY')));
}

async function converted(content: Buffer): Promise<Pixels> {
  const kit = await CanvasKitInit();
  const image = kit.MakeImageFromEncoded(content);
  if (!image) throw new Error('Skia can’t read it');
  const [width, height] = [image.width(), image.height()];
  const data = image.readPixels(0, 0, {
    width,
    height,
    colorType: kit.ColorType.RGBA_8888,
    alphaType: kit.AlphaType.Unpremul,
    colorSpace: kit.ColorSpace.SRGB,
  });
  if (!data) throw new Error('Skia can’t unpack it');
  return { data: Buffer.from(data.buffer, data.byteOffset, data.byteLength), width, height };
}
