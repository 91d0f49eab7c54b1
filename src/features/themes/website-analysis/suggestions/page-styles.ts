import { compile, selectAll } from 'css-select';
import { isTraversal, parse, type Selector, SelectorType } from 'css-what';
import type { Document, Element } from 'domhandler';
import { landmarkOf, parsePage, wordsOf } from '../../../../adapters/website/page/document.ts';
import type { Website } from '../../../../adapters/website/website.ts';
import { inlineDeclarations, styleRules } from './style-rules.ts';
import { resolved, type Variables } from './values.ts';

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
  variables: Variables;
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
  const { document } = parsePage(html);
  const all = selectAll<Document['children'][number], Element>('*:not(svg *)', document);
  const noted = elementsOf(all);
  const roots = new Set(all.filter(({ name }) => name === 'html' || name === 'body'));
  const won = new Map(noted.map(({ element }) => [element, new Map<string, Won>()]));
  const ofRoot = new Map<string, string>();
  const ofParts = new Map<string, string>();

  for (const { selectors, declarations } of styleRules(stylesheets)) {
    for (const { property, value } of declarations) if (!ofParts.has(property)) ofParts.set(property, value);
    for (const selector of read(selectors)) {
      const matches = matcher(selector);
      const specificity = specificityOf(selector);
      for (const [element, style] of won) {
        if (!matches(element)) continue;
        for (const declaration of declarations) {
          put(style, { ...declaration, specificity, selector: selectors });
          if (roots.has(element)) ofRoot.set(declaration.property, declaration.value);
        }
      }
    }
  }
  const variables = new Map([...ofParts, ...ofRoot].filter(([property]) => property.startsWith('--')));

  const elements = noted.map(({ role, element }): StyledElement => {
    const style = won.get(element) ?? new Map<string, Won>();
    for (const declaration of inlineDeclarations(ownStyle(element)))
      put(style, { ...declaration, specificity: 1e9, selector: '' });
    const locals = [...style].filter(([property]) => property.startsWith('--'));
    const known =
      locals.length > 0
        ? new Map([...variables, ...locals.map(([name, { value }]) => [name, value] as const)])
        : variables;
    const shown = [...style.values()].filter(({ property }) => !property.startsWith('--'));
    return { role, element, style: shown.map((one) => ({ ...one, value: resolved(one.value, known) })) };
  });
  return { elements, variables };
}

function put(style: Map<string, Won>, declaration: Won): void {
  // `background` and its colour are one thing; a picture next to it another.
  const name = declaration.property === 'background-color' ? 'background' : declaration.property;
  const before = style.get(name);
  const outranked =
    before &&
    (before.important === declaration.important ? before.specificity > declaration.specificity : before.important);
  if (!outranked) style.set(name, declaration);
}

function elementsOf(all: readonly Element[]): { role: Role; element: Element }[] {
  const counts = new Map<Role, number>();
  const found: { role: Role; element: Element }[] = [];
  for (const element of all) {
    const role = roleOf(element);
    const count = role === undefined ? 0 : (counts.get(role) ?? 0);
    if (role === undefined || count >= maxPerRole || found.length >= maxElements) continue;
    counts.set(role, count + 1);
    found.push({ role, element });
  }
  return found;
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
  return attribs.class || ownStyle(element) ? 'other' : undefined;
}

/** Presentational attributes, and their CSS properties. */
const colourAttributes = [
  ['bgcolor', 'background-color'],
  ['color', 'color'],
  ['text', 'color'],
] as const;

function ownStyle({ attribs }: Element): string {
  const declarations = colourAttributes.flatMap(([attribute, property]) => {
    const value = attribs[attribute] ?? '';
    return /^[#\w(),.%\s]{3,60}$/.test(value) ? [`${property}: ${value}`] : [];
  });
  return [...declarations, attribs.style?.slice(0, maxStyleCharacters) ?? ''].filter(Boolean).join('; ');
}

/** Each more multiplies the comparisons by the number of siblings: four took seconds for a page with 150. */
const maxSiblingCombinators = 2;

/** The selectors of a list that can be matched in a short time; none where it is not valid. */
function read(selectors: string): Selector[][] {
  try {
    const all = parse(selectors.replaceAll(':host', ':root'));
    return all.filter((selector) => siblingsIn(selector) <= maxSiblingCombinators).map(withCache);
  } catch {
    return [];
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

/** States (`:hover`), parts (`::before`) and what css-select does not know match nothing. */
function matcher(selector: Selector[]): (element: Element) => boolean {
  try {
    return compile<Element, Element>([selector]);
  } catch {
    return () => false;
  }
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
