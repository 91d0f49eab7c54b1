import { defaultColours } from '../../editor/palette.ts';
import type { PageColours } from '../analysis.ts';
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
  why?: string;
  colours: DraftColours;
}

/**
 * At least three suggestions from what a page shows, the website's own colours first.
 * @param preface why it is rules that suggest, a sentence
 */
export function suggestByRules(page: PageColours, preface: string): Draft[] {
  const [brand] = page.brand;
  const found = brand
    ? `${brand.hex} is the colour that the website uses most as its brand’s (${brand.from.slice(0, 3).join(', ')}).`
    : 'No colour but greys was found in the website’s HTML and style sheets (what its scripts draw is not read); the suggestions begin with Tenantry’s default colour.';
  const drafts = ideasFor(page).map(({ name, description, why, colours: wished }): Draft => {
    const colours = repaired(wished);
    const reasoning = [preface, found, why, whiteOn(colours.primary)].filter(Boolean).join(' ');
    return { name, description, colours, palette: paletteScale(colours.primary), reasoning };
  });
  return distinct(drafts).slice(0, 4);
}

function ideasFor({ brand: [brand, ...others], text: ownText }: PageColours): Idea[] {
  const base = brand?.hex ?? defaultColours.primary;
  const [second, third] = others
    .filter(({ hex, share }) => share >= minShare * (brand?.share ?? 1) && oklchOf(hex).c >= minChroma)
    .map(({ hex }) => hex)
    .filter((hex) => difference(hex, base) >= another);
  const name = colourName(base);
  // The page's own text colour where it is dark enough, else a nearly black shade.
  const textFor = (hex: Hex): Hex => (contrast(ownText, white) >= enhanced ? ownText : toned(hex, 0.25, 0.03));
  const text = textFor(base);
  const quiet = toned(base, 0.45, 0.035);
  const accent = third ?? turned(base, second ? 180 : 150);
  const pale = contrast(base, white) < enhanced;
  const shifted = pale ? readable(base, [white], enhanced) : lightest(base);
  const lead = second ?? turned(base, 40);
  const leading = colourName(lead);
  return [
    {
      name: `Website ${name}`,
      description: `The website’s ${name} with ${second ? leading : 'a quiet second colour'}`,
      ...(second
        ? {}
        : { why: 'The website has no second colour of its own: secondary and accent are made from the first.' }),
      colours: { primary: base, secondary: second ?? quiet, accent, text },
    },
    {
      name: `${pale ? 'Deep' : 'Bright'} ${name}`,
      description: `The website’s ${name}, ${pale ? 'darkened so that white text on it is easy to read' : 'lightened as far as white text on it can be read'}`,
      why: 'Its lightness is changed for contrast; the hue stays.',
      colours: { primary: shifted, secondary: shiftedLightness(shifted, 0.25), accent, text },
    },
    {
      name: `${second ? 'Leading' : 'Neighbouring'} ${leading}`,
      description: `${second ? 'The website’s second colour leads' : 'A hue adjacent to the website’s leads'}, ${name} supports it`,
      colours: { primary: lead, secondary: base, accent: turned(lead, 180), text: textFor(lead) },
    },
    {
      name: `Calm ${name}`,
      description: `A muted ${name} for long hours; the website’s colour is the accent`,
      colours: {
        primary: toned(base, 0.42, Math.min(0.06, oklchOf(base).c * 0.5)),
        secondary: toned(base, 0.65, 0.025),
        accent: base,
        text,
      },
    },
  ];
}

const toned = (hex: Hex, l: number, c: number): Hex => hexOfOklch({ l, c, h: oklchOf(hex).h });

/** The lightest of a colour's shades on which white text can still be read. */
const lightest = (hex: Hex): Hex => readable(hexOfOklch({ ...oklchOf(hex), l: 0.75 }), [white], minContrast + 0.1);

function whiteOn(primary: Hex): string {
  const ratio = contrast(primary, white);
  return ratio >= minContrast
    ? ''
    : `White text on ${primary} has a contrast of ${ratio.toFixed(1)}:1 only: dark text is needed there.`;
}
