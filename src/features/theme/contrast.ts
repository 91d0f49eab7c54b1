import { differenceEuclidean, formatHex, oklch, toGamut, wcagContrast } from 'culori';
import type { ThemeColours } from './palette.ts';

/** A pair of colours that some people can't tell apart well enough. */
export interface ContrastWarning {
  /** The colour's field, `text_color`. */
  field: `${keyof ThemeColours}_color`;
  /** What it is seen with, `#RRGGBB`. */
  against: string;
  /** Ratio, 1 to 21, rounded down to hundredths: what does not pass must not look as if it did. */
  contrast: number;
  required: number;
  /** The nearest colour that passes. */
  suggestion: string;
  message: string;
}

/** WCAG 2.2 AA: success criteria 1.4.3 (text of normal size) and 1.4.11 (parts of controls, graphics). */
const ofText = { required: 4.5, rule: 'WCAG 2.2 AA, 1.4.3' };
const ofControls = { required: 3, rule: 'WCAG 2.2 AA, 1.4.11' };

const white = '#FFFFFF';

/** What is told of a theme; none where every pair passes. */
export function contrastWarnings(colours: ThemeColours): ContrastWarning[] {
  return [
    warning(colours, 'text', [white], 'text on a white page', ofText),
    warning(colours, 'primary', [white], 'white text on the primary colour', ofText),
    warning(
      colours,
      'secondary',
      [white, colours.text],
      'white text, or the text colour, on the secondary colour',
      ofText,
    ),
    warning(colours, 'accent', [white], 'the accent colour on a white page', ofControls),
    warning(colours, 'sidebar', [white], 'white text on the sidebar', ofText),
  ].filter((found) => found !== undefined);
}

function warning(
  colours: ThemeColours,
  name: keyof ThemeColours,
  /** It must contrast with one of them. */
  others: readonly string[],
  what: string,
  { required, rule }: { required: number; rule: string },
): ContrastWarning | undefined {
  const colour = colours[name];
  const best = (candidate: string): number => Math.max(...others.map((other) => wcagContrast(candidate, other)));
  if (best(colour) >= required) return undefined;
  const against = others.find((other) => wcagContrast(colour, other) === best(colour)) ?? white;
  const contrast = Math.floor(best(colour) * 100) / 100;
  const suggestion = nearestColour(colour, (candidate) => best(candidate) >= required);
  return {
    field: `${name}_color`,
    against,
    contrast,
    required,
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
