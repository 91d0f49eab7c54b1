import { type CssNode, generate, type List, type ListItem, parse, walk } from 'css-tree';
import createPurifier, { type Config, type WindowLike } from 'dompurify';
import { type DomElement, JSDOM } from 'jsdom';
import { refuse } from '../image.ts';

/** CSS functions that load resources. */
const loading = /(?:^|[^\w-])(?:url|src|image|image-set|-webkit-image-set|cross-fade|element|paint|expression)\s*\(/gi;
/** A reference to a part of the drawing itself. */
const inside = /url\(\s*(["']?)#[\w:.-]+\1\s*\)/gi;
/** Rules that contain declarations and load nothing. */
const harmlessRules = new Set(['media', 'supports', 'layer']);

/** Whether a value of an attribute or declaration loads nothing. Escapes are rejected: they could hide a match. */
function mayStand(value: string): boolean {
  return !value.includes('\\') && value.replaceAll(inside, ' ').search(loading) === -1;
}

/**
 * The content of a `<style>` or of a `style` attribute without what loads anything.
 * @param removed gets the names of what was removed, in users' terms: `@import`, `url()`
 */
function cleanCss(css: string, context: 'stylesheet' | 'declarationList', removed: Set<string>): string {
  const tree = parse(css, { context, parseCustomProperty: false });
  const drop = (item: ListItem<CssNode>, list: List<CssNode>, name: string): void => {
    removed.add(name);
    list.remove(item);
  };
  walk(tree, {
    enter(node: CssNode, item: ListItem<CssNode>, list: List<CssNode> | null) {
      if (!list) return;
      if (node.type === 'Atrule' && !harmlessRules.has(node.name.toLowerCase())) drop(item, list, `@${node.name}`);
      else if (node.type === 'Declaration' && !mayStand(generate(node))) drop(item, list, 'url()');
      // Neither rule nor declaration: the parser could not read it, and a browser may read it differently.
      else if (node.type === 'Raw' && !mayStand(node.value)) drop(item, list, 'url()');
    },
  });
  const written = generate(tree);
  // Only complete declarations are checked like this; a prelude or selector is not one.
  if (mayStand(written)) return written;
  removed.add('url()');
  return '';
}

/** Maximum elements of a drawing, counting each use of a symbol: nested uses grow exponentially. */
const maxElements = 20_000;
/** A filter step takes tens of milliseconds per pixel pass and can't be interrupted: it counts as this many elements. */
const filterStep = 300;
const isFilterStep = (name: string): boolean => /^fe(?!MergeNode$|Func[RGBA]$|\w*Light$)[A-Z]/.test(name);
const drawn = 'path,rect,circle,ellipse,line,polyline,polygon,text,use';

/** @throws AppError unsupported_file when there is nothing to draw, or too much */
function assertDrawable(root: DomElement): void {
  if (!root.querySelector(drawn))
    throw refuse('holds nothing to be drawn as an SVG (pictures within it are not taken)');
  if (!root.getAttribute('viewBox') && !(root.getAttribute('width') && root.getAttribute('height')))
    throw refuse('must have a viewBox, or width and height, as an SVG');
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
    // Selectors are not evaluated: each may match any element.
    for (const target of styled) if (!open.has(target)) sum += count(target);
    open.delete(element);
    if (sum > maxElements)
      throw refuse(`must draw at most ${maxElements} elements as an SVG; a filter’s step counts as ${filterStep}`);
    counts.set(element, sum);
    return sum;
  };
  count(root);
}

/** References in style sheets, except gradients: nothing is drawn in one. */
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

const svgNamespace = 'http://www.w3.org/2000/svg';

const rules: Config = {
  IN_PLACE: true,
  NAMESPACE: svgNamespace,
  USE_PROFILES: { svg: true, svgFilters: true },
  // Most drawings use symbols; their references are limited below.
  ADD_TAGS: ['use'],
  // Embedded pictures, animations, links, and metadata of programs.
  FORBID_TAGS: [
    ...['image', 'feImage', 'animatecolor', 'animatemotion', 'animatetransform', 'mpath', 'metadata', 'a'],
    // A single one can take minutes: its time grows with the square of a given number.
    ...['feMorphology', 'feConvolveMatrix'],
  ],
  // A link's content is part of the drawing.
  KEEP_CONTENT: true,
  FORBID_CONTENTS: ['script', 'foreignobject', 'metadata', 'image', 'style'],
  ALLOW_DATA_ATTR: false,
  // Names that would shadow a page's own (`title`) are harmless: a drawing is never part of a page.
  SANITIZE_DOM: false,
  ALLOW_ARIA_ATTR: true,
};

/**
 * Cleans the text of an SVG: allows DOMPurify's list of harmless elements and attributes, references within the drawing, and
 * styles that load nothing. The result is serialized from the tree.
 * @param text checked by `assertPlain`
 * @throws AppError unsupported_file
 */
export function cleanSvg(text: string): { text: string; removed: string[] } {
  const { window } = new JSDOM('');
  const root = rootOf(new window.DOMParser().parseFromString(text, 'image/svg+xml'));
  const removed = new Set<string>();

  for (const style of root.querySelectorAll('style'))
    style.textContent = cleanCss(style.textContent ?? '', 'stylesheet', removed);
  const purifier = createPurifier(window as unknown as WindowLike);
  purifier.addHook('uponSanitizeAttribute', (_element, attribute) => {
    const { attrName: name, attrValue: value } = attribute;
    if (name === 'style') {
      attribute.attrValue = cleanCss(value, 'declarationList', removed);
      attribute.keepAttr = attribute.attrValue !== '';
    } else if (/(^|:)href$/.test(name)) attribute.keepAttr = /^#[^\s]+$/.test(value);
    else attribute.keepAttr = mayStand(value);
  });
  purifier.sanitize(root as unknown as Parameters<typeof purifier.sanitize>[0], rules);
  for (const { element, attribute } of purifier.removed as Removed[]) {
    const name = element?.nodeType === processingInstruction ? undefined : (element?.nodeName ?? attribute?.name);
    if (name && !silent.test(name)) removed.add(name);
  }
  assertDrawable(root);
  const written = new window.XMLSerializer().serializeToString(root);
  window.close();
  return { text: `${written}\n`, removed: [...removed].slice(0, maxNames) };
}

/** Maximum names reported. */
const maxNames = 20;
/** Left by every program, and not worth reporting. */
const silent =
  /^(#comment|#cdata-section|metadata|xmlns(:.*)?|data-.*|xml.*|i|sodipodi.*|version|enable-background|requiredExtensions|a|target|overflow)$|:(?!href)/i;

interface Removed {
  element?: { nodeName: string; nodeType: number } | undefined;
  attribute?: { name: string } | null | undefined;
}

const processingInstruction = 7;

function rootOf(document: { documentElement: DomElement }): DomElement {
  const root = document.documentElement;
  if (root.localName !== 'svg' || root.namespaceURI !== svgNamespace || root.prefix)
    throw refuse(`must begin with <svg xmlns="${svgNamespace}"> as an SVG`);
  return root;
}
