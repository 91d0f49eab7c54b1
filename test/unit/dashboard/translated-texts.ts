import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { jest } from '@jest/globals';

export const dashboardSource = join(import.meta.dirname, '../../../dashboard/src');

/** The texts of one call of `translated`, and the file with them. */
export interface TranslatedTexts {
  path: string;
  en: unknown;
  es: unknown;
}

/** Paths of the dashboard's sources with this ending. */
export const dashboardFiles = (ending: string): string[] =>
  readdirSync(dashboardSource, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith(ending))
    .sort();

/** All texts of the dashboard's `.ts` files, in both languages. */
export async function translatedTexts(): Promise<TranslatedTexts[]> {
  const found: TranslatedTexts[] = [];
  const language = join(dashboardSource, 'lib/language.ts');
  const original = await import('../../../dashboard/src/lib/language.ts');
  let path = '';
  jest.unstable_mockModule(language, () => ({
    ...original,
    translated: (texts: { en: unknown; es: unknown }) => {
      found.push({ path, ...texts });
      return texts.en;
    },
  }));
  jest.resetModules();
  for (path of dashboardFiles('.ts')) {
    const source = readFileSync(join(dashboardSource, path), 'utf8');
    if (path !== 'lib/language.ts' && /\btranslated\(/.test(source)) await import(join(dashboardSource, path));
  }
  return found;
}
