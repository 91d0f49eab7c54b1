import PQueue from 'p-queue';
import type { AddressRule } from '../../../lib/outbound-http/address.ts';
import { webAddress } from '../../../lib/outbound-http/address.ts';
import type { Fetcher } from '../../../lib/outbound-http/fetch.ts';
import { OutboundError } from '../../../lib/outbound-http/outbound-error.ts';
import type { WebsiteLimits } from '../limits.ts';
import type { Stylesheet } from '../website.ts';
import { importsOf } from './css-facts.ts';
import type { SheetOfPage } from './page.ts';
import { cssText } from './text-of.ts';

const maxImportDepth = 3;
const atOnce = 4;

interface Gathering {
  fetcher: Fetcher;
  rule: AddressRule;
  limits: WebsiteLimits;
  /** The page's, for sheets without their own. */
  encoding: string;
  signal: AbortSignal;
  /** Called with each omission, a sentence. */
  omit(why: string): void;
}

/**
 * Fetches a page's linked stylesheets and their imports, in document order. Unreadable ones are omitted.
 * @throws the signal's reason when aborted
 */
export async function gatherStylesheets(page: SheetOfPage[], base: URL, gathering: Gathering): Promise<Stylesheet[]> {
  const { fetcher, rule, limits, encoding, signal, omit } = gathering;
  const queue = new PQueue({ concurrency: atOnce });
  const asked = new Set<string>();
  let bytes = 0;

  async function linked(url: string, media: string | null, depth: number): Promise<Stylesheet[]> {
    if (asked.has(url)) return [];
    if (asked.size >= limits.stylesheets)
      return left(`More than ${limits.stylesheets} stylesheets: the others were not read`);
    asked.add(url);
    try {
      const sheet = await queue.add(async () => {
        if (bytes >= limits.extraBytes) throw new OutboundError('too_large', tooMuch);
        const found = await fetcher.fetch(webAddress(url, rule), {
          accept: 'text/css,*/*;q=0.1',
          limit: limits.stylesheetBytes,
          redirects: limits.redirects,
          signal,
          what: 'The stylesheet',
          admit: admitCss,
        });
        bytes += found.body.length;
        return found;
      });
      const text = cssText(sheet.body, sheet.contentType, encoding);
      return [...(await imported(text, sheet.url, depth)), { url: sheet.url.href, media, text }];
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      return left(`Stylesheet ${url.slice(0, 200)} was left out: ${error.message}`);
    }
  }

  async function imported(css: string, from: URL, depth: number): Promise<Stylesheet[]> {
    if (depth >= maxImportDepth) return [];
    const sheets = importsOf(css).map(async ({ href, media }) => {
      const url = URL.parse(href, from.href);
      return url && /^https?:$/.test(url.protocol) ? linked(url.href, media, depth + 1) : [];
    });
    return (await Promise.all(sheets)).flat();
  }

  function left(why: string): [] {
    omit(why);
    return [];
  }

  const tooMuch = `more than ${Math.round(limits.extraBytes / 1024)} KB of stylesheets`;
  const sheets = page.map(async (sheet): Promise<Stylesheet[]> => {
    if ('href' in sheet) return linked(sheet.href, sheet.media, 0);
    return [...(await imported(sheet.text, base, 0)), { url: null, media: sheet.media, text: sheet.text }];
  });
  return (await Promise.all(sheets)).flat();
}

/** Browsers ignore a sheet of another type, and an error page is no stylesheet. */
function admitCss(contentType: string): void {
  if (contentType && !/^(text\/css|text\/plain|application\/octet-stream|application\/x-css)\b/.test(contentType))
    throw new OutboundError('broken', `it is ${contentType.split(';')[0]?.slice(0, 60)}, not CSS`);
}
