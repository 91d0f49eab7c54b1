import { scaleSteps } from '../../editor/palette.ts';
import { type Hex, hexOfOklch, oklchOf } from './colour.ts';

export type PaletteScale = Record<`${(typeof scaleSteps)[number]}`, Hex>;

/** OKLCH lightness of each step: the mean of Tailwind 4's colourful scales, rounded. */
const usualLightness = [0.975, 0.945, 0.895, 0.825, 0.735, 0.655, 0.58, 0.505, 0.435, 0.375, 0.265];
/** How much of the colour's chroma each step keeps: tints and shades have less. */
const usualChroma = [0.1, 0.2, 0.38, 0.62, 0.86, 1, 1, 0.93, 0.82, 0.68, 0.48];

/**
 * A scale of a colour's tints and shades, each step darker than the one before. The colour itself is the step whose usual lightness
 * is nearest, unless it is nearly white or black; the other steps are spread between it and the ends.
 */
export function paletteScale(primary: Hex): PaletteScale {
  const { l, c, h } = oklchOf(primary);
  const nearest = usualLightness.reduce(
    (best, usual, at) => (Math.abs(usual - l) < Math.abs((usualLightness[best] ?? 0) - l) ? at : best),
    0,
  );
  const first = usualLightness[0] ?? 1;
  const last = usualLightness.at(-1) ?? 0;
  const own = Math.min(first, Math.max(last, l));
  const usual = usualLightness[nearest] ?? own;
  const spread = (lightness: number): number =>
    lightness >= usual
      ? between(lightness, [usual, first], [own, first])
      : between(lightness, [last, usual], [last, own]);
  const steps = scaleSteps.map((step, at) => {
    const hex =
      at === nearest && own === l
        ? primary
        : hexOfOklch({
            l: spread(usualLightness[at] ?? 0),
            c: c * ((usualChroma[at] ?? 1) / (usualChroma[nearest] ?? 1)),
            h,
          });
    return [step, hex] as const;
  });
  return Object.fromEntries(steps) as PaletteScale;
}

/** Carries a value from one range to another, in proportion. */
function between(value: number, [from, to]: [number, number], [low, high]: [number, number]): number {
  return to === from ? high : low + ((value - from) / (to - from)) * (high - low);
}
