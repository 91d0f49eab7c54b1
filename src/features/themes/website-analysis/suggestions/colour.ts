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
const ciede2000 = differenceCiede2000();

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
export const difference = (one: Hex, other: Hex): number => ciede2000(one, other);

/** WCAG 2 contrast ratio, 1 to 21. */
export const contrast = (one: Hex, other: Hex): number => wcagContrast(one, other);
