import type { DomElement } from 'jsdom';
import { refuse } from '../refuse.ts';

/** Elements a drawing may have when each use of a symbol counts anew: what is drawn grows as the power of nested uses. */
const mostElements = 20_000;
/**
 * A step of a filter is worked out pixel by pixel, in tens of milliseconds, and who draws it looks at no clock meanwhile: it counts as
 * so many elements.
 */
const filterStep = 300;
const isFilterStep = (name: string): boolean => /^fe(?!MergeNode$|Func[RGBA]$|\w*Light$)[A-Z]/.test(name);
const drawn = 'path,rect,circle,ellipse,line,polyline,polygon,text,use';

/** @throws AppError unsupported_file where nothing is left to be drawn, or too much */
export function assertDrawable(root: DomElement): void {
  if (!root.querySelector(drawn))
    throw refuse('holds nothing to be drawn as an SVG (pictures within it are not taken)');
  const referred = new Map<string, DomElement>();
  for (const element of root.querySelectorAll('[id]')) referred.set(element.id, element);
  const styled = styledReferences(root, referred);
  const counts = new Map<DomElement, number>();
  const open = new Set<DomElement>();

  const count = (element: DomElement): number => {
    const known = counts.get(element);
    if (known !== undefined) return known;
    if (open.has(element) || open.size > 500) throw refuse('refers to itself, or is nested too deeply, as an SVG');
    open.add(element);
    let sum = isFilterStep(element.localName) ? filterStep : 1;
    for (const child of element.children) sum += count(child);
    for (const id of references(element)) {
      const target = referred.get(id);
      if (target) sum += count(target);
    }
    // Which elements a selector means is not worked out: it may be each of them.
    for (const target of styled) if (!open.has(target)) sum += count(target);
    open.delete(element);
    if (sum > mostElements)
      throw refuse(`must draw at most ${mostElements} elements as an SVG; a filter’s step counts as ${filterStep}`);
    counts.set(element, sum);
    return sum;
  };
  count(root);
}

/** What style sheets refer to, but for gradients: nothing is drawn within one. */
function styledReferences(root: DomElement, referred: ReadonlyMap<string, DomElement>): Set<DomElement> {
  const css = [...root.querySelectorAll('style')].map((style) => style.textContent ?? '').join('\n');
  const targets = idsIn(css).flatMap((id) => referred.get(id) ?? []);
  return new Set(targets.filter(({ localName }) => !localName.endsWith('Gradient')));
}

const idsIn = (text: string): string[] =>
  [...text.matchAll(/url\(\s*["']?#([\w:.-]+)/gi)].flatMap(([, id]) => id ?? []);

/** Ids an element refers to: as a symbol, a pattern, a mask, a marker, a filter, a gradient. */
function references(element: DomElement): string[] {
  const ids: string[] = [];
  for (const { name, value } of element.attributes) {
    if (/(^|:)href$/.test(name)) ids.push(value.slice(1));
    else ids.push(...idsIn(value));
  }
  return ids;
}
