import type { PageFacts } from '../website.ts';
import type { Attributes } from './page-elements.ts';

/** A stylesheet of the page: its text, or its address. */
export type SheetOfPage = { media: string | null } & ({ text: string } | { url: URL });

/** A picture that the page names for itself. */
export interface NamedPicture {
  url: URL;
  width: number | null;
}

type HeadFacts = Pick<PageFacts, 'title' | 'siteName' | 'description' | 'language' | 'themeColors'>;

interface HeadNotes extends HeadFacts {
  sheets: SheetOfPage[];
  manifest: URL | null;
  refresh: URL | null;
  icons: NamedPicture[];
  previews: NamedPicture[];
  /** Base of relative addresses. */
  base: URL;
}

const maxLineCharacters = 500;
const maxPictures = 30;
const maxThemeColors = 20;
const maxSheets = 500;

/** Collects a page's `<title>`, `<meta>`, `<link>` and `<style>`, while it is parsed. */
export function createHeadNotes(address: URL) {
  const facts: HeadFacts = { title: null, siteName: null, description: null, language: null, themeColors: [] };
  const notes = { sheets: [] as (() => SheetOfPage | undefined)[], icons: [] as Picture[], previews: [] as Picture[] };
  let base = address;
  let based = false;
  let manifest: string | undefined;
  let refresh: string | undefined;
  let gathering: { tag: string; pieces: string[] } | undefined;

  /** Addresses are resolved at the end: `<base>` may come after them. */
  const resolved = (href: string): URL | undefined => {
    const url = URL.parse(href.trim(), base.href);
    return url && /^(https?|data):$/.test(url.protocol) ? url : undefined;
  };
  const pictures = (found: Picture[]): NamedPicture[] =>
    found.flatMap(({ href, width }) => {
      const url = resolved(href);
      return url ? [{ url, width }] : [];
    });

  function meta(attributes: Attributes): void {
    const content = attributes.content?.slice(0, maxLineCharacters).trim();
    if (!content) return;
    const name = (attributes.name ?? attributes.property ?? attributes['http-equiv'] ?? '').toLowerCase();
    const colour = (from: 'theme-color' | 'tile-color'): void => note(content, attributes.media, from);
    if (name === 'theme-color') colour('theme-color');
    else if (name === 'msapplication-tilecolor') colour('tile-color');
    else if (name === 'og:site_name' || name === 'application-name') facts.siteName ??= content;
    else if (name === 'description' || name === 'og:description') facts.description ??= content;
    else if (name === 'og:image' || name === 'twitter:image' || name === 'og:image:url') {
      if (notes.previews.length < maxPictures) notes.previews.push({ href: attributes.content ?? '', width: null });
    } else if (name === 'refresh')
      refresh ??= /^\s*[0-5](?:\.\d*)?\s*[;,]\s*url\s*=\s*['"]?([^'"]+)/i.exec(content)?.[1];
  }

  function note(value: string, media: string | undefined, from: HeadFacts['themeColors'][number]['from']): void {
    if (facts.themeColors.length < maxThemeColors)
      facts.themeColors.push({ value: value.slice(0, 100), media: media || null, from });
  }

  function link(attributes: Attributes): void {
    const { href, media = '' } = attributes;
    const kinds = (attributes.rel ?? '').toLowerCase().split(/\s+/);
    if (!href) return;
    // Many pages preload a sheet and apply it when it has arrived.
    const later = /\b(media|rel)\b/.test(attributes.onload?.slice(0, maxLineCharacters) ?? '');
    const isSheet = kinds.includes('stylesheet') || (later && kinds.includes('preload') && attributes.as === 'style');
    if (isSheet && !kinds.includes('alternate') && !('disabled' in attributes)) {
      if (notes.sheets.length >= maxSheets) return;
      notes.sheets.push(() => {
        const url = resolved(href);
        const until = later && /^(print|none|not all|only x)$/i.test(media.trim());
        const used = until ? null : media.slice(0, maxLineCharacters) || null;
        return url && url.protocol !== 'data:' ? { url, media: used } : undefined;
      });
    } else if (kinds.includes('manifest')) manifest ??= href;
    else if (kinds.includes('mask-icon') && attributes.color) note(attributes.color, undefined, 'mask-icon');
    else if (
      kinds.some((kind) => kind === 'icon' || kind.startsWith('apple-touch-icon')) &&
      notes.icons.length < maxPictures
    ) {
      const usual = kinds.includes('icon') ? null : 180;
      notes.icons.push({ href, width: Number.parseInt(attributes.sizes ?? '', 10) || usual });
    }
  }

  return {
    open(tag: string, attributes: Attributes): void {
      if (tag === 'html') facts.language ??= attributes.lang?.slice(0, 35) || null;
      else if (tag === 'meta') meta(attributes);
      else if (tag === 'link') link(attributes);
      else if (tag === 'base' && attributes.href && !based) {
        base = URL.parse(attributes.href, address.href) ?? address;
        based = true;
      } else if (tag === 'style' && notes.sheets.length < maxSheets) {
        const pieces: string[] = [];
        gathering = { tag, pieces };
        const media = attributes.media?.slice(0, maxLineCharacters) || null;
        notes.sheets.push(() => ({ text: pieces.join('').replace(/^\s*<!\[CDATA\[/, ''), media }));
      } else if (tag === 'title' && facts.title === null) gathering = { tag, pieces: [] };
    },
    text(piece: string): void {
      gathering?.pieces.push(piece);
    },
    close(tag: string): void {
      if (gathering?.tag !== tag) return;
      if (tag === 'title')
        facts.title = gathering.pieces.join('').replace(/\s+/g, ' ').trim().slice(0, maxLineCharacters) || null;
      gathering = undefined;
    },
    done: (): HeadNotes => ({
      ...facts,
      sheets: notes.sheets.map((sheet) => sheet()).filter((sheet) => sheet !== undefined),
      icons: pictures(notes.icons),
      previews: pictures(notes.previews),
      manifest: (manifest !== undefined && resolved(manifest)) || null,
      refresh: (refresh !== undefined && resolved(refresh)) || null,
      base,
    }),
  };
}

interface Picture {
  href: string;
  width: number | null;
}
