import type { LogoCandidate, Website } from '../../../../adapters/website/website.ts';
import type { PageColours } from '../analysis.ts';
import { contrast, difference, type Hex, hexOf, oklchOf } from './colour.ts';
import { type PageStyles, type Role, stylesOf } from './page-styles.ts';
import { colourOfVariable, coloursIn, resolved } from './values.ts';

/** One reason to take a colour for the brand's. */
interface Evidence {
  hex: Hex;
  /** Arbitrary units: a header's background is 5. */
  weight: number;
  /** What a person reads: `header background`. */
  from: string;
}

/** Colours nearer to each other (CIEDE2000) are taken for one. */
const same = 4;
const maxColours = 12;
const maxMerged = 200;

/** The colours of a page, the brand's primary colour first: by where a colour is used, what it is called and how colourful it is. */
export function brandColours(website: Website): PageColours {
  const styles = stylesOf(website);
  const evidence = [
    ...fromElements(styles),
    ...fromVariables(styles),
    ...fromMeta(website),
    ...fromLogos(website.logos),
  ];
  const merged: { hex: Hex; weight: number; all: Evidence[] }[] = [];
  const each = [...Map.groupBy(evidence, ({ hex }) => hex)].map(([hex, all]) => {
    return { hex, weight: sumOf(all) * brandliness(hex), all };
  });
  for (const one of each.sort(byWeight).slice(0, maxMerged)) {
    const near = merged.find(({ hex }) => difference(hex, one.hex) < same);
    if (near) near.weight += one.weight;
    else merged.push(one);
  }
  const total = sumOf(merged);
  const brand = merged
    .sort(byWeight)
    .filter(({ hex }) => oklchOf(hex).c > 0.025)
    .slice(0, maxColours)
    .map(({ hex, weight, all }) => ({ hex, share: weight / total, from: strongest(all) }));
  const own = (properties: readonly string[]): Hex | undefined =>
    ['body', 'html']
      .flatMap((tag) => styles.elements.find(({ element }) => element.name === tag)?.style ?? [])
      .filter(({ property }) => properties.includes(property))
      .flatMap(({ value }) => coloursIn(value))[0];
  const ground = own(['background', 'background-color']) ?? '#FFFFFF';
  return { brand, ground, text: own(['color']) ?? (contrast(ground, '#FFFFFF') > 4.5 ? '#FFFFFF' : '#111827') };
}

const byWeight = (one: { weight: number }, other: { weight: number }): number => other.weight - one.weight;
const sumOf = (all: readonly { weight: number }[]): number => all.reduce((sum, { weight }) => sum + weight, 0);

const strongest = (evidence: readonly Evidence[]): string[] =>
  [...Map.groupBy(evidence, ({ from }) => from)]
    .map(([from, all]) => ({ from, weight: sumOf(all) }))
    .sort(byWeight)
    .slice(0, 4)
    .map(({ from }) => from);

/** Weights of a role's background and text, by judgement, tried over the stored pages of `test/fixtures/websites`. All that is found in a role shares it. */
const weights: Readonly<Record<Role, readonly [ground: number, text: number]>> = {
  header: [5, 1],
  nav: [4, 1.2],
  button: [3, 1.2],
  hero: [3, 0.6],
  footer: [1.2, 0.3],
  link: [1.5, 1.5],
  heading: [1, 2],
  main: [0.5, 0.3],
  body: [0.8, 0.2],
  other: [1, 0.8],
};

function fromElements({ elements }: PageStyles): Evidence[] {
  const all = elements.flatMap(({ role, element, style }) => {
    if (isNoise(`${element.attribs.id} ${element.attribs.class}`)) return [];
    return style.flatMap(({ property, value, selector }) => {
      const isGround = /^(background|fill)/.test(property);
      const from = `${role === 'other' ? 'element' : role} ${isGround ? 'background' : 'colour'}`;
      const weight = weights[role][isGround ? 0 : 1];
      return isNoise(selector) ? [] : coloursIn(value).map((hex) => ({ hex, weight, from }));
    });
  });
  return [...Map.groupBy(all, ({ from }) => from).values()].flatMap((group) =>
    group.map((one) => ({ ...one, weight: one.weight / group.length })),
  );
}

const namedPrimary = /(^|[-_])(primary|brand|main|theme-color|key)([-_]|$)/i;
function fromVariables({ variables }: PageStyles): Evidence[] {
  return [...variables].flatMap(([name, value]): Evidence[] => {
    const hex = namedPrimary.test(name)
      ? colourOfVariable(resolved(value, (other) => variables.get(other)))
      : undefined;
    return hex ? [{ hex, weight: 5, from: `custom property ${name.slice(0, 60)}` }] : [];
  });
}

function fromMeta({ themeColors }: Website): Evidence[] {
  return themeColors.flatMap(({ value, media, from }) => {
    const hex = /dark/i.test(media ?? '') ? undefined : hexOf(value.trim().toLowerCase());
    return hex ? [{ hex, weight: 3, from }] : [];
  });
}

/** A drawing that is larger is a picture rather than a logo. */
const maxLogoLength = 200_000;
const maxLogos = 3;

/** What drawn logos are filled with, by count of shapes. */
function fromLogos(logos: readonly LogoCandidate[]): Evidence[] {
  const drawn = logos
    .filter(({ svg, kind }) => svg !== null && svg.length <= maxLogoLength && kind !== 'preview')
    .slice(0, maxLogos);
  return drawn.flatMap(({ svg, kind }) => {
    const fills = [...(svg ?? '').matchAll(/(?:fill|stroke|stop-color)\s*[=:]\s*["']?\s*([^"';>]+)/gi)];
    const colours = fills.flatMap(([, value]) => coloursIn(value ?? ''));
    const weight = (kind === 'logo' ? 4 : 2.4) / colours.length / drawn.length;
    return colours.map((hex) => ({ hex, weight, from: 'logo' }));
  });
}

/** Default colours of frameworks, which count as brand colours only if nothing better is found. */
const frameworkColours = [
  // Bootstrap 3, 4 and 5
  '#337ab7 #2e6da4 #286090 #5cb85c #5bc0de #f0ad4e #d9534f #428bca',
  '#007bff #0069d9 #0056b3 #28a745 #17a2b8 #ffc107 #dc3545 #6f42c1 #e83e8c #fd7e14 #20c997',
  '#0d6efd #0b5ed7 #0a58ca #6610f2 #d63384 #198754 #0dcaf0 #86b7fe #084298 #842029 #cfe2ff',
  // WordPress: its palette and its administration
  '#f78da7 #cf2e2e #ff6900 #fcb900 #7bdcb5 #00d084 #8ed1fc #0693e3 #9b51e0 #007cba #006ba1 #32373c #2271b1',
  // Material's examples, Webflow, Tailwind's ring, what browsers give links
  '#6200ee #3700b3 #018786 #03dac6 #b00020 #3898ec #0082f3 #3b82f6 #0000ee #551a8b #0000ff',
].join(' ');

const noise =
  /(^|[-_.#\s])(success|danger|warn(ing)?|errors?|info|alerts?|destructive|(in)?valid|required|notice|toast|critical|facebook|twitter|linkedin|pinterest|whatsapp|instagram|youtube|social|share|cookies?|consent|gdpr|recaptcha|hljs|highlight|prism|token|swiper|slick)([-_.#\s\d]|$)/i;

/** Whether by its names a rule, element or custom property is for states (errors) or for others' parts (share buttons, consent, code). */
const isNoise = (names: string): boolean => noise.test(names);

/** How far a colour can be a brand's: near 0 for greys, 1 for what is colourful. */
function brandliness(hex: Hex): number {
  const colourful = Math.min(1, Math.max(0, (oklchOf(hex).c - 0.02) / 0.035));
  return Math.max(0.002, colourful) * (frameworkColours.includes(hex.toLowerCase()) ? 0.08 : 1);
}
