import type { PageElement } from '../../../../../adapters/website/website.ts';
import { inlineDeclarations, type StyleRule } from './declarations.ts';
import type { Compound, SimpleSelector } from './selector.ts';
import { resolved, type Variables } from './values.ts';

/** A declaration that won, with its value resolved. */
export interface Computed {
  property: string;
  value: string;
  /** The selector it came by; `style` for the element's own attribute. */
  selector: string;
}

export interface StyledElement {
  element: PageElement;
  style: Computed[];
}

interface Won extends Computed {
  important: boolean;
  specificity: number;
}

type Landmark = PageElement['within'];

/** Applies the rules of the theme that is shown to a page's elements, as a browser would, as far as selectors can be evaluated. */
export function styledElements(
  elements: readonly PageElement[],
  rules: readonly StyleRule[],
  root: Variables,
): StyledElement[] {
  const page = pageNames(elements);
  const lookup = byName(rules);
  return elements.map((element) => {
    const won = new Map<string, Won>();
    const locals = new Map<string, string>();
    const put = (declaration: StyleRule['declarations'][number], selector: string, specificity: number): void => {
      const { property, value, important } = declaration;
      const before = won.get(group(property));
      if (before && outranks(before, { important, specificity })) return;
      won.set(group(property), { property, value, important, specificity, selector });
      if (property.startsWith('--')) locals.set(property, value);
    };
    for (const { rule, selector } of lookup(element)) {
      if (!isAbout(selector, element, page)) continue;
      for (const declaration of rule.declarations) put(declaration, selector.text, selector.specificity);
    }
    for (const declaration of inlineDeclarations(element.style ?? '')) put(declaration, 'style', 1e9);
    const variables = locals.size > 0 ? new Map([...root, ...locals]) : root;
    const style = [...won.values()]
      .filter(({ property }) => !property.startsWith('--'))
      .map(({ property, value, selector }) => ({ property, value: resolved(value, variables), selector }));
    return { element, style };
  });
}

const outranks = (one: Won, other: Pick<Won, 'important' | 'specificity'>): boolean =>
  one.important === other.important ? one.specificity > other.specificity : one.important;

/** `background` and its colour are one thing; a picture next to it another. */
const group = (property: string): string => (property === 'background-color' ? 'background' : property);

/** Which selectors can be about an element at all, in the order of the sheets. */
function byName(rules: readonly StyleRule[]) {
  type Entry = { order: number; rule: StyleRule; selector: SimpleSelector };
  const index = new Map<string, Entry[]>();
  let order = 0;
  for (const rule of rules) {
    if (rule.unshown) continue;
    for (const selector of rule.selectors) {
      if (selector.passing || selector.unsure) continue;
      const { id, classes, tag } = selector.subject;
      const key = id !== null ? `#${id}` : classes[0] !== undefined ? `.${classes[0]}` : tag;
      if (key === null || key === '*') continue;
      const entries = index.get(key);
      const entry = { order: order++, rule, selector };
      if (entries) entries.push(entry);
      else index.set(key, [entry]);
    }
  }
  return ({ tag, id, classes }: PageElement): Entry[] =>
    [tag, ...(id === null ? [] : [`#${id}`]), ...[...new Set(classes)].map((name) => `.${name}`)]
      .flatMap((key) => index.get(key) ?? [])
      .sort((one, other) => one.order - other.order);
}

/** Where on the page an element with a name is; the tree itself is not known. */
function pageNames(elements: readonly PageElement[]): Map<string, Set<Landmark>> {
  const places = new Map<string, Set<Landmark>>();
  for (const { tag, id, classes, role, within } of elements) {
    for (const name of [tag, ...(id === null ? [] : [`#${id}`]), ...classes.map((one) => `.${one}`)]) {
      const set = places.get(name) ?? new Set<Landmark>();
      set.add(isLandmark(role) ? role : within);
      places.set(name, set);
    }
  }
  return places;
}

const isLandmark = (role: PageElement['role']): role is NonNullable<Landmark> =>
  role === 'header' || role === 'nav' || role === 'hero' || role === 'main' || role === 'footer';

/** Whether an element fits, and each name around it is where the element is. */
function isAbout(selector: SimpleSelector, element: PageElement, page: Map<string, Set<Landmark>>): boolean {
  if (!fits(selector.subject, element)) return false;
  const place = isLandmark(element.role) ? element.role : element.within;
  return selector.around.every(({ tag, id, classes }) => {
    const names = [
      ...(id === null ? [] : [`#${id}`]),
      ...classes.map((name) => `.${name}`),
      ...(tag && tag !== '*' ? [tag] : []),
    ];
    return names.every((name) => {
      if (name === 'html' || name === 'body') return true;
      const places = page.get(name);
      return (
        places !== undefined && (places.has(null) || places.has(place) || (place === 'nav' && places.has('header')))
      );
    });
  });
}

const fits = ({ tag, id, classes }: Compound, element: PageElement): boolean =>
  (tag === null || tag === '*' || tag === element.tag) &&
  (id === null || id === element.id) &&
  classes.every((name) => element.classes.includes(name));
