import { defaultColours } from '../../editor/palette.ts';
import type { BrandColour, PageColours } from './brand-colours.ts';
import { colourName, contrast, difference, type Hex, hexOfOklch, oklchOf } from './colour.ts';
import {
  type Draft,
  type DraftColours,
  distinct,
  minContrast,
  readable,
  repaired,
  shiftedLightness,
  turned,
} from './draft.ts';
import { paletteScale } from './palette-scale.ts';

const white = '#FFFFFF';
/** Enhanced contrast (WCAG 2.2, 1.4.6). */
const enhanced = 7;
/** A further colour of the page counts as one of the brand's from this part of the first's share on, and where it is another colour at a glance. */
const minShare = 0.06;
const another = 15;
const minChroma = 0.05;

interface Idea {
  name: string;
  description: string;
  why: string;
  colours: DraftColours;
}

/**
 * At least three suggestions from what a page shows, the website's own colours first.
 * @param preface why it is rules that suggest, a sentence
 */
export function suggestByRules(page: PageColours, preface: string): Draft[] {
  const [brand] = page.brand;
  const base = brand?.hex ?? defaultColours.primary;
  const others = page.brand
    .slice(1)
    .filter(
      ({ hex, share }) =>
        share >= minShare * (brand?.share ?? 1) && oklchOf(hex).c >= minChroma && difference(hex, base) >= another,
    );
  const found = brand
    ? `${base} is the colour that the website uses most as its brand’s${reasonsOf(brand)}.`
    : 'No colour but greys was found in the website’s HTML and style sheets (what its scripts draw is not read); the suggestions begin with Tenantry’s default colour.';
  const ideas = ideasFor(base, others, page);
  const drafts = ideas.map(({ name, description, why, colours: wished }): Draft => {
    const colours = repaired(wished);
    const reasoning = [preface, found, why, whiteOn(colours.primary)].filter(Boolean).join(' ');
    return { name, description, colours, palette: paletteScale(colours.primary), reasoning };
  });
  return distinct(drafts).slice(0, 4);
}

function ideasFor(base: Hex, others: readonly BrandColour[], page: PageColours): Idea[] {
  const [second, third] = others;
  const name = colourName(base);
  const text = textFor(base, page.text);
  const quiet = toned(base, 0.45, 0.035);
  const accent = third?.hex ?? (second ? turned(base, 180) : turned(base, 150));
  const own = { primary: base, secondary: second?.hex ?? quiet, accent, text };
  const deep = contrast(base, white) < enhanced ? readable(base, [white], enhanced) : lightest(base);
  const lead = second?.hex ?? turned(base, 40);
  return [
    {
      name: `Website ${name}`,
      description: second
        ? `The website’s own colours: ${name} with ${colourName(second.hex)}`
        : `The website’s ${name} with a quiet second colour`,
      why: second ? '' : 'The website has no second colour of its own: secondary and accent are made from the first.',
      colours: own,
    },
    {
      name: contrast(base, white) < enhanced ? `Deep ${name}` : `Bright ${name}`,
      description:
        contrast(base, white) < enhanced
          ? `The website’s ${name}, darkened so that white text on it is easy to read`
          : `The website’s ${name}, lightened as far as white text on it can be read`,
      why: 'Its lightness is changed for contrast; the hue stays.',
      colours: { primary: deep, secondary: shiftedLightness(deep, 0.25), accent, text },
    },
    {
      name: second ? `${capital(colourName(lead))} first` : `Neighbouring ${colourName(lead)}`,
      description: second
        ? `The website’s second colour leads, ${name} supports it`
        : `A hue adjacent to the website’s ${name}, which supports it`,
      why: second
        ? `${lead} is the website’s second colour.`
        : 'A neighbouring hue keeps the mood and sets the application apart.',
      colours: { primary: lead, secondary: base, accent: turned(lead, 180), text: textFor(lead, page.text) },
    },
    {
      name: `Calm ${name}`,
      description: `A muted ${name} for long hours; the website’s colour is the accent`,
      why: 'Muted grounds leave the brand’s colour to what matters.',
      colours: {
        primary: toned(base, 0.42, Math.min(0.06, oklchOf(base).c * 0.5)),
        secondary: toned(base, 0.65, 0.025),
        accent: base,
        text,
      },
    },
    {
      name: `Contrasting ${name}`,
      description: `The opposite of the website’s ${name} leads`,
      why: 'For an application that should not be taken for the website.',
      colours: { primary: turned(base, 180), secondary: quiet, accent: base, text },
    },
  ];
}

const toned = (hex: Hex, l: number, c: number): Hex => hexOfOklch({ l, c, h: oklchOf(hex).h });

/** The lightest of a colour's shades on which white text can still be read. */
const lightest = (hex: Hex): Hex => readable(hexOfOklch({ ...oklchOf(hex), l: 0.75 }), [white], minContrast + 0.1);

/** The page's own text colour where it is dark enough, else a nearly black shade of the colour. */
const textFor = (hex: Hex, own: Hex): Hex => (contrast(own, white) >= enhanced ? own : toned(hex, 0.25, 0.03));

function reasonsOf({ from }: BrandColour): string {
  const words = from.filter((one) => !one.startsWith('style rules')).slice(0, 3);
  return words.length > 0 ? ` (${words.join(', ')})` : '';
}

function whiteOn(primary: Hex): string {
  const ratio = contrast(primary, white);
  return ratio >= minContrast
    ? ''
    : `White text on ${primary} has a contrast of ${ratio.toFixed(1)}:1 only: dark text is needed there.`;
}

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
