import { inflateSync } from 'node:zlib';
import type { RasterFormat } from '../picture-task.ts';

/** EXIF's value for no rotation. */
const upright = 1;
const orientationTag = 0x0112;

/**
 * A picture's orientation by its EXIF (a TIFF directory): 1 to 8. Unreadable EXIF counts as upright: metadata is no reason to
 * reject a picture.
 */
function exifOrientation(exif: Buffer): number {
  const tiff = exif.toString('latin1', 0, 6) === 'Exif\0\0' ? exif.subarray(6) : exif;
  const littleEndian = tiff.toString('latin1', 0, 2) === 'II';
  const number = (at: number, bytes: number): number =>
    littleEndian ? tiff.readUIntLE(at, bytes) : tiff.readUIntBE(at, bytes);
  try {
    const directory = number(4, 4);
    const entries = number(directory, 2);
    for (let at = directory + 2; at < directory + 2 + entries * 12; at += 12) {
      if (number(at, 2) !== orientationTag) continue;
      const orientation = number(at + 8, 2);
      return orientation >= 1 && orientation <= 8 ? orientation : upright;
    }
  } catch {
    // It ends before an offset it names.
  }
  return upright;
}

/** Facts from a picture's header, before it is decoded. */
export interface RasterHeader {
  /** Pixels, as they are stored. */
  width: number;
  height: number;
  /** Rotation to stand upright: EXIF's 1 to 8. */
  orientation: number;
  /** Its ICC profile. */
  profile?: Buffer | undefined;
  /** CMYK colours. */
  inks: boolean;
  /** Several frames. */
  animated: boolean;
  /** Whether its end is present. */
  complete: boolean;
  /** Whether the encoding is lossless. */
  lossless: boolean;
}

/** Maximum bytes of a profile: those of printers are a few MB. */
const maxProfileBytes = 8 * 1024 ** 2;

/** A new header. */
const plainHeader = (): RasterHeader => ({
  width: 0,
  height: 0,
  orientation: upright,
  inks: false,
  animated: false,
  complete: false,
  lossless: true,
});

/** @throws RangeError when they are set already: contradictory files are read differently by other programs */
function setSides(header: RasterHeader, width: number, height: number): void {
  if (header.width !== 0) throw new RangeError('Sides are set twice');
  Object.assign(header, { width, height });
}

const endOfImage = 0xd9;
const startOfScan = 0xda;

interface JpegSegment {
  marker: number;
  /** The content after marker and length. */
  data: Buffer;
  /** From this marker to the next; a scan includes its compressed data. */
  bytes: Buffer;
}

/** A JPEG's segments up to its end or the file's. @throws RangeError for other data between them */
function* jpegSegments(content: Buffer): Generator<JpegSegment> {
  let start = 2;
  while (start + 4 <= content.length || content[start + 1] === endOfImage) {
    if (content[start] !== 0xff) throw new RangeError('No marker');
    const marker = content.readUInt8(start + 1);
    if (marker === endOfImage) {
      yield { marker, data: Buffer.alloc(0), bytes: content.subarray(start, start + 2) };
      return;
    }
    // Padding may precede a marker.
    if (marker === 0xff) {
      start += 1;
      continue;
    }
    const dataEnd = start + 2 + content.readUInt16BE(start + 2);
    const end = marker === startOfScan ? endOfScan(content, dataEnd) : dataEnd;
    yield { marker, data: content.subarray(start + 4, dataEnd), bytes: content.subarray(start, end) };
    start = end;
  }
}

/** Offset of the next marker: in compressed data, 0xFF is followed by zero or by one of the eight restart markers. */
function endOfScan(content: Buffer, from: number): number {
  for (let at = content.indexOf(0xff, from); at !== -1; at = content.indexOf(0xff, at + 1)) {
    const next = content[at + 1];
    if (next !== undefined && next !== 0 && next !== 0xff && !(next >= 0xd0 && next <= 0xd7)) return at;
  }
  return content.length;
}

const exif = { marker: 0xe1, name: 'Exif\0\0' };
const profile = { marker: 0xe2, name: 'ICC_PROFILE\0' };
/** The meaning of the four components. */
const adobe = 0xee;
/** Markers with sides and components: 0xC0 to 0xCF except tables and an extension. */
const isFrame = (marker: number): boolean => (marker & 0xf0) === 0xc0 && ![0xc4, 0xc8, 0xcc].includes(marker);

/** Walks a JPEG's segments. @throws RangeError when one is too short */
function readJpegHeader(content: Buffer): RasterHeader {
  const header = { ...plainHeader(), lossless: false };
  const parts: { number: number; part: Buffer }[] = [];
  for (const { marker, data } of jpegSegments(content)) {
    const is = (one: typeof exif): boolean =>
      marker === one.marker && data.toString('latin1', 0, one.name.length) === one.name;
    if (isFrame(marker)) {
      setSides(header, data.readUInt16BE(3), data.readUInt16BE(1));
      header.inks = data.readUInt8(5) === 4;
    } else if (is(exif)) header.orientation = exifOrientation(data);
    else if (is(profile))
      parts.push({ number: data.readUInt8(profile.name.length), part: data.subarray(profile.name.length + 2) });
    else if (marker === endOfImage) header.complete = true;
  }
  // A segment has up to 64 KiB: a larger profile comes in numbered parts.
  const whole = Buffer.concat(parts.sort((one, other) => one.number - other.number).map(({ part }) => part));
  return { ...header, profile: whole.length > 0 && whole.length <= maxProfileBytes ? whole : undefined };
}

/** The same picture without metadata: its pixels, its profile, and its colours' meaning. */
export function bareJpeg(content: Buffer): Buffer {
  const bytes = [content.subarray(0, 2)];
  for (const segment of jpegSegments(content)) {
    const { marker } = segment;
    if (marker < 0xe0 || marker === profile.marker || marker === adobe) bytes.push(segment.bytes);
  }
  return Buffer.concat(bytes);
}

/** Walks a PNG's chunks: length, type, content, checksum. @throws RangeError when one is too short */
function readPngHeader(content: Buffer): RasterHeader {
  const header = plainHeader();
  for (let at = 8; at + 12 <= content.length; ) {
    const length = content.readUInt32BE(at);
    const type = content.toString('latin1', at + 4, at + 8);
    const data = content.subarray(at + 8, at + 8 + length);
    at += 12 + length;
    if (type === 'IHDR') setSides(header, data.readUInt32BE(0), data.readUInt32BE(4));
    else if (type === 'iCCP') header.profile = profileOf(data);
    else if (type === 'eXIf') header.orientation = exifOrientation(data);
    else if (type === 'acTL') header.animated = true;
    else if (type === 'IEND') return { ...header, complete: at <= content.length };
  }
  return header;
}

/** After a zero-terminated name and the compression method. An invalid profile is ignored, as in browsers. */
function profileOf(chunk: Buffer): Buffer | undefined {
  try {
    return inflateSync(chunk.subarray(chunk.indexOf(0) + 2), { maxOutputLength: maxProfileBytes });
  } catch {
    return undefined;
  }
}

/** Flag of an animation. */
const animation = 2;
const fourteenBits = 0x3fff;

/**
 * Walks a WebP's chunks (RIFF: type, length, content padded to an even length).
 * @throws RangeError when one is too short
 */
function readWebpHeader(content: Buffer): RasterHeader {
  const header = plainHeader();
  const end = 8 + content.readUInt32LE(4);
  let canvas = false;
  let pictures = 0;
  let at = 12;
  while (at + 8 <= Math.min(end, content.length)) {
    const type = content.toString('latin1', at, at + 4);
    const length = content.readUInt32LE(at + 4);
    const data = content.subarray(at + 8, at + 8 + length);
    at += 8 + length + (length % 2);
    if (type === 'VP8X') {
      canvas = true;
      header.animated = (data.readUInt8(0) & animation) !== 0;
      setSides(header, 1 + data.readUIntLE(4, 3), 1 + data.readUIntLE(7, 3));
    } else if (type === 'ANIM' || type === 'ANMF') header.animated = true;
    else if (type === 'ICCP') header.profile = data;
    else if (type === 'EXIF') header.orientation = exifOrientation(data);
    else if (type === 'VP8 ' || type === 'VP8L') {
      pictures += 1;
      header.lossless = type === 'VP8L';
      // With a canvas, the canvas' sides count.
      if (!canvas) setSides(header, ...(header.lossless ? losslessSides(data) : lossySides(data)));
    }
  }
  return { ...header, complete: pictures === 1 && at <= content.length + 1 && end <= content.length };
}

/** After three bytes of the frame and a mark of three bytes. */
const lossySides = (data: Buffer): [number, number] => [
  data.readUInt16LE(6) & fourteenBits,
  data.readUInt16LE(8) & fourteenBits,
];

/** Each minus one, after a mark of one byte. */
function losslessSides(data: Buffer): [number, number] {
  const bits = data.readUInt32LE(1);
  return [1 + (bits & fourteenBits), 1 + ((bits >>> 14) & fourteenBits)];
}

const readers: Readonly<Record<RasterFormat, (content: Buffer) => RasterHeader>> = {
  png: readPngHeader,
  jpeg: readJpegHeader,
  webp: readWebpHeader,
};

/** @throws RangeError when the file is malformed or has no sides */
export function readHeader(content: Buffer, format: RasterFormat): RasterHeader {
  const header = readers[format](content);
  if (header.width === 0 || header.height === 0) throw new RangeError('It has no sides');
  return header;
}
