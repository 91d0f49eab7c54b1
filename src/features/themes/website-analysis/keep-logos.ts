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
  files: AssetFiles;
  signal: AbortSignal;
}

/**
 * Keeps the logos that a page shows, best first, cleaned as uploaded ones are. What can't be had (a broken address, a format
 * that is not taken, such as `.ico`) is left out: there is nothing anybody could do about it.
 */
export async function keepLogos(
  { logos }: Pick<Website, 'logos'>,
  { analysisId, websites, files, signal }: KeepLogosOptions,
): Promise<FoundLogo[]> {
  const kept: FoundLogo[] = [];
  const late = AbortSignal.timeout(timeoutMs);
  const work = { signal: AbortSignal.any([signal, late]) };
  for (const candidate of logos.filter(({ kind }) => kind !== 'preview').slice(0, maxAttempts)) {
    if (kept.length === maxLogos || late.aborted) break;
    try {
      const picture = await readPicture(await contentOf(candidate, websites, work), work);
      const { width, height } = picture;
      if (Math.max(width, height) < minSide) continue;
      const file = await files.put(analysisId, picture);
      const kind = candidate.kind === 'logo' ? 'logo' : 'icon';
      if (!kept.some((one) => one.file === file)) kept.push({ kind, file, width, height });
    } catch {
      signal.throwIfAborted();
    }
  }
  return kept;
}

async function contentOf(
  { svg, url }: LogoCandidate,
  websites: Pick<Websites, 'picture'>,
  work: { signal: AbortSignal },
): Promise<Buffer> {
  if (svg !== null) return Buffer.from(svg);
  if (!url?.startsWith('data:')) return websites.picture(url ?? '', work);
  return Buffer.from(await (await fetch(url, work)).arrayBuffer());
}
