import type { RasterFormat } from '../picture-task.ts';
import { readJpegHeader } from './jpeg-header.ts';
import { readPngHeader } from './png-header.ts';
import type { RasterHeader } from './raster-header.ts';
import { readWebpHeader } from './webp-header.ts';

const readers: Readonly<Record<RasterFormat, (content: Buffer) => RasterHeader>> = {
  png: readPngHeader,
  jpeg: readJpegHeader,
  webp: readWebpHeader,
};

/** @throws RangeError where the file ends before it has told its sides, or is not built as its format says */
export function readHeader(content: Buffer, format: RasterFormat): RasterHeader {
  const header = readers[format](content);
  if (header.width === 0 || header.height === 0) throw new RangeError('It tells no sides');
  return header;
}
