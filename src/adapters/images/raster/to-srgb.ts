import CanvasKitInit from 'canvaskit-wasm';
import { distinctColours } from './distinct-colours.ts';
import { bareJpeg } from './jpeg-header.ts';
import { type Pixels, unpacked } from './pixels.ts';
import { profiledPng } from './profiled-png.ts';
import type { RasterHeader } from './raster-header.ts';

/** Four letters in a profile's head: what its colours are mixed of. */
const mixedOf = (profile: Buffer): string => profile.toString('latin1', 16, 20);

/**
 * The pixels of a picture whose colours are told by a profile or are those of print, in sRGB, not turned. By Skia, as Chromium shows
 * it: so inks without a profile are what browsers take them for.
 * @throws Error where it can't be unpacked
 */
export async function toSrgb(content: Buffer, { profile, inks }: RasterHeader): Promise<Pixels> {
  if (inks) return converted(bareJpeg(content));
  const pixels = await unpacked(content);
  const space = profile && mixedOf(profile);
  // A profile of something else is no profile of these pixels: browsers don't heed it either.
  if (!profile || (space !== 'RGB ' && space !== 'GRAY')) return pixels;
  const { colours, spread } = distinctColours(pixels);
  return spread(await converted(profiledPng(colours, profile, space === 'GRAY')));
}

async function converted(content: Buffer): Promise<Pixels> {
  const kit = await CanvasKitInit();
  const image = kit.MakeImageFromEncoded(content);
  if (!image) throw new Error('Skia can’t read it');
  const [width, height] = [image.width(), image.height()];
  const data = image.readPixels(0, 0, {
    width,
    height,
    colorType: kit.ColorType.RGBA_8888,
    alphaType: kit.AlphaType.Unpremul,
    colorSpace: kit.ColorSpace.SRGB,
  });
  if (!data) throw new Error('Skia can’t unpack it');
  return { data: Buffer.from(data.buffer, data.byteOffset, data.byteLength), width, height };
}
