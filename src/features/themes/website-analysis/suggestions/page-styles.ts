import { compile, selectAll } from 'css-select';
import { isTraversal, parse, type Selector, SelectorType } from 'css-what';
import type { Document, Element } from 'domhandler';
import { landmarkOf, parsePage, wordsOf } from '../../../../adapters/website/page/document.ts';
import type { Website } from '../../../../adapters/website/website.ts';
import { inlineDeclarations, styleRules } from './style-rules.ts';
import { resolved } from './values.ts';

/** What an element is on the page. `other` has a class or a style of its own. */
export type Role = 'body' | 'header' | 'nav' | 'hero' | 'main' | 'footer' | 'button' | 'link' | 'heading' | 'other';

/** A declaration that won, with its value resolved. */
interface Computed {
  property: string;
  value: string;
  /** The selector it came by; empty for the element's own attribute. */
  selector: string;
}

export interface StyledElement {
  role: Role;
  element: Element;
  style: Computed[];
}

export interface PageStyles {
  elements: StyledElement[];
  /** The custom properties of the whole page. One that only parts of the page set stands for the whole, too, unless the page sets it. */
  variables: ReadonlyMap<string, string>;
}

const maxElements = 600;
/** Per role, so that a page of links leaves room for its buttons. */
const maxPerRole = 150;
const maxStyleCharacters = 2_000;

interface Won extends Computed {
  important: boolean;
  specificity: number;
}

/** Applies a page's style sheets to the elements that show a brand's colours, nearly as a browser would: layers have no order. */
export function stylesOf({ html, stylesheets }: Pick<Website, 'html' | 'stylesheets'>): PageStyles {
  const elements = elementsOf(parsePage(html).document);
  const variables = new Map<string, string>();
  for (const { selectors, declarations } of styleRules(stylesheets)) {
    for (const { property, value } of declarations)
      if (isCustom(property) && !variables.has(property)) variables.set(property, value);
    for (const { matches, specificity } of compiled(selectors))
      for (const { element, won } of elements)
        if (matches(element))
          for (const declaration of declarations) put(won, { ...declaration, specificity, selector: selectors });
  }
  for (const { role, element, won } of elements) {
    for (const declaration of inlineDeclarations(element.attribs.style?.slice(0, maxStyleCharacters) ?? ''))
      put(won, { ...declaration, specificity: 1e9, selector: '' });
    if (role === 'body') for (const [name, { value }] of won) if (isCustom(name)) variables.set(name, value);
  }
  return {
    elements: elements.map(({ role, element, won }): StyledElement => {
      const shown = [...won.values()].filter(({ property }) => !isCustom(property));
      const lookUp = (name: string): string | undefined => won.get(name)?.value ?? variables.get(name);
      return { role, element, style: shown.map((one) => ({ ...one, value: resolved(one.value, lookUp) })) };
    }),
    variables,
  };
}

const isCustom = (property: string): boolean => property.startsWith('--');

function put(style: Map<string, Won>, declaration: Won): void {
  // `background` and its colour are one thing; a picture next to it another.
  const name = declaration.property === 'background-color' ? 'background' : declaration.property;
  const before = style.get(name);
  const outranked =
    before &&
    (before.important === declaration.important ? before.specificity > declaration.specificity : before.important);
  if (!outranked) style.set(name, declaration);
}

/** The elements that are looked at, each with the declarations that win. */
function elementsOf(document: Document): { role: Role; element: Element; won: Map<string, Won> }[] {
  const counts = new Map<Role, number>();
  const all = selectAll<Document['children'][number], Element>('*:not(svg *)', document);
  const found = all.flatMap((element) => {
    const role = roleOf(element);
    const count = (role && counts.get(role)) ?? 0;
    if (role === undefined || count >= maxPerRole) return [];
    counts.set(role, count + 1);
    return [{ role, element, won: new Map<string, Won>() }];
  });
  return found.slice(0, maxElements);
}

function roleOf(element: Element): Role | undefined {
  const { name, attribs } = element;
  const landmark = landmarkOf(element);
  if (landmark || name === 'body' || name === 'html') return landmark ?? 'body';
  const pressed = name === 'input' && /^(submit|button)$/i.test(attribs.type ?? '');
  if (name === 'button' || pressed || attribs.role === 'button' || / (btn|button|cta) /.test(wordsOf(element)))
    return 'button';
  if (name === 'a') return 'link';
  if (/^h[1-3]$/.test(name)) return 'heading';
  return attribs.class || attribs.style ? 'other' : undefined;
}

/** Each more multiplies the comparisons by the number of siblings: four took seconds for a page with 150. */
const maxSiblingCombinators = 2;

interface Compiled {
  matches(element: Element): boolean;
  specificity: number;
}

/** The selectors of a list that can be matched in a short time; none where it is not valid. */
function compiled(selectors: string): Compiled[] {
  const all = orUndefined(() => parse(selectors.replaceAll(':host', ':root'))) ?? [];
  return all.flatMap((selector) => {
    if (siblingsIn(selector) > maxSiblingCombinators) return [];
    // States (`:hover`), parts (`::before`) and what css-select does not know match nothing.
    const matches = orUndefined(() => compile<Element, Element>([withCache(selector)]));
    return matches ? [{ matches, specificity: specificityOf(selector) }] : [];
  });
}

function orUndefined<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

/** How many `~` and `+` a selector has, also inside `:is()`, `:not()`, `:has()` and `:where()`. */
const siblingsIn = (selector: readonly Selector[]): number =>
  selector.reduce((sum, part) => {
    if (part.type === 'pseudo' && Array.isArray(part.data))
      return sum + part.data.reduce((inside, one) => inside + siblingsIn(one), 0);
    return sum + (part.type === 'sibling' || part.type === 'adjacent' ? 1 : 0);
  }, 0);

const any: Selector = { type: SelectorType.Universal, namespace: null };
/** Matches every element. css-select takes it for slow because of the combinator. */
const slow: Selector = {
  type: SelectorType.Pseudo,
  name: 'is',
  data: [[any], [any, { type: SelectorType.Descendant }, any]],
};

/**
 * The same selector, made so that css-select remembers which ancestors match, as it does for slow selectors only. Otherwise
 * each descendant combinator multiplies the comparisons by the depth of the page.
 */
function withCache(selector: readonly Selector[]): Selector[] {
  const parts = selector.map((part) =>
    part.type === 'pseudo' && Array.isArray(part.data) ? { ...part, data: part.data.map(withCache) } : part,
  );
  const isDeep = parts.filter(({ type }) => type === 'descendant').length > 1;
  const first = parts.findIndex(isTraversal);
  return isDeep && first > 0 ? parts.toSpliced(first, 0, slow) : parts;
}

/** Ids, classes, tags: CSS's order of precedence. */
function specificityOf(selector: readonly Selector[]): number {
  return selector.reduce((sum, part) => {
    if (part.type === 'pseudo' && Array.isArray(part.data))
      return part.name === 'where' ? sum : sum + Math.max(...part.data.map(specificityOf));
    if (part.type === 'attribute') return sum + (part.name === 'id' && part.action === 'equals' ? 10_000 : 100);
    return sum + (part.type === 'pseudo' ? 100 : part.type === 'tag' ? 1 : 0);
  }, 0);
}
