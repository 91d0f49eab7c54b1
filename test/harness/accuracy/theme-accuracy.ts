import { readPage } from '../../../src/adapters/website/page/page.ts';
import type { Stylesheet, Website } from '../../../src/adapters/website/website.ts';
import type { PageColours } from '../../../src/features/themes/website-analysis/analysis.ts';
import { brandColours } from '../../../src/features/themes/website-analysis/suggestions/brand-colours.ts';
import { difference, hexOf } from '../../../src/features/themes/website-analysis/suggestions/colour.ts';
import { brandOfWebsite, websiteFiles } from '../../fixtures/websites/websites.ts';

/** The colour found on a stored page, compared with the brand's. */
export interface FoundColour {
  page: string;
  expected: string;
  found: PageColours['brand'][number] | undefined;
  others: PageColours['brand'];
  /** CIEDE2000; infinite if none was found. */
  away: number;
}

const origin = 'http://website.test/';

/** The stored pages, each with its brand's primary colour. */
export function judgePages(): FoundColour[] {
  return Object.entries(brandOfWebsite).map(([name, colour]) => {
    const brand = hexOf(colour);
    if (!brand) throw new Error(`brands.json has no valid colour for ${name}`);
    const [found, ...others] = brandColours(storedWebsite(name)).brand;
    return { page: name, expected: brand, found, others, away: found ? difference(found.hex, brand) : Infinity };
  });
}

/** The number of pages whose first colour is visibly the same as the brand's. */
export const rightPages = (found: readonly FoundColour[]): number => found.filter(({ away }) => away <= 5).length;

/** A stored page, in the form in which the website reader returns it. */
export function storedWebsite(name: string): Website {
  const text = (address: string): string | null => websiteFiles.get(name + new URL(address).pathname)?.content ?? null;
  const { facts, sheets } = readPage(text(`${origin}index.html`) ?? '', new URL(origin));
  const stylesheets = sheets.map((sheet): Stylesheet => {
    const { media } = sheet;
    return 'href' in sheet
      ? { url: sheet.href, media, text: text(sheet.href) ?? '' }
      : { url: null, media, text: sheet.text };
  });
  const logos = facts.logos.map((logo) => ({
    ...logo,
    svg: logo.svg ?? (logo.url?.endsWith('.svg') ? text(logo.url) : null),
  }));
  return { ...facts, logos, stylesheets, finalUrl: origin, fonts: [], omitted: [] };
}
