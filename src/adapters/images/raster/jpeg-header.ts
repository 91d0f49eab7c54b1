import { exifOrientation } from './exif-orientation.ts';
import { endOfImage, jpegSegments } from './jpeg-segments.ts';
import { largestProfile, plainHeader, type RasterHeader, tellSides } from './raster-header.ts';

const exif = { marker: 0xe1, name: 'Exif\0\0' };
const profile = { marker: 0xe2, name: 'ICC_PROFILE\0' };
/** Tells what the four components mean. */
const adobe = 0xee;
/** Markers that tell sides and components: 0xC0 to 0xCF but for tables and an extension. */
const isFrame = (marker: number): boolean => (marker & 0xf0) === 0xc0 && ![0xc4, 0xc8, 0xcc].includes(marker);

/** Walks a JPEG's segments. @throws RangeError where one ends before what it should tell */
export function readJpegHeader(content: Buffer): RasterHeader {
  const header = { ...plainHeader(), lossless: false };
  const parts: { number: number; part: Buffer }[] = [];
  for (const { marker, data } of jpegSegments(content)) {
    const is = (one: typeof exif): boolean =>
      marker === one.marker && data.toString('latin1', 0, one.name.length) === one.name;
    if (isFrame(marker)) {
      tellSides(header, data.readUInt16BE(3), data.readUInt16BE(1));
      header.inks = data.readUInt8(5) === 4;
    } else if (is(exif)) header.orientation = exifOrientation(data);
    else if (is(profile))
      parts.push({ number: data.readUInt8(profile.name.length), part: data.subarray(profile.name.length + 2) });
    else if (marker === endOfImage) header.complete = true;
  }
  // A segment holds 64 KiB: a larger profile comes in numbered parts.
  const whole = Buffer.concat(parts.sort((one, other) => one.number - other.number).map(({ part }) => part));
  return { ...header, profile: whole.length > 0 && whole.length <= largestProfile ? whole : undefined };
}

/** The same picture without what was noted beside it: its pixels, its profile, and what its colours mean. */
export function bareJpeg(content: Buffer): Buffer {
  const bytes = [content.subarray(0, 2)];
  for (const segment of jpegSegments(content)) {
    const { marker } = segment;
    if (marker < 0xe0 || marker === profile.marker || marker === adobe) bytes.push(segment.bytes);
  }
  return Buffer.concat(bytes);
}
