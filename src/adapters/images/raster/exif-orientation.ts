/** As it lies: nothing has to be turned. */
export const upright = 1;
const orientationTag = 0x0112;

/**
 * How a picture has to be turned, by its EXIF (a TIFF directory): 1 to 8. What can't be read is told as upright, since a picture is not
 * refused for what a camera or a program noted beside it.
 */
export function exifOrientation(exif: Buffer): number {
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
    // It ends before what it names.
  }
  return upright;
}
