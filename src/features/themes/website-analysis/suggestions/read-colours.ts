import type { Website } from '../../../../adapters/website/website.ts';
import { runTask } from '../../../../lib/workers/worker-task.ts';
import type { PageColours } from '../analysis.ts';

const entry = new URL('./worker.ts', import.meta.url);
/** A page of the usual size needs 20 MiB and a fifth of a second; one made to hold us up gets no more than this. */
const heapMb = 192;
const processorMs = 30_000;

/**
 * The colours of a page, read in a thread of its own: style sheets can be made so that they take minutes. Where they take too
 * long or too much memory, only the page's own markup counts.
 * @param omit called with a sentence about what was left out
 */
export async function readColours(
  website: Website,
  { signal, omit }: { signal: AbortSignal; omit(why: string): void },
): Promise<PageColours> {
  const read = (page: Website) => runTask<Website, never, PageColours>(entry, page, { signal, heapMb, processorMs });
  try {
    return await read(website);
  } catch {
    signal.throwIfAborted();
    omit('The style sheets are too complex to be read: only the colours in the page itself count');
    return read({ ...website, stylesheets: [] });
  }
}
