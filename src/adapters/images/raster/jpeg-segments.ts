export const endOfImage = 0xd9;
const startOfScan = 0xda;

export interface JpegSegment {
  marker: number;
  /** What follows marker and length. */
  data: Buffer;
  /** From the marker to the next one's: of a scan, with what is packed behind it. */
  bytes: Buffer;
}

/** A JPEG's segments as far as its end or the file's. @throws RangeError where something else stands between them */
export function* jpegSegments(content: Buffer): Generator<JpegSegment> {
  let start = 2;
  while (start + 4 <= content.length || content[start + 1] === endOfImage) {
    if (content[start] !== 0xff) throw new RangeError('No marker');
    const marker = content.readUInt8(start + 1);
    if (marker === endOfImage) {
      yield { marker, data: Buffer.alloc(0), bytes: content.subarray(start, start + 2) };
      return;
    }
    // A marker may be filled up before it.
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

/** Where the next marker stands: within what is packed, 0xFF is followed by a zero or by one of the eight marks that divide it. */
function endOfScan(content: Buffer, from: number): number {
  for (let at = content.indexOf(0xff, from); at !== -1; at = content.indexOf(0xff, at + 1)) {
    const next = content[at + 1];
    if (next !== undefined && next !== 0 && next !== 0xff && !(next >= 0xd0 && next <= 0xd7)) return at;
  }
  return content.length;
}
