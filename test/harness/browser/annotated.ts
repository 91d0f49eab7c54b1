import { crc32, deflateSync } from 'node:zlib';

/** Metadata that a picture's file may contain. */
interface Notes {
  exif?: Buffer | undefined;
  profile?: Buffer | undefined;
}

/** EXIF with an orientation (1 to 8) and the author. */
export function exif(orientation: number): Buffer {
  const maker = Buffer.from('Somebody Private\0');
  const entry = (tag: number, type: number, count: number, value: number): Buffer => {
    const bytes = Buffer.alloc(12);
    bytes.writeUInt16LE(tag, 0);
    bytes.writeUInt16LE(type, 2);
    bytes.writeUInt32LE(count, 4);
    bytes.writeUInt32LE(value, 8);
    return bytes;
  };
  const [text, short] = [2, 3];
  const entries = [entry(0x0112, short, 1, orientation), entry(0x8298, text, maker.length, 38)];
  return Buffer.concat([Buffer.from('II*\0\x08\0\0\0\x02\0', 'latin1'), ...entries, Buffer.alloc(4), maker]);
}

/** A PNG, JPEG or WebP (lossless) with metadata, at the places of each format. */
export function annotated(content: Buffer, notes: Notes): Buffer {
  if (content[0] === 0x89) return annotatedPng(content, notes);
  return content[0] === 0xff ? annotatedJpeg(content, notes) : annotatedWebp(content, notes);
}

function annotatedPng(content: Buffer, { exif: tiff, profile }: Notes): Buffer {
  const chunks: Buffer[] = [];
  if (profile) chunks.push(pngChunk('iCCP', Buffer.concat([Buffer.from('name\0\0'), deflateSync(profile)])));
  if (tiff) chunks.push(pngChunk('eXIf', tiff));
  return withChunks(content, ...chunks);
}

/** A PNG with additional chunks after its header. */
export const withChunks = (content: Buffer, ...chunks: Buffer[]): Buffer =>
  Buffer.concat([content.subarray(0, 33), ...chunks, content.subarray(33)]);

export function pngChunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type), data]);
  return Buffer.concat([number(data.length, 'BE'), named, number(crc32(named), 'BE')]);
}

function number(value: number, order: 'BE' | 'LE'): Buffer {
  const bytes = Buffer.alloc(4);
  bytes[`writeUInt32${order}`](value);
  return bytes;
}

/** Far less than a segment could hold, so that a profile has several. */
const partBytes = 300;

function annotatedJpeg(content: Buffer, { exif: tiff, profile = Buffer.alloc(0) }: Notes): Buffer {
  const segment = (marker: number, ...data: Buffer[]): Buffer => {
    const inner = Buffer.concat(data);
    const length = inner.length + 2;
    return Buffer.concat([Buffer.from([0xff, marker, length >> 8, length & 0xff]), inner]);
  };
  const count = Math.ceil(profile.length / partBytes);
  const parts = Array.from({ length: count }, (_, index) => {
    const part = profile.subarray(index * partBytes, (index + 1) * partBytes);
    return segment(0xe2, Buffer.from('ICC_PROFILE\0'), Buffer.from([index + 1, count]), part);
  });
  const noted = tiff ? [segment(0xe1, Buffer.from('Exif\0\0'), tiff)] : [];
  // The last part first: their numbers define their order.
  return Buffer.concat([content.subarray(0, 2), ...noted, ...parts.reverse(), content.subarray(2)]);
}

const [hasProfile, hasAlpha, hasExif, moves] = [0x20, 0x10, 0x08, 0x02];

function annotatedWebp(content: Buffer, { exif: tiff, profile }: Notes): Buffer {
  const chunks = [canvas(content, hasAlpha | (profile ? hasProfile : 0) | (tiff ? hasExif : 0))];
  if (profile) chunks.push(webpChunk('ICCP', profile));
  chunks.push(content.subarray(12));
  if (tiff) chunks.push(webpChunk('EXIF', tiff));
  return webpFile(...chunks);
}

/** A WebP that shows one picture (lossless) repeatedly, a tenth of a second each. */
export function movingWebp(content: Buffer, times: number): Buffer {
  const sides = sidesOf(content);
  const frame = webpChunk(
    'ANMF',
    Buffer.concat([Buffer.alloc(6), sides, Buffer.from([100, 0, 0, 0]), content.subarray(12)]),
  );
  return webpFile(canvas(content, moves | hasAlpha), webpChunk('ANIM', Buffer.alloc(6)), ...Array(times).fill(frame));
}

const canvas = (content: Buffer, flags: number): Buffer =>
  webpChunk('VP8X', Buffer.concat([Buffer.from([flags, 0, 0, 0]), sidesOf(content)]));

/** Twice three bytes, each minus one. */
function sidesOf(content: Buffer): Buffer {
  const bits = content.readUInt32LE(21);
  const sides = Buffer.alloc(6);
  sides.writeUIntLE(bits & 0x3fff, 0, 3);
  sides.writeUIntLE((bits >>> 14) & 0x3fff, 3, 3);
  return sides;
}

const webpChunk = (type: string, data: Buffer): Buffer =>
  Buffer.concat([Buffer.from(type), number(data.length, 'LE'), data, Buffer.alloc(data.length % 2)]);

function webpFile(...chunks: Buffer[]): Buffer {
  const inner = Buffer.concat([Buffer.from('WEBP'), ...chunks]);
  return Buffer.concat([Buffer.from('RIFF'), number(inner.length, 'LE'), inner]);
}
