import PQueue from 'p-queue';
import { OutboundError } from '../../../lib/outbound-http/outbound-error.ts';
import type { FetchPart, Stylesheet, WebsiteLimits } from '../website.ts';
import type { DecodedPage } from './page-worker.ts';
import { textOf } from './text-of.ts';

const maxImportDepth = 3;
const atOnce = 4;

interface Gathering {
  base: URL;
  fetchPart: FetchPart;
  limits: WebsiteLimits;
  /** Called with each omission, a sentence. */
  omit(why: string): void;
}

/**
 * Fetches a page's linked stylesheets and their imports, in document order. Unreadable ones are omitted.
 * @throws the signal's reason when aborted
 */
export async function gatherStylesheets(
  { sheets, encoding }: Pick<DecodedPage, 'sheets' | 'encoding'>,
  { base, fetchPart, limits, omit }: Gathering,
): Promise<Stylesheet[]> {
  const queue = new PQueue({ concurrency: atOnce });
  const asked = new Set<string>();
  let bytes = 0;

  async function fetched(url: string) {
    if (bytes >= limits.extraBytes) {
      omit(`Stylesheet ${url.slice(0, 200)} was left out: more than ${limits.extraBytes / 1024} KB of stylesheets`);
      return undefined;
    }
    const request = { accept: 'text/css,*/*;q=0.1', limit: limits.stylesheetBytes, admit: admitCss };
    const found = await fetchPart('Stylesheet', url, request);
    bytes += found?.body.length ?? 0;
    return found;
  }

  async function linked(url: string, media: string | null, depth: number): Promise<Stylesheet[]> {
    if (asked.has(url)) return [];
    if (asked.size >= limits.stylesheets) {
      omit(`More than ${limits.stylesheets} stylesheets: the others were not read`);
      return [];
    }
    asked.add(url);
    const sheet = await queue.add(() => fetched(url));
    if (!sheet) return [];
    // CSS Syntax 3, 3.2: without another declaration a sheet has its page's encoding.
    const rule = /^@charset "([\w.:-]{1,40})";/.exec(sheet.body.toString('latin1', 0, 60))?.[1];
    const { text } = textOf(sheet.body, sheet.contentType, rule ?? encoding);
    return [...(await imported(text, sheet.url, depth)), { url: sheet.url.href, media, text }];
  }

  async function imported(css: string, from: URL, depth: number): Promise<Stylesheet[]> {
    if (depth >= maxImportDepth) return [];
    const found = importsOf(css).map(async ({ href, media }) => {
      const url = URL.parse(href, from.href);
      return url && /^https?:$/.test(url.protocol) ? linked(url.href, media, depth + 1) : [];
    });
    return (await Promise.all(found)).flat();
  }

  const all = sheets.map(async (sheet): Promise<Stylesheet[]> => {
    if ('href' in sheet) return linked(sheet.href, sheet.media, 0);
    return [...(await imported(sheet.text, base, 0)), { url: null, media: sheet.media, text: sheet.text }];
  });
  return (await Promise.all(all)).flat();
}

/** Browsers ignore a sheet of another type, and an error page is no stylesheet. */
function admitCss(contentType: string): void {
  if (contentType && !/^(text\/css|text\/plain|application\/octet-stream|application\/x-css)\b/.test(contentType))
    throw new OutboundError('broken', `it is ${contentType.split(';')[0]?.slice(0, 60)}, not CSS`);
}

/** Of imports or fonts in a sheet. */
const maxFound = 24;
/** `@import`s come first in a sheet; the search is bounded, as a sheet may be megabytes of them. */
const beginning = 64 * 1024;
const importRule =
  /@import\s{1,9}(?:url\(\s{0,9})?(?:"([^"]{1,2000})"|'([^']{1,2000})'|([^\s"'()]{1,2000}))\s{0,9}\)?([^;]{0,500})/gi;

/** The sheets that a stylesheet `@import`s before its first block, like browsers, each with its condition, if it has one. */
function importsOf(css: string): { href: string; media: string | null }[] {
  const [head = ''] = css
    .slice(0, beginning)
    .replaceAll(/\/\*[^*]*\*+(?:[^/*][^*]*\*+)*\//g, ' ')
    .split('{');
  return [...head.matchAll(importRule)].slice(0, maxFound).map(([, double, single, bare, condition = '']) => {
    return { href: double ?? single ?? bare ?? '', media: condition.trim() || null };
  });
}

const maxValues = 200;
const generic =
  /^(serif|sans-serif|monospace|cursive|fantasy|system-ui|ui-(serif|sans-serif|monospace|rounded)|math|emoji|fangsong|inherit|initial|unset|revert|revert-layer|none|normal|blinkmacsystemfont)$/i;

/** Names of the font families in a stylesheet's `font-family` declarations, in order, without generic ones. */
export function fontsOf(css: string): string[] {
  // Most declarations repeat a few values.
  const values = new Set([...css.matchAll(/font-family\s{0,9}:([^;{}]{1,500})/gi)].map(([, value = '']) => value));
  const names = [...values]
    .slice(0, maxValues)
    .flatMap((value) => value.split(','))
    // In var(--font, "Inter") the fallback is a name.
    .map((part) => part.replace(/!important|["')]/gi, '').trim())
    .filter((name) => /^[\p{L}\d_][\p{L}\d _.&+-]{0,99}$/u.test(name) && !generic.test(name));
  return [...new Set(names)].slice(0, maxFound);
}
