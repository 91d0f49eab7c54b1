import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { parse } from '@swc/core';
import { dashboardFiles, dashboardSource, translatedTexts } from './translated-texts.ts';

/** Spanish texts of several words that are the same in English, and why. */
const equals: [text: RegExp, reason: string][] = [
  [/^(Rosa Vanterpool|EVERLY, KOFI|Ada Okonkwo|Ben Castillo|Mei Tanaka)$/, 'names of people'],
  [/^Mac Roman$/, 'the name of an encoding'],
  [/^Microsoft Teams$/, 'the name of a product'],
  [/^PROXY=nginx .* npm start$/, 'a command'],
];

/** Arguments for a text: numbers, or what else it takes. */
const samples = [2, 'v1', ['a', 'b'], new Proxy({}, { get: () => 2 })];

function called(text: (...values: unknown[]) => unknown): unknown {
  for (const sample of samples) {
    try {
      const result = text(...Array.from({ length: text.length }, () => sample));
      if (typeof result === 'string' || isRecord(result)) return result;
    } catch {
      // The next sample may fit.
    }
  }
  throw new Error(`No sample fits ${String(text)}`);
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** What differs in shape, and what is not translated. */
function faultsIn(en: unknown, es: unknown, path: string): string[] {
  if (typeof en !== typeof es) return [`${path}: ${typeof en} in English, ${typeof es} in Spanish`];
  if (typeof en === 'function') return faultsIn(called(en as never), called(es as never), path);
  if (typeof en === 'string')
    return en === es && /\p{L}{2,}.*\s.*\p{L}{2,}/u.test(en) && !equals.some(([text]) => text.test(en))
      ? [`${path}: “${en}” in both`]
      : [];
  // Texts that come from the API in English
  if (!isRecord(en) || !isRecord(es) || Object.keys(en).length === 0) return [];
  // English texts of the API are shown as they come, unless the page words them otherwise.
  const areOfApi = Object.keys(es).some((key) => /[ {]/.test(key));
  const missing = [
    ...Object.keys(en).filter((key) => !(key in es)),
    ...Object.keys(es).filter((key) => !areOfApi && !(key in en)),
  ];
  return [
    ...missing.map((key) => `${path}.${key}: in one language only`),
    ...Object.keys(en).flatMap((key) => (key in es ? faultsIn(en[key], es[key], `${path}.${key}`) : [])),
  ];
}

describe('texts of the dashboard', () => {
  test('are the same ones in Spanish, and translated', async () => {
    const texts = await translatedTexts();
    expect(texts.length).toBeGreaterThan(30);
    expect(texts.flatMap(({ path, en, es }) => faultsIn(en, es, path))).toEqual([]);
  });

  const shown = ['aria-label', 'aria-description', 'alt', 'placeholder', 'title', 'label', 'hint'];

  /** Literal words that a component shows. */
  function literalsIn(node: unknown): string[] {
    if (Array.isArray(node)) return node.flatMap(literalsIn);
    if (!isRecord(node)) return [];
    const { type, name, value } = node as { type?: string; name?: { value?: string }; value?: unknown };
    if (type === 'JSXText') return hasWords(value) ? [value.trim()] : [];
    if (type === 'JSXAttribute' && shown.includes(name?.value ?? '') && isRecord(value) && hasWords(value.value))
      return [value.value];
    return Object.values(node).flatMap(literalsIn);
  }

  const hasWords = (text: unknown): text is string => typeof text === 'string' && /\p{L}{2,}/u.test(text);

  /** Names that are the same in each language. */
  const names = new Set(['Esc']);

  test('are not written in components', async () => {
    const paths = dashboardFiles('.tsx').filter((path) => !path.startsWith('styleguide/'));
    const found = await Promise.all(
      paths.map(async (path) => {
        const tree = await parse(readFileSync(join(dashboardSource, path), 'utf8'), {
          syntax: 'typescript',
          tsx: true,
        });
        return literalsIn(tree.body)
          .filter((text) => !names.has(text))
          .map((text) => `${path}: ${text}`);
      }),
    );
    expect(found.flat()).toEqual([]);
  });
});
