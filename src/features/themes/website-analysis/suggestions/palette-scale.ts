import { interpolate } from 'culori';
import { scaleSteps } from '../../editor/palette.ts';
import { asHex, type Hex, oklchOf } from './colour.ts';

export type PaletteScale = Record<`${(typeof scaleSteps)[number]}`, Hex>;

/** OKLCH lightness of the first and the last step, as in Tailwind 4's colourful scales. */
const [lightest, darkest] = [0.975, 0.265];
const last = scaleSteps.length - 1;

/**
 * A scale of a colour's tints and shades, each step darker than the one before. The colour itself is the step that its lightness
 * is nearest to; the other steps are spread between it and the ends, which have less chroma.
 */
export function paletteScale(primary: Hex): PaletteScale {
  const { l, c, h } = oklchOf(primary);
  const own = Math.min(last, Math.max(0, Math.round(((lightest - l) / (lightest - darkest)) * last)));
  const tint = { mode: 'oklch', l: lightest, c: c * 0.1, h } as const;
  const shade = { mode: 'oklch', l: darkest, c: c * 0.5, h } as const;
  const ends = [own > 0 ? tint : primary, own < last ? shade : primary] as const;
  const colourAt = interpolate(
    [
      [ends[0], 0],
      [primary, own / last],
      [ends[1], 1],
    ],
    'oklch',
  );
  return Object.fromEntries(
    scaleSteps.map((step, at) => [step, at === own ? primary : asHex(colourAt(at / last))]),
  ) as PaletteScale;
}
