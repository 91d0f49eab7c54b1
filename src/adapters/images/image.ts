/** Formats that every browser shows. */
export type PictureFormat = 'png' | 'jpeg' | 'webp' | 'svg';

/** A picture that was read, cleaned and written anew: nothing of what it came with but what it shows. */
export interface Picture {
  format: PictureFormat;
  content: Buffer;
  /** Pixels; of a drawing, the size it gives itself. */
  width: number;
  height: number;
  /** What a drawing held that was left out (`script`, `onload`), each once. */
  removed: string[];
}

export const mediaTypes: Readonly<Record<PictureFormat, string>> = {
  png: 'image/png',
  jpeg: 'image/jpeg',
  webp: 'image/webp',
  svg: 'image/svg+xml',
};

/** Ends of file names, without the dot. */
export const extensions: Readonly<Record<PictureFormat, string>> = {
  png: 'png',
  jpeg: 'jpg',
  webp: 'webp',
  svg: 'svg',
};

/** Sides of a picture in pixels: larger ones are no logos, and cost 4 bytes a pixel to read (64 MiB at most). */
export const largestSide = 4_096;
/** A smaller one is a tracking pixel. */
export const smallestSide = 8;
/** Bytes of a drawing: what is larger is a picture wrapped up as one. */
export const largestDrawing = 512 * 1024;
