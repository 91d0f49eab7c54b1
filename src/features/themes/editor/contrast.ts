import { differenceEuclidean, formatHex, oklch, toGamut, wcagContrast } from 'culori';
import type { ThemeColours } from './palette.ts';

/** The colours that a theme colour is displayed with, and whether their contrast is sufficient. */
export interface ContrastPair {
  /** The colour's field, `text_color`. */
  field: `${keyof ThemeColours}_color`;
  /** The colour it is displayed on or with, `#RRGGBB`. */
  against: string;
  /** Ratio, 1 to 21, rounded down to hundredths: what does not pass must not look as if it did. */
  contrast: number;
  required: number;
  passes: boolean;
}

/** A pair of colours with insufficient contrast. */
export interface ContrastWarning extends Omit<ContrastPair, 'passes'> {
  /** The nearest colour that passes. */
  suggestion: string;
  message: string;
}

/** WCAG 2.2 AA: success criteria 1.4.3 (text of normal size) and 1.4.11 (parts of controls, graphics). */
const ofText = { required: 4.5, rule: 'WCAG 2.2 AA, 1.4.3' };
const ofControls = { required: 3, rule: 'WCAG 2.2 AA, 1.4.11' };

const white = '#FFFFFF';

interface Use {
  name: keyof ThemeColours;
  /** It must contrast with one of them. */
  others(colours: ThemeColours): readonly string[];
  what: string;
  required: number;
  rule: string;
}

const onWhite = (): readonly string[] => [white];
const uses: readonly Use[] = [
  { name: 'text', others: onWhite, what: 'text on a white page', ...ofText },
  { name: 'primary', others: onWhite, what: 'white text on the primary colour', ...ofText },
  {
    name: 'secondary',
    others: ({ text }) => [white, text],
    what: 'white text, or the text colour, on the secondary colour',
    ...ofText,
  },
  { name: 'accent', others: onWhite, what: 'the accent colour on a white page', ...ofControls },
  { name: 'sidebar', others: onWhite, what: 'white text on the sidebar', ...ofText },
];

/** What each colour of a theme is seen with. */
export const contrastPairs = (colours: ThemeColours): ContrastPair[] => uses.map((use) => pairOf(use, colours));

/** The warnings of a theme; none if every pair passes. */
export function contrastWarnings(colours: ThemeColours): ContrastWarning[] {
  return uses.flatMap((use) => {
    const { passes, ...pair } = pairOf(use, colours);
    return passes ? [] : [warning(use, pair, colours)];
  });
}

/** The contrast with the one of some colours from which it differs most. */
const best = (colour: string, others: readonly string[]): number =>
  Math.max(...others.map((other) => wcagContrast(colour, other)));

function pairOf({ name, others, required }: Use, colours: ThemeColours): ContrastPair {
  const among = others(colours);
  const exact = best(colours[name], among);
  return {
    field: `${name}_color`,
    against: among.find((other) => wcagContrast(colours[name], other) === exact) ?? white,
    contrast: Math.floor(exact * 100) / 100,
    required,
    passes: exact >= required,
  };
}

function warning(
  { name, others, what, rule }: Use,
  pair: Omit<ContrastPair, 'passes'>,
  colours: ThemeColours,
): ContrastWarning {
  const { contrast, required } = pair;
  const suggestion = nearestColour(colours[name], (candidate) => best(candidate, others(colours)) >= required);
  return {
    ...pair,
    suggestion,
    message: `${name}_color: ${what} has a contrast of ${contrast.toFixed(2)}:1; ${rule} asks for ${required}:1. The nearest colour that passes is ${suggestion}`,
  };
}

/** Steps of OKLCH lightness (0 to 1), finer than the 256 steps of a channel. */
const step = 0.002;
const intoScreen = toGamut('rgb', 'oklch');
const distance = differenceEuclidean('oklab');

/**
 * The colour nearest to one (in OKLab) that is as wanted, of its hue and as far as a screen can show it of its chroma: lighter
 * or darker. `#RRGGBB`; the colour itself where none is.
 */
export function nearestColour(colour: string, passes: (candidate: string) => boolean): string {
  const from = oklch(colour);
  if (!from || passes(colour)) return colour;
  const towards = (sign: 1 | -1): string | undefined => {
    // White comes out a rounding error above 1.
    for (let l = Math.min(1, from.l); l >= 0 && l <= 1; l += sign * step) {
      const candidate = formatHex(intoScreen({ ...from, l })).toUpperCase();
      if (passes(candidate)) return candidate;
    }
    const end = sign === 1 ? white : '#000000';
    return passes(end) ? end : undefined;
  };
  const found = [towards(-1), towards(1)].filter((candidate) => candidate !== undefined);
  return found.sort((a, b) => distance(colour, a) - distance(colour, b))[0] ?? colour;
}
