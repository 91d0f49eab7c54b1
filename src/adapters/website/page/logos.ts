import type { Element } from 'domhandler';
import { DomUtils } from 'htmlparser2';
import type { LogoCandidate } from '../website.ts';
import { landmarkOf, upwards, wordsOf } from './document.ts';

const maxFound = 40;
/** Of an address or a drawing. */
const maxCharacters = 64 * 1024;
/** Of images and drawings: a page may have as many as it likes. */
const maxLookedAt = 500;

/**
 * The images and drawings that may be the site's logo, by their names, the home page they link to and their place, best first.
 * @param resolve makes an address absolute
 */
export function logosOf(
  drawings: readonly Element[],
  resolve: (href: string | undefined) => string | null,
): LogoCandidate[] {
  return drawings
    .slice(0, maxLookedAt)
    .map((element) => ({ element, rank: rankOf(element) }))
    .filter(({ rank }) => rank >= 4)
    .slice(0, maxFound)
    .sort((one, other) => other.rank - one.rank)
    .map(({ element }): LogoCandidate => {
      const { src, 'data-src': later, width = '' } = element.attribs;
      if (element.name === 'svg') return { kind: 'logo', url: null, svg: asFile(element), width: null };
      return { kind: 'logo', url: resolve(src || later), svg: null, width: Number.parseInt(width, 10) || null };
    })
    .filter(({ url, svg }) => (url ?? svg ?? '').length <= maxCharacters && (url ?? svg) !== null);
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
  const around = upwards(element);
  const { src = '', alt = '' } = element.attribs;
  const called =
    around.some(isCalledLogo) ||
    (element.name === 'img' &&
      /logo|brand|wordmark/i.test(`${src.startsWith('data:') ? '' : src.slice(-200)} ${alt.slice(0, 200)}`));
  const home = around.some(
    ({ name, attribs: { href = 'x' } }) =>
      name === 'a' && /^(https?:\/\/[^/]+)?\/?(index\.\w+)?$/.test(href.slice(0, 200)),
  );
  const place = around.map(landmarkOf).find((landmark) => landmark !== undefined);
  // Logos of partners and customers fill pages: outside of the header a name alone proves little.
  return (called ? 4 : 0) + (home ? 3 : 0) + (place === 'header' || place === 'nav' ? 2 : place === 'footer' ? -2 : 0);
}

const isCalledLogo = (element: Element): boolean =>
  / (logo|logotype|brand|wordmark) /.test(wordsOf(element)) ||
  /\blogo\b/i.test(element.attribs['aria-label']?.slice(0, 200) ?? '');
