import { z } from 'zod';
import type { FetchPart, LogoCandidate, ThemeColor } from './website.ts';

const limit = 256 * 1024;
/** SVG logos that are read for their colours. */
const maxDrawings = 3;

/** The relevant parts of a web application manifest; everything else, valid or not, is ignored. */
const manifestSchema = z.object({
  theme_color: z.string().max(100).optional().catch(undefined),
  icons: z
    .array(z.object({ src: z.string().max(2_000), sizes: z.string().catch('') }).catch({ src: '', sizes: '' }))
    .max(50)
    .catch([]),
});

interface ManifestFacts {
  themeColors: ThemeColor[];
  icons: LogoCandidate[];
}

/** Reads a web application manifest; an unreadable one yields nothing. */
export async function readManifest(
  address: string | null,
  { fetchPart, omit }: { fetchPart: FetchPart; omit(why: string): void },
): Promise<ManifestFacts> {
  const nothing = { themeColors: [], icons: [] };
  const accept = 'application/manifest+json,application/json';
  const file = address === null ? undefined : await fetchPart('Manifest', address, { accept, limit });
  if (!file) return nothing;
  const text: unknown = await new Response(new Uint8Array(file.body)).json().catch(() => undefined);
  const read = manifestSchema.safeParse(text);
  if (!read.success) {
    omit('The manifest is no JSON of the usual form');
    return nothing;
  }
  const { theme_color: value, icons } = read.data;
  return {
    themeColors: value === undefined ? [] : [{ value, media: null, from: 'manifest' }],
    icons: icons.flatMap(({ src, sizes }): LogoCandidate[] => {
      const url = src ? URL.parse(src, file.url.href) : null;
      if (!url || !/^(https?|data):$/.test(url.protocol)) return [];
      return [{ kind: 'icon', url: url.href, svg: null, width: Number.parseInt(sizes, 10) || null }];
    }),
  };
}

/** The same logos, the first few SVGs among them with their source: fetched, or from their `data:` address. */
export async function withDrawings(logos: LogoCandidate[], fetchPart: FetchPart): Promise<LogoCandidate[]> {
  const sourceOf = async (url: string): Promise<string> => {
    if (url.startsWith('data:')) return fetch(url).then((file) => file.text());
    const file = await fetchPart('Logo', url, { accept: 'image/svg+xml', limit });
    return new TextDecoder().decode(file?.body);
  };
  const isDrawing = /^(https?:[^?#]+\.svg([?#]|$)|data:image\/svg\+xml[;,])/i;
  const wanted = logos.filter(({ url, svg }) => svg === null && isDrawing.test(url ?? '')).slice(0, maxDrawings);
  await Promise.all(
    wanted.map(async (logo) => {
      const source = (await sourceOf(logo.url ?? '').catch(ignoreInvalid)).slice(0, limit);
      if (/<svg[\s>]/i.test(source)) logo.svg = source;
    }),
  );
  return logos;
}

/** A `data:` address may be invalid. */
function ignoreInvalid(error: unknown): string {
  if (error instanceof TypeError) return '';
  throw error;
}
