import type { Website } from '../../../../adapters/website/website.ts';
import { contrast, difference, type Hex, oklchOf } from './colour.ts';
import { gatherEvidence } from './evidence.ts';
import { brandliness } from './noise.ts';

/** A colour that may be the brand's. */
export interface BrandColour {
  hex: Hex;
  /** Its part of all that speaks for any colour, 0 to 1. */
  share: number;
  /** What speaks for it, most first: `header background`. */
  from: string[];
}

/** What was found out about a page's colours. */
export interface PageColours {
  /** Best first. Empty where the page has no colours but greys. */
  brand: BrandColour[];
  /** What the page is written on and in. */
  ground: Hex;
  text: Hex;
}

/** Colours nearer to each other (CIEDE2000) are taken for one. */
const same = 4;
const maxColours = 12;

/** The colours of a page, the brand's primary colour first: by where a colour is used, what it is called and how colourful it is. */
export function brandColours(website: Website): PageColours {
  const { evidence, ground = '#FFFFFF', text } = gatherEvidence(website);
  const totals = new Map<Hex, { weight: number; from: Map<string, number> }>();
  for (const { hex, weight, from } of evidence) {
    const total = totals.get(hex) ?? { weight: 0, from: new Map() };
    total.weight += weight * brandliness(hex);
    total.from.set(from, (total.from.get(from) ?? 0) + weight);
    totals.set(hex, total);
  }
  const ranked = [...totals].sort(([, one], [, other]) => other.weight - one.weight).slice(0, 200);
  const merged: { hex: Hex; weight: number; from: Map<string, number> }[] = [];
  for (const [hex, { weight, from }] of ranked) {
    const near = merged.find((one) => difference(one.hex, hex) < same);
    if (near) near.weight += weight;
    else merged.push({ hex, weight, from });
  }
  merged.sort((one, other) => other.weight - one.weight);
  const all = merged.reduce((sum, { weight }) => sum + weight, 0);
  const brand = merged
    .filter(({ hex, weight }) => oklchOf(hex).c > 0.025 && weight > 0)
    .slice(0, maxColours)
    .map(({ hex, weight, from }) => ({ hex, share: weight / all, from: strongest(from) }));
  return { brand, ground, text: text ?? (contrast(ground, '#FFFFFF') > 4.5 ? '#FFFFFF' : '#111827') };
}

const strongest = (from: Map<string, number>): string[] =>
  [...from]
    .sort(([, one], [, other]) => other - one)
    .slice(0, 4)
    .map(([name]) => name);
