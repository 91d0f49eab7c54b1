import type { LogoCandidate, PageElement, Website } from '../../../../adapters/website/website.ts';
import { type Hex, hexOf } from './colour.ts';
import { type Computed, type StyledElement, styledElements } from './css/computed-style.ts';
import { type StyleRule, styleRules } from './css/declarations.ts';
import { rootVariables } from './css/root-variables.ts';
import { colourOfVariable, coloursIn, resolved, type Variables } from './css/values.ts';
import { isNoise } from './noise.ts';

/** One reason to take a colour for the brand's. */
export interface Evidence {
  hex: Hex;
  /** Arbitrary units: a header's background is 5. */
  weight: number;
  /** What a person reads: `header background`. */
  from: string;
}

/** What speaks for which colour on a page, and what its ground and text are. */
export interface PageEvidence {
  evidence: Evidence[];
  ground: Hex | undefined;
  text: Hex | undefined;
}

/** Weights are by judgement, tried over the stored pages of `test/fixtures/websites`. A role's weight is shared by all elements of the role. */
const ofGround: Record<PageElement['role'], number> = {
  header: 5,
  nav: 4,
  button: 5,
  hero: 3,
  footer: 1.2,
  link: 1.5,
  heading: 1,
  main: 0.5,
  body: 0.8,
  other: 1,
};
const ofText: Record<PageElement['role'], number> = {
  header: 1,
  nav: 1.2,
  button: 1.2,
  hero: 0.6,
  footer: 0.3,
  link: 2.5,
  heading: 2,
  main: 0.3,
  body: 0.2,
  other: 0.8,
};
const ofTheme: Record<Website['themeColors'][number]['from'], number> = {
  'theme-color': 3.5,
  'mask-icon': 3,
  'tile-color': 2,
  manifest: 2,
};
const namedPrimary = /(^|[-_])(primary|brand|main|theme-color|key)([-_]|$)/i;
const namedAccent = /(^|[-_])(accent|highlight|cta|link|button|btn)([-_]|$)/i;
/** Of a family, the member that is meant for the brand itself. */
const notTheOne =
  /(^|[-_])(on|fg|foreground|contrast|text|dark(er)?|light(er|est)?|hover|active|focus|muted|soft|subtle|bg|background|border|shadow|ring|rgb|50|100|200|300|400|700|800|900|950)([-_]|$)/i;

export function gatherEvidence(website: Website): PageEvidence {
  const rules = styleRules(website.stylesheets, website.dark ? 'dark' : 'light');
  const root = rootVariables(rules);
  const styled = styledElements(website.elements, rules, root);
  return {
    evidence: [
      ...fromElements(styled),
      ...fromRules(rules, root, website.elements),
      ...fromVariables(root, rules),
      ...fromMeta(website),
      ...logoColours(website.logos).map(({ hex, share }) => ({ hex, weight: 4 * share, from: 'logo' })),
    ],
    ...surfaces(rules, root, styled),
  };
}

function fromElements(styled: readonly StyledElement[]): Evidence[] {
  const counts = new Map<string, number>();
  const keyOf = ({ role }: PageElement, ground: boolean) => `${role} ${ground}`;
  const seen: { key: string; evidence: Evidence }[] = [];
  for (const { element, style } of styled) {
    if (isNoise(` ${element.id ?? ''} ${element.classes.join(' ')} `)) continue;
    const roles = new Set<string>();
    for (const computed of style) {
      const ground = isGround(computed);
      const key = keyOf(element, ground);
      const colours = coloursIn(computed.value);
      if (colours.length === 0 || isNoise(computed.selector)) continue;
      roles.add(key);
      const weight = (ground ? ofGround : ofText)[element.role] * ofProperty(computed.property);
      for (const [place, hex] of colours.entries()) {
        const from = `${element.role === 'other' ? 'element' : element.role} ${ground ? 'background' : 'colour'}`;
        seen.push({ key, evidence: { hex, weight: place === 0 ? weight : weight / 4, from } });
      }
    }
    for (const key of roles) counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return seen.map(({ key, evidence }) => ({ ...evidence, weight: evidence.weight / (counts.get(key) ?? 1) }));
}

const isGround = ({ property }: Pick<Computed, 'property'>): boolean =>
  property.startsWith('background') || property === 'fill';
const ofProperty = (property: string): number =>
  property.startsWith('border') || property.startsWith('text-') ? 0.8 : 1;

/** What rules say whatever elements they are about: states among them. A sheet's weight is bounded, however often it repeats. */
function fromRules(rules: readonly StyleRule[], root: Variables, elements: readonly PageElement[]): Evidence[] {
  const present = new Set(elements.flatMap(({ classes, id }) => (id === null ? classes : [...classes, id])));
  const totals = new Map<Hex, { weight: number; on: boolean }>();
  for (const { selectors, declarations, unshown } of rules) {
    const telling = selectors.filter(({ text, root: whole }) => !whole && !isNoise(text));
    if (unshown || telling.length === 0) continue;
    const used = telling.some(
      ({ subject }) =>
        subject.classes.every((name) => present.has(name)) && (subject.id === null || present.has(subject.id)),
    );
    const states = telling.every(({ passing }) => passing);
    for (const { property, value } of declarations) {
      if (property.startsWith('--')) continue;
      for (const hex of coloursIn(resolved(value, root))) {
        const weight = (used ? 0.5 : 0.08) * (states ? 0.5 : 1);
        const total = totals.get(hex) ?? { weight: 0, on: false };
        totals.set(hex, { weight: total.weight + weight, on: total.on || used });
      }
    }
  }
  return [...totals].map(([hex, { weight, on }]) => ({
    hex,
    weight: 2 * Math.tanh(weight / 2),
    from: on ? 'style rules of the page' : 'style rules',
  }));
}

function fromVariables(root: Variables, rules: readonly StyleRule[]): Evidence[] {
  const uses = rules.map(({ declarations }) => declarations.map(({ value }) => value).join(' ')).join(' ');
  const found: Evidence[] = [];
  for (const [name, value] of root) {
    if (isNoise(name)) continue;
    const hex = colourOfVariable(resolved(value, root));
    if (!hex) continue;
    const primary = namedPrimary.test(name);
    if (!primary && !namedAccent.test(name)) continue;
    const weight = (primary ? 5 : 1.5) * (notTheOne.test(name) ? 0.15 : 1) * (uses.includes(`var(${name}`) ? 1 : 0.4);
    found.push({ hex, weight, from: `custom property ${name.slice(0, 60)}` });
  }
  return found;
}

function fromMeta({ themeColors }: Website): Evidence[] {
  return themeColors.flatMap(({ value, media, from }) => {
    const hex = hexOf(value.trim().toLowerCase());
    if (!hex || (media !== null && /dark/i.test(media))) return [];
    return [{ hex, weight: ofTheme[from], from }];
  });
}

function surfaces(
  rules: readonly StyleRule[],
  root: Variables,
  styled: readonly StyledElement[],
): Pick<PageEvidence, 'ground' | 'text'> {
  let ground: Hex | undefined;
  let text: Hex | undefined;
  const take = (property: string, value: string): void => {
    const [hex] = coloursIn(value);
    if (hex && (property === 'background' || property === 'background-color')) ground = hex;
    if (hex && property === 'color') text = hex;
  };
  for (const { selectors, declarations, unshown } of rules) {
    if (unshown || !selectors.some((one) => one.root && !one.passing)) continue;
    for (const { property, value } of declarations) take(property, resolved(value, root));
  }
  for (const { property, value } of styled.find(({ element }) => element.role === 'body')?.style ?? [])
    take(property, value);
  return { ground, text };
}

const ofKind: Record<LogoCandidate['kind'], number> = { logo: 1, icon: 0.6, preview: 0 };
/** A drawing that is larger is a picture rather than a logo. */
const maxLogoLength = 200_000;

/** The colours that drawn logos are filled with, and how much of all that is drawn each is given (0 to 1, by count of shapes). */
export function logoColours(logos: readonly LogoCandidate[]): { hex: Hex; share: number }[] {
  const found: { hex: Hex; share: number }[] = [];
  const drawn = logos.filter(({ svg, kind }) => svg !== null && svg.length <= maxLogoLength && ofKind[kind] > 0);
  for (const { svg, kind } of drawn.slice(0, 3)) {
    const colours = [...(svg ?? '').matchAll(/(?:fill|stroke|stop-color)\s*[=:]\s*["']?\s*([^"';>]+)/gi)].flatMap(
      ([, value]) => coloursIn(value ?? ''),
    );
    for (const hex of colours) found.push({ hex, share: ofKind[kind] / colours.length / Math.min(3, drawn.length) });
  }
  return found;
}
