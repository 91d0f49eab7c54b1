import { selectAll } from 'css-select';
import type { Document, Element } from 'domhandler';
import { DomUtils } from 'htmlparser2';
import type { LogoCandidate, PageFacts, ThemeColor } from '../website.ts';
import { parsePage } from './document.ts';
import { logosOf } from './logos.ts';

/** A stylesheet of the page: its text, or its address. */
export type SheetOfPage = { media: string | null } & ({ text: string } | { href: string });

export interface Page {
  facts: PageFacts;
  sheets: SheetOfPage[];
  manifest: string | null;
  /** Target of a `<meta http-equiv="refresh">` within five seconds. */
  refresh: string | null;
  /** Why the rest was not read; undefined: it was. */
  cut: string | undefined;
}

/** Makes an address of the page absolute; null for what is neither http, https nor data. */
type Resolve = (href: string | undefined) => string | null;

const maxLineCharacters = 500;
const maxThemeColors = 20;
const maxSheets = 500;
const maxLogos = 20;
const maxPictures = 30;

/** What a page declares about itself, with absolute addresses. Never throws: any text is HTML. */
export function readPage(html: string, address: URL): Page {
  const { document, cut } = parsePage(html);
  const all = (selector: string): Element[] => selectAll<Document['children'][number], Element>(selector, document);
  // A drawing has titles and styles of its own.
  const outside = (selector: string): Element[] => all(`${selector}:not(svg *)`);
  const base = URL.parse(outside('base[href]')[0]?.attribs.href ?? '', address.href) ?? address;
  const resolve: Resolve = (href) => {
    const url = href === undefined ? null : URL.parse(href.trim(), base.href);
    return url && /^(https?|data):$/.test(url.protocol) ? url.href : null;
  };

  const metas = outside('meta[content]').map(({ attribs }) => {
    const name = (attribs.name ?? attribs.property ?? attribs['http-equiv'] ?? '').toLowerCase();
    return { name, value: (attribs.content ?? '').trim(), media: attribs.media || null };
  });
  const meta = (...names: string[]): string | undefined =>
    metas.find(({ name, value }) => names.includes(name) && value)?.value;
  const colours = (named: string, from: ThemeColor['from']): ThemeColor[] =>
    metas.filter(({ name }) => name === named).map(({ value, media }) => ({ value, media, from }));
  const masks = outside('link[rel~=mask-icon i][color]');
  const themeColors = [
    ...colours('theme-color', 'theme-color'),
    ...colours('msapplication-tilecolor', 'tile-color'),
    ...masks.map(({ attribs }): ThemeColor => ({ value: attribs.color ?? '', media: null, from: 'mask-icon' })),
  ];

  const picture = (kind: LogoCandidate['kind'], href: string | undefined, width: number | null): LogoCandidate[] => {
    const url = resolve(href);
    return url === null ? [] : [{ kind, url, svg: null, width }];
  };
  const icons = outside('link:is([rel~=icon i], [rel*=apple-touch-icon i])').flatMap(({ attribs }) => {
    const usual = /apple/i.test(attribs.rel ?? '') ? 180 : null;
    return picture('icon', attribs.href, Number.parseInt(attribs.sizes ?? '', 10) || usual);
  });
  const previews = metas.filter(({ name }) => /^(og:image(:url)?|twitter:image)$/.test(name));
  const logos = [
    ...logosOf(all('img, svg:not(svg *)'), resolve),
    ...icons.slice(0, maxPictures).sort((one, other) => (other.width ?? 0) - (one.width ?? 0)),
    ...previews.slice(0, maxPictures).flatMap(({ value }) => picture('preview', value, null)),
  ];
  const seen = new Set<string | null>();
  const isNew = ({ url, svg }: LogoCandidate): boolean => seen.size < seen.add(url ?? svg).size;

  const line = (text: string | undefined): string | null =>
    text?.replace(/\s+/g, ' ').trim().slice(0, maxLineCharacters) || null;
  const title = outside('title')[0];
  const refresh = /^\s*[0-5](?:\.\d*)?\s*[;,]\s*url\s*=\s*['"]?([^'"]+)/i;
  return {
    facts: {
      html,
      title: line(title && DomUtils.textContent(title)),
      siteName: line(meta('og:site_name', 'application-name')),
      description: line(meta('description', 'og:description')),
      themeColors: themeColors
        .filter(({ value }) => value)
        .slice(0, maxThemeColors)
        .map((one) => ({ ...one, value: one.value.slice(0, 100) })),
      logos: logos.filter(isNew).slice(0, maxLogos),
    },
    sheets: outside(':is(style, link[href])')
      .flatMap((element) => sheetOf(element, resolve))
      .slice(0, maxSheets),
    manifest: resolve(outside('link[rel~=manifest i]')[0]?.attribs.href),
    refresh: resolve(refresh.exec(meta('refresh')?.slice(0, maxLineCharacters) ?? '')?.[1]),
    cut,
  };
}

function sheetOf(element: Element, resolve: Resolve): SheetOfPage[] {
  const { rel = '', href, as, onload = '' } = element.attribs;
  const media = element.attribs.media?.slice(0, maxLineCharacters) || null;
  if (element.name === 'style') return [{ text: DomUtils.textContent(element).replace(/^\s*<!\[CDATA\[/, ''), media }];
  const kinds = rel.toLowerCase().split(/\s+/);
  // Many pages preload a sheet and apply it when it has arrived.
  const later = /\b(media|rel)\b/.test(onload.slice(0, maxLineCharacters));
  const isSheet = kinds.includes('stylesheet') || (later && kinds.includes('preload') && as === 'style');
  const url = resolve(href);
  if (!isSheet || kinds.includes('alternate') || 'disabled' in element.attribs || !url?.startsWith('http')) return [];
  return [{ href: url, media: later && /^(print|none|not all|only x)$/i.test(media?.trim() ?? '') ? null : media }];
}
