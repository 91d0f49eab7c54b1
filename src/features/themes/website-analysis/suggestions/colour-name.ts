import { type Hex, oklchOf } from './colour.ts';

/** Where on OKLCH's wheel a name ends, in degrees. */
const hues: readonly (readonly [number, string])[] = [
  [15, 'pink'],
  [38, 'red'],
  [62, 'orange'],
  [90, 'amber'],
  [112, 'yellow'],
  [135, 'lime'],
  [165, 'green'],
  [200, 'teal'],
  [235, 'cyan'],
  [275, 'blue'],
  [300, 'violet'],
  [330, 'purple'],
  [352, 'magenta'],
  [360, 'pink'],
];

/** What a colour is called, in lower case. */
export function colourName(hex: Hex): string {
  const { l, c, h } = oklchOf(hex);
  if (c < 0.02) return l > 0.9 ? 'white' : l < 0.25 ? 'black' : 'grey';
  const hue = hues.find(([end]) => h < end)?.[1] ?? 'red';
  if (l < 0.5 && c < 0.12 && (hue === 'orange' || hue === 'amber')) return 'brown';
  return hue;
}
