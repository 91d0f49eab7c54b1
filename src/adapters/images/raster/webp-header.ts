import { exifOrientation } from './exif-orientation.ts';
import { plainHeader, type RasterHeader, tellSides } from './raster-header.ts';

/** In a byte of flags: several pictures, one after another. */
const animation = 2;
const fourteenBits = 0x3fff;

/**
 * Walks a WebP's chunks (RIFF: type, length, content filled up to an even length).
 * @throws RangeError where one ends before what it should tell
 */
export function readWebpHeader(content: Buffer): RasterHeader {
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
      tellSides(header, 1 + data.readUIntLE(4, 3), 1 + data.readUIntLE(7, 3));
    } else if (type === 'ANIM' || type === 'ANMF') header.animated = true;
    else if (type === 'ICCP') header.profile = data;
    else if (type === 'EXIF') header.orientation = exifOrientation(data);
    else if (type === 'VP8 ' || type === 'VP8L') {
      pictures += 1;
      header.lossless = type === 'VP8L';
      // On a canvas, the canvas' sides count.
      if (!canvas) tellSides(header, ...(header.lossless ? losslessSides(data) : lossySides(data)));
    }
  }
  return { ...header, complete: pictures === 1 && at <= content.length + 1 && end <= content.length };
}

/** After three bytes of the frame and three that are a mark. */
const lossySides = (data: Buffer): [number, number] => [
  data.readUInt16LE(6) & fourteenBits,
  data.readUInt16LE(8) & fourteenBits,
];

/** Each less one, after a byte that is a mark. */
function losslessSides(data: Buffer): [number, number] {
  const bits = data.readUInt32LE(1);
  return [1 + (bits & fourteenBits), 1 + ((bits >>> 14) & fourteenBits)];
}
