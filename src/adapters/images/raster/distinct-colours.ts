import type { Pixels } from './pixels.ts';

/** Of the picture that the colours make. */
const widest = 4_096;

interface DistinctColours {
  /** Each colour of the picture once, without its opacity; the rest of the last row is black. */
  colours: Pixels;
  /** The picture with other colours for these, in the same order. */
  spread(others: Pixels): Pixels;
}

/**
 * The colours of a picture, each once: what is done to colours alone has to be done to these only, and a logo has few. Skia
 * multiplies them with the opacity, which faint ones would not survive, so they go without.
 */
export function distinctColours({ data, width, height }: Pixels): DistinctColours {
  // For each colour that there can be, its number; 0: not met yet.
  const numbers = new Uint32Array(2 ** 24);
  const met: number[] = [];
  const colourAt = (at: number): number =>
    ((data[at] as number) << 16) | ((data[at + 1] as number) << 8) | (data[at + 2] as number);
  for (let at = 0; at < data.length; at += 4) {
    const colour = colourAt(at);
    if (numbers[colour] === 0) numbers[colour] = met.push(colour);
  }
  const columns = Math.min(widest, met.length);
  const rows = Math.ceil(met.length / columns);
  const colours = Buffer.alloc(columns * rows * 4, 0);
  for (const [index, colour] of met.entries()) colours.writeUInt32BE(colour * 256 + 255, index * 4);
  return {
    colours: { data: colours, width: columns, height: rows },
    spread: (others) => {
      const spread = Buffer.from(data);
      for (let at = 0; at < data.length; at += 4) {
        const from = ((numbers[colourAt(at)] as number) - 1) * 4;
        spread[at] = others.data[from] as number;
        spread[at + 1] = others.data[from + 1] as number;
        spread[at + 2] = others.data[from + 2] as number;
      }
      return { data: spread, width, height };
    },
  };
}
