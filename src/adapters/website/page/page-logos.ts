import type { LogoCandidate } from '../website.ts';
import { type Attributes, type Place, wordsOf } from './page-elements.ts';
import type { NamedPicture } from './page-head.ts';

const maxFound = 40;
const maxKept = 20;
const maxSvgCharacters = 64 * 1024;
const maxAddressCharacters = 64 * 1024;

interface Found {
  /** More is better. */
  rank: number;
  href: string | null;
  svg: string | null;
  width: number | null;
}

/** Collects pictures that may be the site's logo, while the page is parsed. */
export function createLogoNotes() {
  const found: Found[] = [];
  /** Enclosing elements that are called a logo, or link to the home page. */
  const around: { called: boolean; home: boolean; depth: number }[] = [];
  let svgRank = 0;

  const rankOf = (called: boolean, home: boolean, { within }: Place): number => {
    const inHeader = within === 'header' || within === 'nav';
    // Logos of partners and customers fill pages: outside of the header a name alone proves little.
    return (called ? 4 : 0) + (home ? 3 : 0) + (inHeader ? 2 : within === 'footer' ? -2 : 0);
  };

  return {
    open(tag: string, attributes: Attributes, place: Place, depth: number): void {
      const called = isCalledLogo(attributes);
      const home = tag === 'a' && /^(https?:\/\/[^/]+)?\/?(index\.\w+)?$/.test((attributes.href ?? 'x').slice(0, 200));
      const inCalled = called || around.some((element) => element.called);
      const inHome = around.some((element) => element.home);
      if (tag === 'svg') svgRank = rankOf(inCalled, inHome, place);
      else if (tag === 'img') {
        const href = attributes.src || attributes['data-src'] || '';
        const named =
          inCalled ||
          /logo|brand|wordmark/i.test(
            `${href.startsWith('data:') ? '' : href.slice(-200)} ${attributes.alt?.slice(0, 200)}`,
          );
        const width = Number.parseInt(attributes.width ?? '', 10) || null;
        const rank = rankOf(named, inHome, place);
        if (href && href.length <= maxAddressCharacters && rank >= 4 && found.length < maxFound)
          found.push({ rank, href, svg: null, width });
      } else if (called || home) around.push({ called, home, depth });
    },
    close(depth: number): void {
      if (around.at(-1)?.depth === depth) around.pop();
    },
    /** The source of the last opened `<svg>`. */
    svg(source: string): void {
      if (svgRank >= 4 && source.length <= maxSvgCharacters && found.length < maxFound)
        found.push({ rank: svgRank, href: null, svg: source, width: null });
    },
    done({ base, icons, previews }: { base: URL; icons: NamedPicture[]; previews: NamedPicture[] }): LogoCandidate[] {
      const logos = found
        .sort((a, b) => b.rank - a.rank)
        .flatMap(({ href, svg, width }): LogoCandidate[] => {
          if (href === null) return [{ kind: 'logo', url: null, svg, width }];
          const url = URL.parse(href.trim(), base.href);
          return url && /^(https?|data):$/.test(url.protocol) ? [picture('logo', { url, width })] : [];
        });
      const largestFirst = icons.sort((a, b) => (b.width ?? 0) - (a.width ?? 0));
      const named = [
        ...largestFirst.map((icon) => picture('icon', icon)),
        ...previews.map((one) => picture('preview', one)),
      ];
      const known = new Set<string>();
      return [...logos, ...named]
        .filter(({ url, svg }) => !known.has(url ?? svg ?? '') && known.add(url ?? svg ?? ''))
        .slice(0, maxKept);
    },
  };
}

export function picture(kind: LogoCandidate['kind'], { url, width }: NamedPicture): LogoCandidate {
  return { kind, url: url.href, svg: url.protocol === 'data:' ? svgOfData(url.href) : null, width };
}

/** The source in a `data:image/svg+xml` address. */
function svgOfData(href: string): string | null {
  const match = /^data:image\/svg\+xml(;[^,]{0,60})?,/i.exec(href);
  if (!match) return null;
  const data = href.slice(match[0].length, match[0].length + maxSvgCharacters);
  if (match[1]?.toLowerCase().includes('base64')) return Buffer.from(data, 'base64').toString();
  try {
    return decodeURIComponent(data);
  } catch {
    return null;
  }
}

function isCalledLogo(attributes: Attributes): boolean {
  const words = wordsOf(attributes);
  return (
    words.has('logo') ||
    words.has('logotype') ||
    words.has('brand') ||
    words.has('wordmark') ||
    /\blogo\b/i.test(attributes['aria-label']?.slice(0, 200) ?? '')
  );
}
