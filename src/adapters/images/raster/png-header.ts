import { inflateSync } from 'node:zlib';
import { exifOrientation } from './exif-orientation.ts';
import { largestProfile, plainHeader, type RasterHeader, tellSides } from './raster-header.ts';

/** Walks a PNG's chunks: length, type, content, checksum. @throws RangeError where one ends before what it should tell */
export function readPngHeader(content: Buffer): RasterHeader {
  const header = plainHeader();
  for (let at = 8; at + 12 <= content.length; ) {
    const length = content.readUInt32BE(at);
    const type = content.toString('latin1', at + 4, at + 8);
    const data = content.subarray(at + 8, at + 8 + length);
    at += 12 + length;
    if (type === 'IHDR') tellSides(header, data.readUInt32BE(0), data.readUInt32BE(4));
    else if (type === 'iCCP') header.profile = profileOf(data);
    else if (type === 'eXIf') header.orientation = exifOrientation(data);
    else if (type === 'acTL') header.animated = true;
    else if (type === 'IEND') return { ...header, complete: at <= content.length };
  }
  return header;
}

/** After a name that ends with a zero, and the number of the only way of packing. What can't be unpacked is no profile, as in browsers. */
function profileOf(chunk: Buffer): Buffer | undefined {
  try {
    return inflateSync(chunk.subarray(chunk.indexOf(0) + 2), { maxOutputLength: largestProfile });
  } catch {
    return undefined;
  }
}
