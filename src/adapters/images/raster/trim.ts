import type { Pixels } from './pixels.ts';

/** Of 255: what a JPEG's compression leaves in a white border is less. */
const threshold = 10;

/**
 * Cuts off the border: what is transparent where a corner is, otherwise what looks like the first pixel. Where nothing would be left, it
 * all stays.
 */
export function trimmed(pixels: Pixels): Pixels {
  const { data, width, height } = pixels;
  const corners = [0, width - 1, (height - 1) * width, height * width - 1];
  const isSeen = (at: number): boolean => (data[at + 3] as number) > threshold;
  const bordered = corners.every((pixel) => isSeen(pixel * 4));
  const isKept = bordered ? (at: number): boolean => isSeen(at) && differ(data, at, 0) : isSeen;

  let [left, top, right, bottom] = [width, height, -1, -1];
  for (let y = 0, at = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1, at += 4) {
      // Between what is kept already, it matters no more.
      if ((y <= bottom && x >= left && x <= right) || !isKept(at)) continue;
      left = Math.min(left, x);
      right = Math.max(right, x);
      top = Math.min(top, y);
      bottom = y;
    }
  }
  if (right < 0) return pixels;
  const rows: Buffer[] = [];
  for (let y = top; y <= bottom; y += 1) rows.push(data.subarray((y * width + left) * 4, (y * width + right + 1) * 4));
  return { data: Buffer.concat(rows), width: right - left + 1, height: bottom - top + 1 };
}

/** Whether two pixels look different; colours count as much as they are seen. */
function differ(data: Buffer, one: number, other: number): boolean {
  const [opacity, otherOpacity] = [data[one + 3] as number, data[other + 3] as number];
  if (Math.abs(opacity - otherOpacity) > threshold) return true;
  for (let channel = 0; channel < 3; channel += 1) {
    const far = (data[one + channel] as number) * opacity - (data[other + channel] as number) * otherOpacity;
    if (Math.abs(far) > threshold * 255) return true;
  }
  return false;
}
