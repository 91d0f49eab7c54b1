import type { Element } from 'domhandler';
import { DomUtils } from 'htmlparser2';
import type { LogoCandidate } from '../website.ts';
import { placeOf, upwards, wordsOf } from './document.ts';

const maxFound = 40;
/** Of an address or a drawing. */
const maxCharacters = 64 * 1024;
/** Of images and drawings: a page may have as many as it likes. */
const maxLookedAt = 500;

interface Found {
  href: string;
  svg: string | null;
  width: number | null;
}

/** The images and drawings that may be the site's logo, by their names, the home page they link to and their place, best first. */
export function logosOf(drawings: readonly Element[]): Found[] {
  return drawings
    .slice(0, maxLookedAt)
    .map((element) => ({ element, rank: rankOf(element) }))
    .filter(({ rank }) => rank >= 4)
    .slice(0, maxFound)
    .sort((one, other) => other.rank - one.rank)
    .flatMap(({ element }): Found[] => {
      const { name, attribs } = element;
      const svg = name === 'svg' ? asFile(element) : null;
      const href = attribs.src || attribs['data-src'] || '';
      if ((svg ?? href).length > maxCharacters || !(svg ?? href)) return [];
      return [{ href, svg, width: svg === null ? Number.parseInt(attribs.width ?? '', 10) || null : null }];
    });
}

/** Others are a page's own, of its scripts, or of namespaces that a page need not declare. */
const attributeName = /^(?!xmlns$)(?:[a-z_][\w.-]*|xlink:href|xml:space)$/i;
const namespaces = { xmlns: 'http://www.w3.org/2000/svg', 'xmlns:xlink': 'http://www.w3.org/1999/xlink' };

/** An `<svg>` of the page as a separate file: HTML needs no namespaces, quotes or ends of elements, XML does. Nothing is cleaned. */
function asFile(svg: Element): string {
  for (const element of DomUtils.findAll(() => true, [svg])) {
    // HTML inside of a drawing ends otherwise than XML.
    if (!/^(?!foreignobject$|desc$|title$)[a-z][\w.-]*$/i.test(element.name)) DomUtils.removeElement(element);
    element.attribs = Object.fromEntries(Object.entries(element.attribs).filter(([name]) => attributeName.test(name)));
  }
  svg.attribs = { ...namespaces, ...svg.attribs };
  return DomUtils.getOuterHTML(svg, { xmlMode: 'foreign' });
}

function rankOf(element: Element): number {
  const around = [...upwards(element)];
  const { src = '', alt = '' } = element.attribs;
  const called =
    around.some(isCalledLogo) ||
    (element.name === 'img' &&
      /logo|brand|wordmark/i.test(`${src.startsWith('data:') ? '' : src.slice(-200)} ${alt.slice(0, 200)}`));
  const home = around.some(
    ({ name, attribs: { href = 'x' } }) =>
      name === 'a' && /^(https?:\/\/[^/]+)?\/?(index\.\w+)?$/.test(href.slice(0, 200)),
  );
  const place = placeOf(element);
  // Logos of partners and customers fill pages: outside of the header a name alone proves little.
  return (called ? 4 : 0) + (home ? 3 : 0) + (place === 'header' || place === 'nav' ? 2 : place === 'footer' ? -2 : 0);
}

const isCalledLogo = (element: Element): boolean =>
  / (logo|logotype|brand|wordmark) /.test(wordsOf(element)) ||
  /\blogo\b/i.test(element.attribs['aria-label']?.slice(0, 200) ?? '');

/** A picture of an address; none for null. */
export function picture(kind: LogoCandidate['kind'], url: string | null, width: number | null): LogoCandidate[] {
  return url === null ? [] : [{ kind, url, svg: url.startsWith('data:') ? svgOfData(url) : null, width }];
}

/** The source in a `data:image/svg+xml` address. */
function svgOfData(href: string): string | null {
  const [head, encoding] = /^data:image\/svg\+xml(;[^,]{0,60})?,/i.exec(href) ?? [];
  if (head === undefined) return null;
  const data = href.slice(head.length, head.length + maxCharacters);
  if (encoding?.toLowerCase().includes('base64')) return Buffer.from(data, 'base64').toString();
  try {
    return decodeURIComponent(data);
  } catch {
    return null;
  }
}
