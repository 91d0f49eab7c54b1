/** Cyan, magenta, yellow, black: 0 to 255 of each ink. */
export type Inks = readonly [cyan: number, magenta: number, yellow: number, black: number];

interface InkJpegOptions {
  /** As print programs usually write it: brightness and colour separately, and black. */
  ycck?: boolean;
}

/**
 * A JPEG of one print colour, 16 × 8, as Adobe's programs write it: inverted inks. The packed data is one difference
 * for each component.
 */
export function inkJpeg(inks: Inks, { ycck = false }: InkJpegOptions = {}): Buffer {
  const stored = inks.map((ink) => 255 - ink) as unknown as Inks;
  const components = ycck ? apart(stored) : stored;
  const differences = components.map((value) => Math.round(value) - 128);
  // Two blocks of each: the second has no difference.
  const bits = [...differences, 0, 0, 0, 0].map((difference) => `${packed(difference)}0`).join('');
  const scan = bits.padEnd(Math.ceil(bits.length / 8) * 8, '1').match(/.{8}/g) ?? [];
  const bytes = scan.flatMap((byte) => (byte === '11111111' ? [0xff, 0] : [Number.parseInt(byte, 2)]));
  const numbers = [1, 2, 3, 4];
  return Buffer.from([
    ...[0xff, 0xd8],
    ...segment(0xee, [...Buffer.from('Adobe'), 0, 100, 0, 0, 0, 0, ycck ? 2 : 0]),
    ...segment(0xdb, [0, ...Array<number>(64).fill(8)]),
    ...segment(0xc0, [8, 0, 8, 0, 16, 4, ...numbers.flatMap((number) => [number, 0x11, 0])]),
    // Nine codes of four bits for lengths of differences; one of one bit for "nothing more".
    ...segment(0xc4, [0x00, 0, 0, 0, 9, ...Array<number>(12).fill(0), 0, 1, 2, 3, 4, 5, 6, 7, 8]),
    ...segment(0xc4, [0x10, 1, ...Array<number>(15).fill(0), 0]),
    ...segment(0xda, [4, ...numbers.flatMap((number) => [number, 0]), 0, 63, 0]),
    ...bytes,
    ...[0xff, 0xd9],
  ]);
}

const segment = (marker: number, data: number[]): number[] => [
  ...[0xff, marker, (data.length + 2) >> 8, (data.length + 2) & 0xff],
  ...data,
];

/** Length of the difference in four bits, and itself; for a negative one, its complement. */
function packed(difference: number): string {
  const length = difference === 0 ? 0 : Math.floor(Math.log2(Math.abs(difference))) + 1;
  const value = difference < 0 ? difference + 2 ** length - 1 : difference;
  return length.toString(2).padStart(4, '0') + (length === 0 ? '' : value.toString(2).padStart(length, '0'));
}

/** What the inks leave of red, green and blue, as brightness and two differences (ITU-R BT.601); black stays. */
function apart([cyan, magenta, yellow, black]: Inks): Inks {
  const [r, g, b] = [255 - cyan, 255 - magenta, 255 - yellow];
  return [
    0.299 * r + 0.587 * g + 0.114 * b,
    128 - 0.168736 * r - 0.331264 * g + 0.5 * b,
    128 + 0.5 * r - 0.418688 * g - 0.081312 * b,
    black,
  ];
}
