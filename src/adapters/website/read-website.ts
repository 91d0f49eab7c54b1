import { type AddressRule, hostOf, webAddress } from '../../lib/outbound-http/address.ts';
import type { Connect } from '../../lib/outbound-http/connect.ts';
import { createFetcher, type Fetched, type Fetcher } from '../../lib/outbound-http/fetch.ts';
import { OutboundError } from '../../lib/outbound-http/outbound-error.ts';
import { runTask } from '../../lib/workers/worker-task.ts';
import { readManifest, withDrawings } from './extras.ts';
import type { DecodedPage, PageTask } from './page/page-worker.ts';
import { fontsOf, gatherStylesheets } from './page/stylesheets.ts';
import { type FetchPart, usualLimits, type WebsiteLimits, type Websites } from './website.ts';

const entry = new URL('./page/page-worker.ts', import.meta.url);
/** A page of 5 MB needs a second or two and up to 120 MiB; a malicious one gets no more than this. */
const heapMb = 192;
const processorMs = 15_000;

/**
 * Parses a page in a worker thread: a malicious one takes seconds, in which the manager would be blocked.
 * @throws OutboundError too_large when it takes too much time or memory; the signal's reason when aborted
 */
function readPageInThread({ body, contentType, url }: Fetched, signal: AbortSignal): Promise<DecodedPage> {
  const tooComplex = (): Error => new OutboundError('too_large', 'The page is too complex to be read');
  const task = { body, contentType, address: url.href };
  const bounds = { signal, heapMb, processorMs, outOfMemory: tooComplex, timedOut: tooComplex };
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
  const { redirects } = limits;

  async function withFetcher<T>(work: (fetcher: Fetcher) => Promise<T>): Promise<T> {
    const fetcher = createFetcher(connect, rule);
    return work(fetcher).finally(() => fetcher.close());
  }

  /** Follows a `<meta>` that redirects at once. */
  async function pageAt(first: URL, fetcher: Fetcher, signal: AbortSignal): Promise<{ page: DecodedPage; url: URL }> {
    let url = first;
    for (let left = redirects; ; left -= 1) {
      const accept = 'text/html,application/xhtml+xml;q=0.9';
      const request = { accept, limit: limits.pageBytes, redirects, signal, what: 'The page', admit: admitHtml };
      const found = await fetcher.fetch(url, request);
      refuseBinary(found);
      const page = await readPageInThread(found, signal);
      if (!page.refresh || page.refresh === found.url.href || left <= 0) return { page, url: found.url };
      url = webAddress(page.refresh, rule);
    }
  }

  return {
    read: (address, { signal: outer }) =>
      withFetcher(async (fetcher) => {
        const asked = webAddress(address, rule);
        const tooSlow = `${hostOf(asked)} did not send its page in time`;
        const { page, url } = await within(limits.pageMs, tooSlow, outer, (signal) => pageAt(asked, fetcher, signal));
        const omitted = page.cut === undefined ? [] : [page.cut];
        const omit = (why: string): void => void (omitted.length < maxOmissions && omitted.push(why));
        return within(limits.extrasMs, noTimeLeft, outer, async (signal) => {
          const fetchPart: FetchPart = async (name, part, request) => {
            try {
              const what = `The ${name.toLowerCase()}`;
              return await fetcher.fetch(webAddress(part, rule), { ...request, redirects, signal, what });
            } catch (error) {
              if (!(error instanceof OutboundError)) throw error;
              omit(`${name} ${part.slice(0, 200)} was left out: ${error.message}`);
              return undefined;
            }
          };
          const [stylesheets, manifest] = await Promise.all([
            gatherStylesheets(page, { base: url, fetchPart, omit, limits }),
            readManifest(page.manifest, { fetchPart, omit }),
          ]);
          return {
            ...page.facts,
            finalUrl: url.href,
            themeColors: [...page.facts.themeColors, ...manifest.themeColors],
            logos: await withDrawings([...page.facts.logos, ...manifest.icons], fetchPart),
            stylesheets,
            fonts: [...new Set(stylesheets.flatMap(({ text }) => fontsOf(text)))].slice(0, maxFonts),
            omitted,
          };
        });
      }),

    picture: (address, { signal: outer }) =>
      withFetcher((fetcher) =>
        within(limits.extrasMs, noTimeLeft, outer, async (signal) => {
          const accept = 'image/svg+xml,image/webp,image/png,image/jpeg';
          const request = { accept, limit: limits.pictureBytes, redirects, signal, what: 'The picture' };
          return (await fetcher.fetch(webAddress(address, rule), request)).body;
        }),
      ),
  };
}

const noTimeLeft = 'there was no time left for it';

/** Work with a time limit. @throws OutboundError timeout with this message; the outer signal's reason */
async function within<T>(
  ms: number,
  message: string,
  outer: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(new OutboundError('timeout', message)), ms);
  return work(AbortSignal.any([outer, late.signal])).finally(() => clearTimeout(timer));
}

/** Another content type is no page; a missing one is sniffed. */
function admitHtml(contentType: string): void {
  const type = contentType.split(';')[0]?.trim() ?? '';
  if (type && type !== 'text/html' && type !== 'application/xhtml+xml')
    throw new OutboundError('not_html', `The address leads to ${type.slice(0, 60)}, not to an HTML page`);
}

/** Whatever its type: text has no NUL, except UTF-16, which has a byte order mark or declares it. */
function refuseBinary({ body, contentType }: Fetched): void {
  const isWide =
    /^(\xff\xfe|\xfe\xff)/.test(body.toString('latin1', 0, 2)) || /charset\s*=\s*"?utf-16/.test(contentType);
  if (!isWide && body.subarray(0, 1024).includes(0))
    throw new OutboundError('not_html', 'The address leads to a binary file, not to an HTML page');
}
