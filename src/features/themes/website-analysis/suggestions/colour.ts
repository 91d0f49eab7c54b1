import {
  clampChroma,
  colorsNamed,
  converter,
  differenceCiede2000,
  formatHex,
  type Color as InAnySpace,
  type Oklch,
  parse,
  wcagContrast,
} from 'culori';

/** `#RRGGBB` in upper case. */
export type Hex = string;

const toOklch = converter('oklch');
const isName = (text: string): boolean => Object.hasOwn(colorsNamed, text.toLowerCase());

/** A CSS colour of any notation; undefined where it is none, or is more clear than opaque. */
export function hexOf(text: string): Hex | undefined {
  // The library reads hexadecimal digits without their sign, too.
  const colour = /^[0-9a-f]+$/i.test(text) && !isName(text) ? undefined : parse(text);
  return colour && (colour.alpha ?? 1) >= 0.4 ? asHex({ ...colour, alpha: 1 }) : undefined;
}

/** The nearest colour that screens show: chroma gives way, lightness and hue stay. */
export const asHex = (colour: InAnySpace): Hex => formatHex(clampChroma(colour, 'oklch')).toUpperCase();

/** Lightness 0 to 1, chroma (0: grey; screens show up to about 0.32), hue in degrees (0 for greys). */
export function oklchOf(hex: Hex): { l: number; c: number; h: number } {
  const { l, c, h } = toOklch(hex) as Oklch;
  return { l, c, h: h ?? 0 };
}

export const hexOfOklch = ({ l, c, h }: { l: number; c: number; h: number }): Hex =>
  asHex({ mode: 'oklch', l: Math.min(1, Math.max(0, l)), c: Math.max(0, c), h });

/** CIEDE2000: below 2 hardly seen, above 10 another colour at a glance. */
export const difference: (one: Hex, other: Hex) => number = differenceCiede2000();

/** WCAG 2 contrast ratio, 1 to 21. */
export const contrast: (one: Hex, other: Hex) => number = wcagContrast;

/** Names around OKLCH's wheel, and where each of them ends, in degrees. */
const hueNames = 'pink red orange amber yellow lime green teal cyan blue violet purple magenta pink'.split(' ');
const hueEnds = [15, 38, 62, 90, 112, 135, 165, 200, 235, 275, 300, 330, 352, 360];

/** What a colour is called, in lower case. */
export function colourName(hex: Hex): string {
  const { l, c, h } = oklchOf(hex);
  if (c < 0.02) return l > 0.9 ? 'white' : l < 0.25 ? 'black' : 'grey';
  const hue = hueNames[hueEnds.findIndex((end) => h < end)] ?? 'red';
  return l < 0.5 && c < 0.12 && (hue === 'orange' || hue === 'amber') ? 'brown' : hue;
}
