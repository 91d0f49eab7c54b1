import { nearestColour } from '../../editor/contrast.ts';
import { contrast, difference, type Hex, hexOfOklch, oklchOf } from './colour.ts';
import { type PaletteScale, paletteScale } from './palette-scale.ts';

/** The four colours of a suggestion. */
export interface DraftColours {
  primary: Hex;
  secondary: Hex;
  accent: Hex;
  text: Hex;
}

/** A suggestion before it has an id. */
export interface Draft {
  name: string;
  description: string;
  colours: DraftColours;
  palette: PaletteScale;
  reasoning: string;
}

/** WCAG 2.2, 1.4.3: contrast of text at level AA. */
export const minContrast = 4.5;
const white = '#FFFFFF';
/** CIEDE2000 between two colours of one suggestion that have different tasks. */
const apart = 10;
/** Two suggestions differ where one of their first three colours differs by so much. */
const suggestionsApart = 8;

/** Colours as they may be suggested: text that can be read on white and on the scale's lightest step; primary, secondary and accent distinct. */
export function repaired({ primary, secondary, accent, text }: DraftColours): DraftColours {
  const palette = paletteScale(primary);
  const second = farEnough([secondary, ...[0.2, 0.3, 0.4].map((by) => shiftedLightness(primary, by))], [primary]);
  const third = farEnough([accent, ...[180, 150, 210, 90, 270].map((turn) => turned(accent, turn))], [primary, second]);
  return { primary, secondary: second, accent: third, text: readable(text, [white, palette[50]]) };
}

/** The first of some colours that differs from others as much as it should, else the one that differs most. */
function farEnough(candidates: readonly Hex[], others: readonly Hex[]): Hex {
  const away = (hex: Hex): number => Math.min(...others.map((other) => difference(hex, other)));
  return (
    candidates.find((one) => away(one) >= apart) ??
    candidates.reduce((best, one) => (away(one) > away(best) ? one : best))
  );
}

/** The colour itself where it can be read on all of the grounds, else the nearest one that can. */
export const readable = (colour: Hex, grounds: readonly Hex[], least = minContrast): Hex =>
  nearestColour(colour, (hex) => grounds.every((ground) => contrast(hex, ground) >= least));

/** The suggestions that differ from all before them at a glance. */
export function distinct(drafts: readonly Draft[]): Draft[] {
  const kept: Draft[] = [];
  for (const draft of drafts) {
    if (kept.every((one) => farthest(one.colours, draft.colours) >= suggestionsApart)) kept.push(draft);
  }
  return kept;
}

const farthest = (one: DraftColours, other: DraftColours): number =>
  Math.max(...(['primary', 'secondary', 'accent'] as const).map((name) => difference(one[name], other[name])));

/** A colour as much lighter or darker, to the side where there is room. */
export function shiftedLightness(hex: Hex, by: number): Hex {
  const { l, c, h } = oklchOf(hex);
  return hexOfOklch({ l: l > 0.55 ? l - by : l + by, c: c * 0.8, h });
}

/** A colour's hue turned, with enough chroma and middling lightness to be distinguishable from it. */
export function turned(hex: Hex, degrees: number): Hex {
  const { l, c, h } = oklchOf(hex);
  return hexOfOklch({ l: Math.min(0.75, Math.max(0.5, l)), c: Math.max(c, 0.11), h: (h + degrees) % 360 });
}
