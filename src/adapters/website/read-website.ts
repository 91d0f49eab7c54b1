import { type AddressRule, hostOf, webAddress } from '../../lib/outbound-http/address.ts';
import type { Connect } from '../../lib/outbound-http/connect.ts';
import { createFetcher, type Fetched, type Fetcher } from '../../lib/outbound-http/fetch.ts';
import { OutboundError } from '../../lib/outbound-http/outbound-error.ts';
import { runTask } from '../../lib/workers/worker-task.ts';
import { fetchDrawings, readManifest } from './extras.ts';
import { usualLimits, type WebsiteLimits } from './limits.ts';
import { fontsOf } from './page/css-facts.ts';
import type { DecodedPage, PageTask } from './page/page-worker.ts';
import { gatherStylesheets } from './page/stylesheets.ts';
import type { Websites } from './website.ts';

const entry = new URL('./page/page-worker.ts', import.meta.url);
/** A page of 5 MB needs a second or two and up to 120 MiB; a malicious one gets no more than this. */
const heapMb = 192;
const timeoutMs = 15_000;

/**
 * Parses a page in a worker thread: a malicious one takes seconds, in which the manager would be blocked.
 * @throws OutboundError too_large when it takes too much time or memory; the signal's reason when aborted
 */
function readPageInThread({ body, contentType, url }: Fetched, signal: AbortSignal): Promise<DecodedPage> {
  const tooComplex = (): Error => new OutboundError('too_large', 'The page is too complex to be read');
  const task = { body, contentType, address: url.href };
  const bounds = { signal, heapMb, timeoutMs, outOfMemory: tooComplex, timedOut: tooComplex };
  return runTask<PageTask, never, DecodedPage>(entry, task, bounds);
}

const maxOmissions = 40;
const maxFonts = 24;

interface WebsitesOptions {
  rule: AddressRule;
  /** By the same rule. */
  connect: Connect;
  limits?: Partial<WebsiteLimits>;
}

/** @see Websites */
export function createWebsites({ rule, connect, limits: changed }: WebsitesOptions): Websites {
  const limits = { ...usualLimits, ...changed };

  /** Follows a `<meta>` that redirects at once. */
  async function pageAt(first: URL, fetcher: Fetcher, signal: AbortSignal): Promise<{ page: DecodedPage; url: URL }> {
    let url = first;
    for (let left = limits.redirects; ; left -= 1) {
      const found = await fetcher.fetch(url, {
        accept: 'text/html,application/xhtml+xml;q=0.9',
        limit: limits.pageBytes,
        redirects: limits.redirects,
        signal,
        what: 'The page',
        admit: admitHtml,
      });
      refuseBinary(found);
      const page = await readPageInThread(found, signal);
      if (!page.refresh || page.refresh === found.url.href || left <= 0) return { page, url: found.url };
      url = webAddress(page.refresh, rule);
    }
  }

  return {
    check: (address) => webAddress(address, rule),
    async read(address, { signal }) {
      const asked = webAddress(address, rule);
      const fetcher = createFetcher(connect, rule);
      const omitted: string[] = [];
      const omit = (why: string): void => void (omitted.length < maxOmissions && omitted.push(why));
      const forPage = deadline(limits.pageMs, `${hostOf(asked)} did not send its page in time`, signal);
      let forExtras: Deadline | undefined;
      try {
        const { page, url } = await pageAt(asked, fetcher, forPage.signal);
        forPage.clear();
        forExtras = deadline(limits.extrasMs, 'there was no time left for it', signal);
        if (page.cut) omit(page.cut);

        const extras = { fetcher, rule, redirects: limits.redirects, signal: forExtras.signal, omit };
        const [stylesheets, manifest] = await Promise.all([
          gatherStylesheets(page.sheets, url, { ...extras, limits, encoding: page.encoding }),
          page.manifest ? readManifest(page.manifest, extras) : { themeColors: [], icons: [] },
        ]);
        return {
          ...page.facts,
          finalUrl: url.href,
          themeColors: [...page.facts.themeColors, ...manifest.themeColors],
          logos: await fetchDrawings([...page.facts.logos, ...manifest.icons], extras),
          stylesheets,
          fonts: [...new Set(stylesheets.flatMap(({ text }) => fontsOf(text)))].slice(0, maxFonts),
          omitted,
        };
      } finally {
        forPage.clear();
        forExtras?.clear();
        await fetcher.close();
      }
    },

    async picture(address, { signal }) {
      const asked = webAddress(address, rule);
      const fetcher = createFetcher(connect, rule);
      const inTime = deadline(limits.extrasMs, 'there was no time left for it', signal);
      try {
        const { body } = await fetcher.fetch(asked, {
          accept: 'image/svg+xml,image/webp,image/png,image/jpeg',
          limit: limits.pictureBytes,
          redirects: limits.redirects,
          signal: inTime.signal,
          what: 'The picture',
        });
        return body;
      } finally {
        inTime.clear();
        await fetcher.close();
      }
    },
  };
}

interface Deadline {
  signal: AbortSignal;
  clear(): void;
}

/** A signal that also ends on timeout: `message` then says so. Clear it when the work is done. */
function deadline(ms: number, message: string, outer: AbortSignal): Deadline {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(new OutboundError('timeout', message)), ms);
  return { signal: AbortSignal.any([outer, late.signal]), clear: () => clearTimeout(timer) };
}

/** Another content type is no page; a missing one is sniffed. */
function admitHtml(contentType: string): void {
  const type = contentType.split(';')[0]?.trim() ?? '';
  if (type && type !== 'text/html' && type !== 'application/xhtml+xml')
    throw new OutboundError('not_html', `The address leads to ${type.slice(0, 60)}, not to an HTML page`);
}

/** Whatever its type: text has no NUL, except UTF-16, which has a byte order mark or declares it. */
function refuseBinary({ body, contentType }: Fetched): void {
  const marked = (body[0] === 0xff && body[1] === 0xfe) || (body[0] === 0xfe && body[1] === 0xff);
  const wide = marked || /charset\s*=\s*"?utf-16/.test(contentType);
  if (!wide && body.subarray(0, 1024).includes(0))
    throw new OutboundError('not_html', 'The address leads to a binary file, not to an HTML page');
}
