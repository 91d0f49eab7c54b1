import { runTask } from '../../../lib/workers/worker-task.ts';
import type { Fetched } from '../fetch/fetch.ts';
import { WebsiteUnreadable } from '../website.ts';
import type { Page } from './page.ts';
import type { PageTask, PlainPage } from './page-worker.ts';

const entry = new URL('./page-worker.ts', import.meta.url);
/** A page of 5 MB needs a second or two and 60 MiB; one that is made to take long gets no more than this. */
const heapMb = 192;
const timeoutMs = 15_000;

/**
 * Reads a page in a thread of its own: one that is made for it takes seconds, in which the manager would do nothing else.
 * @throws WebsiteUnreadable too_large where it takes too long or too much memory; the signal's reason when aborted
 */
export async function readPageInThread(
  { body, contentType, url }: Fetched,
  signal: AbortSignal,
): Promise<{ page: Page; encoding: string }> {
  const tooElaborate = (): Error => new WebsiteUnreadable('too_large', 'The page is too elaborate to be read');
  const { encoding, ...page } = await runTask<PageTask, never, PlainPage>(
    entry,
    { body, contentType, address: url.href },
    { signal, heapMb, timeoutMs, outOfMemory: tooElaborate, timedOut: tooElaborate },
  );
  return {
    encoding,
    page: {
      ...page,
      sheets: page.sheets.map(({ media, ...sheet }) =>
        'href' in sheet ? { media, url: new URL(sheet.href) } : { media, ...sheet },
      ),
      manifest: page.manifest === null ? null : new URL(page.manifest),
      refresh: page.refresh === null ? null : new URL(page.refresh),
    },
  };
}
