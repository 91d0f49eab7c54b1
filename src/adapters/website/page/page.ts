import { selectAll } from 'css-select';
import type { Document, Element } from 'domhandler';
import { DomUtils } from 'htmlparser2';
import type { LogoCandidate, PageFacts, ThemeColor } from '../website.ts';
import { parsePage } from './document.ts';
import { logosOf, picture } from './logos.ts';

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

const maxLineCharacters = 500;
const maxThemeColors = 20;
const maxSheets = 500;
const maxLogos = 20;
const maxPictures = 30;

/** What a page declares about itself, with absolute addresses. Never throws: any text is HTML. */
export function readPage(html: string, address: URL): Page {
  const { document, cut } = parsePage(html);
  // A drawing has titles and styles of its own.
  const all = (selector: string): Element[] => selectAll<Document['children'][number], Element>(selector, document);
  const outside = (selector: string): Element[] => all(`${selector}:not(svg *)`);
  const base = URL.parse(outside('base[href]')[0]?.attribs.href ?? '', address.href) ?? address;
  const resolved = (href: string | undefined): string | null => {
    const url = href === undefined ? null : URL.parse(href.trim(), base.href);
    return url && /^(https?|data):$/.test(url.protocol) ? url.href : null;
  };

  const metas = outside('meta[content]').flatMap(({ attribs }) => {
    const name = (attribs.name ?? attribs.property ?? attribs['http-equiv'] ?? '').toLowerCase();
    const content = (attribs.content ?? '').trim();
    return name && content ? [{ name, content, media: attribs.media || null }] : [];
  });
  const meta = (...names: string[]): string | undefined => metas.find(({ name }) => names.includes(name))?.content;
  const links = outside('link[href]').map((element) => {
    return { attribs: element.attribs, kinds: (element.attribs.rel ?? '').toLowerCase().split(/\s+/) };
  });
  const linked = (kind: string) => links.filter(({ kinds }) => kinds.includes(kind)).map(({ attribs }) => attribs);

  const themeColors = [
    ...metas.filter(({ name }) => name === 'theme-color').map((one) => ({ ...one, from: 'theme-color' as const })),
    ...metas
      .filter(({ name }) => /^msapplication-tilecolor$/.test(name))
      .map((one) => ({ ...one, from: 'tile-color' as const })),
    ...linked('mask-icon').map(({ color = '' }) => ({ content: color, media: null, from: 'mask-icon' as const })),
  ].map(({ content, media, from }): ThemeColor => ({ value: content.slice(0, 100), media, from }));
  const icons = links.flatMap(({ attribs: { href, sizes }, kinds }): LogoCandidate[] => {
    if (!kinds.some((kind) => kind === 'icon' || kind.startsWith('apple-touch-icon'))) return [];
    const usual = kinds.includes('icon') ? null : 180;
    return picture('icon', resolved(href), Number.parseInt(sizes ?? '', 10) || usual);
  });
  const previews = metas.filter(({ name }) => /^(og:image(:url)?|twitter:image)$/.test(name));
  const logos = [
    ...logosOf(all('img, svg:not(svg *)')).flatMap(({ href, svg, width }): LogoCandidate[] =>
      svg === null ? picture('logo', resolved(href), width) : [{ kind: 'logo', url: null, svg, width }],
    ),
    ...icons.slice(0, maxPictures).sort((one, other) => (other.width ?? 0) - (one.width ?? 0)),
    ...previews.slice(0, maxPictures).flatMap(({ content }) => picture('preview', resolved(content), null)),
  ];
  const line = (text: string | undefined): string | null =>
    text?.replace(/\s+/g, ' ').trim().slice(0, maxLineCharacters) || null;
  const title = outside('title')[0];
  return {
    facts: {
      html,
      title: line(title && DomUtils.textContent(title)),
      siteName: line(meta('og:site_name', 'application-name')),
      description: line(meta('description', 'og:description')),
      themeColors: themeColors.filter(({ value }) => value).slice(0, maxThemeColors),
      logos: [...new Map(logos.map((logo) => [logo.url ?? logo.svg, logo] as const).reverse()).values()]
        .reverse()
        .slice(0, maxLogos),
    },
    sheets: outside(':is(style, link[href])')
      .flatMap((element) => sheetOf(element, resolved))
      .slice(0, maxSheets),
    manifest: resolved(linked('manifest')[0]?.href),
    refresh: resolved(
      /^\s*[0-5](?:\.\d*)?\s*[;,]\s*url\s*=\s*['"]?([^'"]+)/i.exec(
        meta('refresh')?.slice(0, maxLineCharacters) ?? '',
      )?.[1],
    ),
    cut,
  };
}

function sheetOf(element: Element, resolved: (href: string | undefined) => string | null): SheetOfPage[] {
  const { rel = '', href, as, onload = '' } = element.attribs;
  const media = element.attribs.media?.slice(0, maxLineCharacters) || null;
  if (element.name === 'style') return [{ text: DomUtils.textContent(element).replace(/^\s*<!\[CDATA\[/, ''), media }];
  const kinds = rel.toLowerCase().split(/\s+/);
  // Many pages preload a sheet and apply it when it has arrived.
  const later = /\b(media|rel)\b/.test(onload.slice(0, maxLineCharacters));
  const isSheet = kinds.includes('stylesheet') || (later && kinds.includes('preload') && as === 'style');
  const url = resolved(href);
  if (!isSheet || kinds.includes('alternate') || 'disabled' in element.attribs || !url?.startsWith('http')) return [];
  return [{ href: url, media: later && /^(print|none|not all|only x)$/i.test(media?.trim() ?? '') ? null : media }];
}
