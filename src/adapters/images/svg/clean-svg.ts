import createPurifier, { type Config, type WindowLike } from 'dompurify';
import { type DomElement, JSDOM } from 'jsdom';
import { refuse } from '../refuse.ts';
import { cleanDeclarations, cleanStyleSheet, mayStand } from './clean-style.ts';
import { assertDrawable } from './drawable.ts';
import type { CleanedDrawing } from './drawing-task.ts';
import { naturalSize } from './natural-size.ts';

const svgNamespace = 'http://www.w3.org/2000/svg';

const rules: Config = {
  IN_PLACE: true,
  NAMESPACE: svgNamespace,
  USE_PROFILES: { svg: true, svgFilters: true },
  // Symbols are used within most drawings; where they lead is bounded below.
  ADD_TAGS: ['use'],
  // Pictures within pictures, what moves, links, and what programs tell of author and machine.
  FORBID_TAGS: [
    ...['image', 'feImage', 'animatecolor', 'animatemotion', 'animatetransform', 'mpath', 'metadata', 'a'],
    // One of them alone can be made to take minutes: its time grows with the square of a number that it names.
    ...['feMorphology', 'feConvolveMatrix'],
  ],
  // What stands within a link is part of the drawing.
  KEEP_CONTENT: true,
  FORBID_CONTENTS: ['script', 'foreignobject', 'metadata', 'image', 'style'],
  ALLOW_DATA_ATTR: false,
  // Names that would shadow a page's own (`title`) harm no page here: a drawing is never part of one.
  SANITIZE_DOM: false,
  ALLOW_ARIA_ATTR: true,
};

/**
 * Cleans the text of an SVG: what a list of harmless elements and attributes names stays (DOMPurify's), references stay within
 * the drawing, and styles load nothing. What is answered is written anew from the tree.
 * @param text one that `assertPlain` let through
 * @throws AppError unsupported_file
 */
export function cleanSvg(text: string): CleanedDrawing {
  const { window } = new JSDOM('');
  const root = rootOf(new window.DOMParser().parseFromString(text, 'image/svg+xml'));
  const removed = new Set<string>();

  for (const style of root.querySelectorAll('style')) {
    const { css, removed: dropped } = cleanStyleSheet(style.textContent ?? '');
    for (const name of dropped) removed.add(name);
    style.textContent = css;
  }
  const purifier = createPurifier(window as unknown as WindowLike);
  purifier.addHook('uponSanitizeAttribute', (_element, attribute) => {
    const { attrName: name, attrValue: value } = attribute;
    if (name === 'style') {
      const { css, removed: dropped } = cleanDeclarations(value);
      for (const one of dropped) removed.add(one);
      attribute.attrValue = css;
      attribute.keepAttr = css !== '';
    } else if (/(^|:)href$/.test(name)) attribute.keepAttr = /^#[^\s]+$/.test(value);
    else attribute.keepAttr = mayStand(value);
  });
  purifier.sanitize(root as unknown as Parameters<typeof purifier.sanitize>[0], rules);
  for (const entry of purifier.removed) {
    const name = nameOf(entry);
    if (name && !silent.test(name)) removed.add(name);
  }
  assertDrawable(root);
  const { width, height } = naturalSize(root);
  const written = new window.XMLSerializer().serializeToString(root);
  window.close();
  return { text: `${written}\n`, width, height, removed: [...removed].slice(0, mostNames) };
}

/** So many are told. */
const mostNames = 20;
/** What every program leaves in its drawings, and nobody misses. */
const silent =
  /^(#comment|#cdata-section|metadata|xmlns(:.*)?|data-.*|xml.*|i|sodipodi.*|version|enable-background|requiredExtensions|a|target|overflow)$|:(?!href)/i;

interface Removed {
  element?: { nodeName: string; nodeType: number } | undefined;
  attribute?: { name: string } | null | undefined;
}

const nameOf = ({ element, attribute }: Removed): string | undefined =>
  element?.nodeType === processingInstruction ? undefined : (element?.nodeName ?? attribute?.name);
const processingInstruction = 7;

function rootOf(document: { documentElement: DomElement }): DomElement {
  const root = document.documentElement;
  if (root.localName !== 'svg' || root.namespaceURI !== svgNamespace || root.prefix)
    throw refuse(`must begin with <svg xmlns="${svgNamespace}"> as an SVG`);
  return root;
}
