import { type Document, DomHandler, type Element } from 'domhandler';
import { Parser } from 'htmlparser2';

/** As deep as browsers nest elements; the parser's time grows with the depth. */
const maxDepth = 512;
/** Twenty times the number of the HTTP Archive's 99th percentile; a tree takes some 500 bytes an element. */
const maxElements = 150_000;

class BoundedHandler extends DomHandler {
  cut: string | undefined;
  #elements = 0;

  override onopentag(name: string, attributes: Record<string, string>): void {
    this.#elements += 1;
    if (this.tagStack.length > maxDepth) this.cut = 'The page is nested too deeply: its end was not read';
    else if (this.#elements > maxElements) this.cut = 'The page has too many elements: its end was not read';
    if (this.cut !== undefined) throw cutShort;
    super.onopentag(name, attributes);
  }
}
const cutShort = new Error('the rest is not read');

/** Parses a page to a tree. Nothing of it is run. Never throws: any text is HTML. `cut` says why the end is missing. */
export function parsePage(html: string): { document: Document; cut: string | undefined } {
  const handler = new BoundedHandler();
  try {
    new Parser(handler).end(html);
  } catch (error) {
    if (error !== cutShort) throw error;
  }
  return { document: handler.root, cut: handler.cut };
}

/** The elements around an element, itself first. */
export function upwards(element: Element): Element[] {
  const around: Element[] = [];
  for (let at: Element['parent'] = element; at && 'name' in at; at = at.parent) around.push(at);
  return around;
}

const maxNamesCharacters = 2_400;
const knownWords = new WeakMap<Element, string>();

/** Words in an element's id and classes, each between spaces: `site-header__inner` has `site`, `header`, `inner`. */
export function wordsOf(element: Element): string {
  const { id = '', class: classes = '' } = element.attribs;
  const words =
    knownWords.get(element) ??
    ` ${id} ${classes} `
      .slice(0, maxNamesCharacters)
      .replace(/([a-z])([A-Z])/g, '$1 $2')
      .replace(/[\s_-]+/g, ' ')
      .toLowerCase();
  knownWords.set(element, words);
  return words;
}

/** Words for the parts of a page: tags, roles and names. */
const landmarks = {
  hero: / (hero|jumbotron|masthead|billboard) /,
  header: / (header|topbar|role=banner) /,
  nav: / (nav|navbar|menubar|navigation|role=navigation) /,
  footer: / (footer|role=contentinfo) /,
  main: / (tag=main|role=main) /,
};
export type Landmark = keyof typeof landmarks;
const entries = Object.entries(landmarks) as [Landmark, RegExp][];

/** Which part of the page an element is, by its tag, role or name. */
export function landmarkOf(element: Element): Landmark | undefined {
  const { name, attribs } = element;
  const isNamed = /^(div|section|table|td)$/.test(name);
  const words = ` ${isNamed ? '' : name} tag=${name} role=${attribs.role ?? ''} ${isNamed ? wordsOf(element) : ''}`;
  return entries.find(([, pattern]) => pattern.test(words))?.[0];
}
