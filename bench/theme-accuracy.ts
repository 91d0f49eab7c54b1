import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { readPage } from '../src/adapters/website/page/page.ts';
import type { Stylesheet, Website } from '../src/adapters/website/website.ts';
import { type BrandColour, brandColours } from '../src/features/themes/website-analysis/suggestions/brand-colours.ts';
import { difference, hexOf } from '../src/features/themes/website-analysis/suggestions/colour.ts';

/** A stored page's colour as it was found, held against the brand's. */
export interface FoundColour {
  page: string;
  expected: string;
  found: BrandColour | undefined;
  others: BrandColour[];
  /** CIEDE2000; infinite where none was found. */
  away: number;
}

const folder = join(import.meta.dirname, 'websites');
const origin = 'http://website.test/';
const brands = z.record(z.string(), z.string());

/** The pages stored beside, each with its brand's primary colour. */
export function judgePages(): FoundColour[] {
  const expected = brands.parse(JSON.parse(readFileSync(join(folder, 'brands.json'), 'utf8')));
  const pages = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return pages.map(({ name }) => {
    const brand = hexOf(expected[name] ?? '');
    if (!brand) throw new Error(`brands.json names no colour for ${name}`);
    const [found, ...others] = brandColours(storedWebsite(name)).brand;
    return { page: name, expected: brand, found, others, away: found ? difference(found.hex, brand) : Infinity };
  });
}

/** How many of the pages have their brand's colour first, and no further away than is hard to see beside it. */
export const rightPages = (found: readonly FoundColour[]): number => found.filter(({ away }) => away <= 5).length;

/** A stored page as the reader of websites tells of it. */
export function storedWebsite(name: string): Website {
  const text = (address: string): string | null => {
    const file = join(folder, name, new URL(address).pathname);
    return existsSync(file) ? readFileSync(file, 'utf8') : null;
  };
  const { facts, sheets } = readPage(text(`${origin}index.html`) ?? '', new URL(origin));
  const stylesheets = sheets.map((sheet): Stylesheet => {
    const { media } = sheet;
    return 'url' in sheet
      ? { url: sheet.url.href, media, text: text(sheet.url.href) ?? '' }
      : { url: null, media, text: sheet.text };
  });
  const logos = facts.logos.map((logo) => ({
    ...logo,
    svg: logo.svg ?? (logo.url?.endsWith('.svg') ? text(logo.url) : null),
  }));
  return { ...facts, logos, stylesheets, finalUrl: origin, fonts: [], omitted: [] };
}
