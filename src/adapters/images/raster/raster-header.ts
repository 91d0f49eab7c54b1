import { upright } from './exif-orientation.ts';

/** What a file says of its picture, before a pixel is unpacked. */
export interface RasterHeader {
  /** Pixels, as they are stored. */
  width: number;
  height: number;
  /** How it has to be turned to stand upright: EXIF's 1 to 8. */
  orientation: number;
  /** Its ICC profile. */
  profile?: Buffer | undefined;
  /** In the colours of print: cyan, magenta, yellow, black. */
  inks: boolean;
  /** More than one picture, one after another. */
  animated: boolean;
  /** Whether it goes on to its own end. */
  complete: boolean;
  /** Whether it was packed so that each pixel stayed what it was. */
  lossless: boolean;
}

/** Bytes of a profile: those of printers are a few MB. */
export const largestProfile = 8 * 1024 ** 2;

/** A header of which nothing was read yet. */
export const plainHeader = (): RasterHeader => ({
  width: 0,
  height: 0,
  orientation: upright,
  inks: false,
  animated: false,
  complete: false,
  lossless: true,
});

/** @throws RangeError where they were told before: a file that says two things is read one way here and another way elsewhere */
export function tellSides(header: RasterHeader, width: number, height: number): void {
  if (header.width !== 0) throw new RangeError('Sides are told twice');
  Object.assign(header, { width, height });
}
