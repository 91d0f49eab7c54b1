import { existsSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { converter } from 'culori';
import sharp, { type Sharp } from 'sharp';
import { drawing } from '../../../src/adapters/images/drawing.ts';
import type { PictureFormat } from '../../../src/adapters/images/image.ts';
import { cleanRaster, trimmed } from '../../../src/adapters/images/raster.ts';
import { inProcess } from '../../../src/adapters/images/read-picture.ts';
import { displayP3, greyOf, inksOf } from '../../harness/app/profiles.ts';
import { annotated, exif } from '../../harness/browser/annotated.ts';
import { type Inks, inkJpeg } from '../../harness/data/ink-jpeg.ts';
import { bomb, imageOf, noise, type Pixels, pixelsOf, svg, unpacked } from '../../harness/data/pictures.ts';

type Colour = readonly [red: number, green: number, blue: number, alpha?: number];

/** A picture with a colour for each position. */
function painted(width: number, height: number, colourAt: (x: number, y: number) => Colour): Pixels {
  const data = Buffer.alloc(width * height * 4, 255);
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) data.set(colourAt(x, y) as readonly number[], (y * width + x) * 4);
  return { data, width, height };
}

const packed = (pixels: Pixels, format: PictureFormat): Promise<Buffer> => {
  const image = imageOf(pixels);
  const encoded = {
    png: () => image.png(),
    jpeg: () => image.jpeg({ quality: 100, chromaSubsampling: '4:4:4' }),
    webp: () => image.webp({ lossless: true, exact: true }),
  };
  return encoded[format]().toBuffer();
};

const formats = ['png', 'jpeg', 'webp'] as const;
const cleaned = async (content: Buffer, format: PictureFormat): Promise<Pixels> =>
  unpacked((await cleanRaster(content, format)).content);

/** The largest difference of any channel at the first pixel. */
const away = ({ data }: Pixels, colour: Colour): number =>
  Math.max(...colour.map((value = 255, channel) => Math.abs(value - (data[channel] ?? 0))));

describe('colours', () => {
  const sRgb = (colour: Parameters<ReturnType<typeof converter<'rgb'>>>[0]): Colour => {
    const { r, g, b } = converter('rgb')(colour) ?? { r: 0, g: 0, b: 0 };
    const channel = (value: number): number => Math.round(255 * Math.min(1, Math.max(0, value)));
    return [channel(r), channel(g), channel(b)];
  };

  test.each(formats)('converts a %s in Display P3 to sRGB and drops the profile', async (format) => {
    const content = await packed(
      painted(16, 16, () => [180, 60, 90]),
      format,
    );
    const profile = displayP3(2.2);
    const picture = await cleanRaster(annotated(content, { profile }), format);
    expect(picture.content.includes(profile.subarray(0, 64))).toBe(false);
    const linear = (value: number): number => (value / 255) ** 2.2;
    // From the profile: light of three primaries.
    const [r, g, b] = [linear(180), linear(60), linear(90)];
    const xyz50 = {
      mode: 'xyz50' as const,
      x: 0.51512 * r + 0.29198 * g + 0.1571 * b,
      y: 0.2412 * r + 0.69225 * g + 0.06657 * b,
      z: -0.00105 * r + 0.04189 * g + 0.78407 * b,
    };
    expect(away(await unpacked(picture.content), sRgb(xyz50))).toBeLessThanOrEqual(2);
    expect(away(await unpacked(content), sRgb(xyz50))).toBeGreaterThan(10);
  });

  test('converts grey with a profile', async () => {
    const content = annotated(
      await imageOf(painted(16, 16, () => [100, 100, 100]))
        .toColourspace('b-w')
        .png()
        .toBuffer(),
      {
        profile: greyOf(1),
      },
    );
    expect(away(await cleaned(content, 'png'), [168, 168, 168])).toBeLessThanOrEqual(1);
  });

  test('keeps the colours of translucent and transparent pixels, with and without a profile', async () => {
    const faint = painted(256, 16, (x) => [200, 30, 60, x]);
    const content = await packed(faint, 'png');
    expect((await cleaned(content, 'png')).data.equals(faint.data)).toBe(true);
    const { data } = await cleaned(annotated(content, { profile: displayP3(2.2) }), 'png');
    for (let x = 0; x < 256; x += 1) expect([...data.subarray(x * 4, x * 4 + 4)]).toEqual([...data.subarray(0, 3), x]);
  });

  test('converts more colours than a row holds one by one', async () => {
    const many = painted(90, 60, (x, y) => [x * 2, y * 4, x + y]);
    const { data } = await cleaned(annotated(await packed(many, 'png'), { profile: displayP3(2.2) }), 'png');
    for (const [x, y] of [
      [0, 0],
      [89, 0],
      [0, 59],
      [44, 30],
      [89, 59],
    ] as const) {
      const alone = painted(8, 8, () => [x * 2, y * 4, x + y]);
      const one = await cleaned(annotated(await packed(alone, 'png'), { profile: displayP3(2.2) }), 'png');
      const at = (y * 90 + x) * 4;
      expect([...data.subarray(at, at + 4)]).toEqual([...one.data.subarray(0, 4)]);
    }
  });

  const colours = {
    none: [100, 0, 0],
    cyan: [60, -30, -40],
    magenta: [50, 70, 0],
    yellow: [90, 0, 80],
    black: [20, 0, 0],
  } as const;
  const inks: readonly [keyof typeof colours, Inks][] = [
    ['none', [0, 0, 0, 0]],
    ['cyan', [255, 0, 0, 0]],
    ['magenta', [0, 255, 0, 0]],
    ['yellow', [0, 0, 255, 0]],
    ['black', [0, 0, 0, 255]],
  ];

  test.each(inks)('converts print colours by their profile: %s', async (name, amounts) => {
    const [l, a, b] = colours[name];
    const expected = sRgb({ mode: 'lab', l, a, b });
    for (const ycck of [false, true]) {
      const content = annotated(inkJpeg(amounts, { ycck }), { profile: inksOf(colours), exif: exif(6) });
      const pixels = await cleaned(content, 'jpeg');
      expect(pixels).toMatchObject({ width: 8, height: 16 });
      expect(away(pixels, expected)).toBeLessThanOrEqual(4);
    }
  });

  test('converts print colours without a profile as browsers do', async () => {
    for (const ycck of [false, true])
      expect(away(await cleaned(inkJpeg([0, 255, 128, 51], { ycck }), 'jpeg'), [204, 0, 102])).toBeLessThanOrEqual(3);
  });
});

describe('files', () => {
  /** The stored position of a pixel of the upright picture (24 × 16) in this orientation. */
  const stored: Readonly<Record<number, (x: number, y: number) => [number, number]>> = {
    1: (x, y) => [x, y],
    2: (x, y) => [23 - x, y],
    3: (x, y) => [23 - x, 15 - y],
    4: (x, y) => [x, 15 - y],
    5: (x, y) => [y, x],
    6: (x, y) => [y, 23 - x],
    7: (x, y) => [15 - y, 23 - x],
    8: (x, y) => [15 - y, x],
  };

  test.each([1, 2, 3, 4, 5, 6, 7, 8])('turns a picture with orientation %s upright', async (orientation) => {
    const upright = painted(24, 16, (x, y) => [x * 10, y * 15, x < 12 ? 0 : 255]);
    const [width, height] = orientation > 4 ? [16, 24] : [24, 16];
    const lying = { data: Buffer.alloc(24 * 16 * 4), width, height };
    for (let y = 0; y < 16; y += 1)
      for (let x = 0; x < 24; x += 1) {
        const [column, row] = stored[orientation]?.(x, y) ?? [0, 0];
        upright.data.copy(lying.data, (row * width + column) * 4, (y * 24 + x) * 4, (y * 24 + x + 1) * 4);
      }
    for (const format of ['png', 'webp'] as const)
      for (const profile of [undefined, displayP3(2.2)]) {
        const content = annotated(await packed(lying, format), { exif: exif(orientation), profile });
        const picture = await cleaned(content, format);
        const same = annotated(await packed(upright, format), { profile });
        expect({ ...picture, data: picture.data.toString('hex') }).toEqual({
          ...upright,
          data: (await cleaned(same, format)).data.toString('hex'),
        });
      }
    const jpeg = await cleaned(annotated(await packed(lying, 'jpeg'), { exif: exif(orientation) }), 'jpeg');
    expect(jpeg).toMatchObject({ width: 24, height: 16 });
    expect(away(jpeg, [0, 0, 0])).toBeLessThan(40);
  });

  test.each(formats)('rejects a %s truncated at any position', async (format) => {
    const content = await sharp(await noise(64))
      [format](format === 'webp' ? { lossless: true } : {})
      .toBuffer();
    expect(await cleanRaster(content, format)).toMatchObject({ width: 64 });
    for (const part of [0.002, 0.01, 0.1, 0.5, 0.9, 0.99])
      await expect(cleanRaster(content.subarray(0, content.length * part), format)).rejects.toMatchObject({
        code: 'unsupported_file',
        message: expect.stringMatching(/damaged or cut short/),
      });
    await expect(cleanRaster(content.subarray(0, -1), format)).rejects.toMatchObject({ code: 'unsupported_file' });
  });

  test('rejects a PNG with altered bytes in its middle', async () => {
    const content = await noise(64);
    const middle = Math.floor(content.length / 2);
    content.fill(0, middle, middle + 8);
    await expect(cleanRaster(content, 'png')).rejects.toMatchObject({ code: 'unsupported_file' });
  });

  test.each([100, 119, 121, 400])('rejects a PNG of 300 × 120 that declares %s × that size', async (side) => {
    await expect(cleanRaster(await bomb(side), 'png')).rejects.toMatchObject({ code: 'unsupported_file' });
  });

  test('rejects a JPEG that declares its size twice', async () => {
    const content = await packed(
      painted(16, 16, () => [9, 9, 9]),
      'jpeg',
    );
    const frame = content.indexOf(Buffer.from([0xff, 0xc0]));
    const twice = Buffer.concat([
      content.subarray(0, frame),
      content.subarray(frame, frame + 19),
      content.subarray(frame),
    ]);
    await expect(cleanRaster(twice, 'jpeg')).rejects.toMatchObject({ code: 'unsupported_file' });
  });

  test('keeps a lossy WebP small and a lossless one exact', async () => {
    const smooth = painted(256, 256, (x, y) => [x, y, (x * y) % 256]);
    const lossy = await imageOf(smooth).webp().toBuffer();
    expect((await cleanRaster(lossy, 'webp')).content.length).toBeLessThan(3 * lossy.length);
    const exact = await packed(smooth, 'webp');
    expect((await cleaned(exact, 'webp')).data.equals(smooth.data)).toBe(true);
  });

  test('keeps the colours at edges in a JPEG', async () => {
    const halves = painted(32, 32, (x) => (x < 15 ? [220, 20, 60] : [0, 90, 200]));
    const { data } = await cleaned(await packed(halves, 'jpeg'), 'jpeg');
    for (const [x, colour] of [
      [14, [220, 20, 60]],
      [15, [0, 90, 200]],
    ] as const)
      expect(away({ data: data.subarray((16 * 32 + x) * 4), width: 1, height: 1 }, colour)).toBeLessThan(30);
  });

  test('decodes all pixel formats alike', async () => {
    const grey = painted(16, 16, (x, y) => [x * 16 + y, x * 16 + y, x * 16 + y, 255 - y]);
    const image = (): Sharp => imageOf(grey);
    for (const way of [image().png(), image().toColourspace('b-w').png(), image().toColourspace('rgb16').png()])
      expect((await cleaned(await way.toBuffer(), 'png')).data.equals(grey.data)).toBe(true);
    const few = painted(16, 16, (x, y) => [x < 8 ? 200 : 10, 30, y < 8 ? 60 : 90]);
    expect((await cleaned(await imageOf(few).png({ palette: true }).toBuffer(), 'png')).data.equals(few.data)).toBe(
      true,
    );
  });

  test('rejects a file whose decoder differs from its format', async () => {
    const gif = Buffer.from('R0lGODlhAQABAAAAACw=', 'base64');
    for (const content of [gif, Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), await noise(16)])
      await expect(cleanRaster(content, 'jpeg')).rejects.toMatchObject({ code: 'unsupported_file' });
  });
});

/** Debian: apt-get install fonts-dejavu-core. With CI=true the test fails without it. */
const font = '/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf';
const testWithFont = existsSync(font) || process.env.CI === 'true' ? test : test.skip;

describe('SVG drawings', () => {
  const drawn = async (inner: string, attributes = 'viewBox="0 0 40 20"'): Promise<Pixels> =>
    unpacked((await drawing(svg(inner, attributes))).content);

  test('are drawn as large as logos are shown, with their style sheets', async () => {
    const pixels = await drawn('<style>.a{fill:#0a7d4f}</style><rect class="a" width="40" height="20"/>');
    expect(pixels).toMatchObject({ width: 1_024, height: 512 });
    expect(away(pixels, [0x0a, 0x7d, 0x4f])).toBe(0);
    expect(await drawn('<path d="M0 0h9v9"/>', 'width="3000" height="1500"')).toMatchObject({ width: 3_000 });
  });

  test.each([
    ['width="2in" height="72pt"', 1_024, 512],
    ['width="100%" viewBox="0 0 300 100"', 1_024, 341],
    ['width="60" viewBox="0,0 300,100"', 1_024, 341],
    ['height="60px" viewBox="0 0 100 300"', 341, 1_024],
  ])('have the shape of %s', async (attributes, width, height) => {
    expect(await drawn('<path d="M0 0h9v9"/>', attributes)).toMatchObject({ width, height });
  });

  test('have 96 pixels an inch, as in browsers', async () => {
    const { data } = await drawn('<rect width="2in" height="96pt" fill="#0a7d4f"/>', 'width="2in" height="96pt"');
    expect([...data.subarray(-4)]).toEqual([0x0a, 0x7d, 0x4f, 255]);
  });

  test('keep the brightness of half-transparent areas', async () => {
    const { data } = await drawn('<rect width="40" height="20" fill="#FF0000" opacity=".5"/>');
    expect([...data.subarray(0, 4)]).toEqual([255, 0, 0, 128]);
  });

  testWithFont('show text with an installed font if theirs is missing', async () => {
    const text = (font: string) =>
      inProcess({ kind: 'draw' }, svg(`<text x="2" y="14" font-size="8" ${font}>Team</text>`));
    const known = await unpacked((await text('font-family="DejaVu Sans"')).content);
    expect(known.data.some((value, at) => at % 4 === 3 && value > 200)).toBe(true);
    for (const font of ['', 'font-family="Missing Font"', 'style="font-family:&quot;Missing Font&quot;,sans-serif"'])
      expect((await unpacked((await text(font)).content)).data.equals(known.data)).toBe(true);
  });
});

const cut = async (pixels: Pixels): Promise<Pixels> => pixelsOf(await trimmed(imageOf(pixels)));

test('keeps a hairline at the edge when it trims', async () => {
  const inside = (at: number) => at >= 2 && at <= 17;
  const isEdge = (at: number) => at === 2 || at === 17;
  const frame = painted(20, 20, (x, y) =>
    inside(x) && inside(y) && (isEdge(x) || isEdge(y)) ? [200, 0, 0] : [255, 255, 255],
  );
  expect(await cut(frame)).toMatchObject({ width: 16, height: 16 });
});

test('trims a transparent or coloured border, but not a picture of one colour', async () => {
  const dot = (border: Colour) =>
    cut(painted(20, 10, (x, y) => (x >= 3 && x < 8 && y >= 2 && y < 9 ? [200, 0, 0, 255] : border)));
  for (const border of [
    [255, 255, 255, 255],
    [0, 0, 0, 0],
    [190, 190, 0, 40],
  ] as const) {
    const { data, width, height } = await dot(border);
    expect({ width, height }).toEqual({ width: 5, height: 7 });
    expect(data.equals(painted(5, 7, () => [200, 0, 0, 255]).data)).toBe(true);
  }
  expect(await cut(painted(9, 9, () => [1, 2, 3]))).toMatchObject({ width: 9, height: 9 });
  expect(await cut(painted(9, 9, (x) => [x, 0, 0, 0]))).toMatchObject({ width: 9, height: 9 });
  // A picture whose shape reaches a corner has no border of that colour.
  const half = await cut(painted(9, 9, (x) => [200, 0, 0, x < 4 ? 255 : 0]));
  expect(half).toMatchObject({ width: 4, height: 9 });
});
