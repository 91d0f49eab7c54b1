import { z } from 'zod';
import { type AddressRule, webAddress } from '../../lib/outbound-http/address.ts';
import type { Fetcher } from '../../lib/outbound-http/fetch.ts';
import { OutboundError } from '../../lib/outbound-http/outbound-error.ts';
import { picture } from './page/logos.ts';
import type { LogoCandidate, ThemeColor } from './website.ts';

const smallFile = 256 * 1024;
/** SVG logos that are fetched for their colours. */
const maxDrawings = 3;

interface Extras {
  fetcher: Fetcher;
  rule: AddressRule;
  redirects: number;
  signal: AbortSignal;
  omit(why: string): void;
}

/** The relevant parts of a web application manifest; everything else, valid or not, is ignored. */
const manifestSchema = z.object({
  theme_color: z.string().max(100).optional().catch(undefined),
  icons: z
    .array(z.object({ src: z.string().max(2_000), sizes: z.string().optional().catch(undefined) }).catch({ src: '' }))
    .max(50)
    .catch([])
    .default([]),
});

interface ManifestFacts {
  themeColors: ThemeColor[];
  icons: LogoCandidate[];
}

/** Reads a web application manifest; an unreadable one yields nothing. */
export async function readManifest(address: string, extras: Extras): Promise<ManifestFacts> {
  const file = await small(address, 'The manifest', 'application/manifest+json,application/json', extras);
  if (!file) return { themeColors: [], icons: [] };
  const read = manifestSchema.safeParse(parsed(file.text));
  if (!read.success) {
    extras.omit('The manifest is no JSON of the usual form');
    return { themeColors: [], icons: [] };
  }
  const { theme_color: value, icons } = read.data;
  return {
    themeColors: value === undefined ? [] : [{ value, media: null, from: 'manifest' }],
    icons: icons.flatMap(({ src, sizes }) => {
      const url = src ? URL.parse(src, file.url.href) : null;
      const known = url && /^(https?|data):$/.test(url.protocol) ? url.href : null;
      return picture('icon', known, Number.parseInt(sizes ?? '', 10) || null);
    }),
  };
}

/** Fetches the sources of the first few linked SVG logos. */
export async function fetchDrawings(logos: LogoCandidate[], extras: Extras): Promise<LogoCandidate[]> {
  const wanted = logos.filter(
    ({ url, svg }) => svg === null && url !== null && /^https?:[^?#]+\.svg([?#]|$)/i.test(url),
  );
  const sources = new Map<string, string>();
  await Promise.all(
    wanted.slice(0, maxDrawings).map(async ({ url }) => {
      if (url === null) return;
      const file = await small(url, 'The logo', 'image/svg+xml', extras);
      if (file && /<svg[\s>]/i.test(file.text)) sources.set(url, file.text);
    }),
  );
  return logos.map((logo) => ({ ...logo, svg: logo.svg ?? sources.get(logo.url ?? '') ?? null }));
}

async function small(
  address: string,
  what: string,
  accept: string,
  extras: Extras,
): Promise<{ url: URL; text: string } | undefined> {
  const { fetcher, rule, redirects, signal, omit } = extras;
  try {
    const url = webAddress(address, rule);
    const found = await fetcher.fetch(url, { accept, limit: smallFile, redirects, signal, what });
    return { url: found.url, text: new TextDecoder().decode(found.body) };
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    omit(`${what} ${address.slice(0, 200)} was left out: ${error.message}`);
    return undefined;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
