import { smallestSide } from '../../../adapters/images/image.ts';
import { readPicture } from '../../../adapters/images/read-picture.ts';
import type { LogoCandidate, Website, Websites } from '../../../adapters/website/website.ts';
import type { AssetFiles } from '../editor/asset-files.ts';
import type { FoundLogo } from './analysis.ts';

/** As many are kept; a page that names more than twice as many has shown its best by then. */
const maxLogos = 6;
const maxAttempts = 12;
/** For all of them. */
const timeoutMs = 60_000;
/** A smaller icon is no logo that anybody would use. */
const minSide = 2 * smallestSide;

interface KeepLogosOptions {
  analysisId: string;
  websites: Pick<Websites, 'picture'>;
  pictures: AssetFiles;
  signal: AbortSignal;
}

/**
 * Keeps the logos that a page shows, best first, cleaned as uploaded ones are. What can't be had (a broken address, a format
 * that is not taken, such as `.ico`) is left out: there is nothing anybody could do about it.
 */
export async function keepLogos(
  { logos }: Pick<Website, 'logos'>,
  { analysisId, websites, pictures, signal }: KeepLogosOptions,
): Promise<FoundLogo[]> {
  const kept = new Map<string, FoundLogo>();
  const late = AbortSignal.timeout(timeoutMs);
  const work = { signal: AbortSignal.any([signal, late]) };
  const contentOf = async ({ svg, url }: LogoCandidate): Promise<Buffer> => {
    if (svg !== null) return Buffer.from(svg);
    if (!url?.startsWith('data:')) return websites.picture(url ?? '', work);
    return Buffer.from(await (await fetch(url, work)).arrayBuffer());
  };
  for (const candidate of logos.filter(({ kind }) => kind !== 'preview').slice(0, maxAttempts)) {
    if (kept.size === maxLogos || late.aborted) break;
    try {
      const picture = await readPicture(await contentOf(candidate), work);
      const { width, height } = picture;
      if (Math.max(width, height) < minSide) continue;
      const file = await pictures.put(analysisId, picture);
      if (!kept.has(file)) kept.set(file, { kind: candidate.kind === 'logo' ? 'logo' : 'icon', file, width, height });
    } catch {
      signal.throwIfAborted();
    }
  }
  return [...kept.values()];
}
