import { readdirSync, readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

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

let calls = 0;

/** All texts of the dashboard's `.ts` files, in both languages: its modules are loaded again with a `translated` that keeps them. */
export async function translatedTexts(): Promise<TranslatedTexts[]> {
  const found: TranslatedTexts[] = [];
  let path = '';
  calls += 1;
  const mark = `?texts=${calls}`;
  const keep = `keepTexts${calls}`;
  const urlOf = (name: string): string => pathToFileURL(join(dashboardSource, name)).href;
  const language = urlOf('lib/language.ts');
  Object.assign(globalThis, {
    [keep]: (texts: { en: unknown; es: unknown }) => {
      found.push({ path, ...texts });
      return texts.en;
    },
  });
  const hooks = registerHooks({
    resolve(specifier, context, next) {
      const resolved = next(specifier, context);
      const { parentURL = '' } = context;
      const isAgain = parentURL.endsWith(mark) && parentURL !== language + mark && resolved.url.startsWith(urlOf(''));
      return isAgain ? { ...resolved, url: resolved.url + mark } : resolved;
    },
    load(url, context, next) {
      if (url !== language + mark) return next(url, context);
      const source = `export * from '${language}'; export const translated = globalThis.${keep};`;
      return { format: 'module', shortCircuit: true, source };
    },
  });
  try {
    for (path of dashboardFiles('.ts')) {
      const source = readFileSync(join(dashboardSource, path), 'utf8');
      if (path !== 'lib/language.ts' && /\btranslated\(/.test(source)) await import(urlOf(path) + mark);
    }
  } finally {
    hooks.deregister();
  }
  return found;
}
