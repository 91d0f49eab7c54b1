import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';

const root = join(import.meta.dirname, '..');

/** Folders and files that are free of the denied words. Add a folder as soon as it is clean. */
// In alphabetical order, so that additions rarely conflict.
const checked: string[] = [
  '.ci',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'README.md',
  'SECURITY.md',
  'bench',
  'compose.yaml',
  'dashboard/src',
  'docker',
  'docs',
  'examples',
  'scripts',
  'src',
  'test',
];

/** Denied words (spaces match line breaks, hyphens and camelCase too), and what to write instead. */
const denied: [word: string, instead: string][] = [
  ['anew', 'again'],
  ['was so already', 'no change'],
  ['a slip', 'mistake'],
  ['bears', 'has'],
  ['begun', 'started'],
  ['beside', 'next to, in addition to, concurrently'],
  ['by itself', 'automatically'],
  ['houses?(?! numbers?)', 'app, services, manager'],
  ['meanwhile', 'in the meantime; or say what happens when'],
  ['mend(s|ed|ing)?', 'repair, fix, overwrite'],
  ["(?<!['`])nobody", 'no one, no user; or use the active voice'],
  ['none the less', 'still'],
  ['patiently', 'retry'],
  ['put(s|ting)? back', 'restore, roll back'],
  ['seldom', 'rarely; or cached'],
  ['so many', 'the number or the setting'],
  ['stands(?! for)', 'is'],
  ['stray', 'orphaned, unexpected'],
  ['taken up', 'resumed'],
  ['tells?', 'report, notify, show, specify'],
  ['told', 'notified, given, configured'],
  ['whoever', 'the user who; anyone who'],
  ['wordy', 'verbose'],
];

/** Places where a denied word is right: a path, a part of the line, and the reason. */
const exceptions: [path: string, line: string, reason: string][] = [
  ['src/features/list-imports/mapping/rules/candidates.ts', 'RES_HOUSE', 'a header of a list'],
  ['src/features/list-imports/mapping/rules/candidates.ts', '(?:residence )?house', 'a header of a list'],
  ['src/features/list-imports/mapping/rules/words.ts', 'street|st|house', 'a word of headers'],
  ['src/features/list-imports/mapping/rules/choose-address.ts', "word === 'house'", 'a word of headers'],
  ['src/features/list-imports/rows/checks/finding.ts', 'text_beside_phone', 'a persisted code'],
  ['src/features/list-imports/rows/values/district.ts', 'dist|house', 'a word of headers'],
  ['src/features/list-imports/rows/values/phone.ts', 'text_beside_phone', 'a persisted code'],
  ['src/adapters/tabular/headers/find-header.ts', 'legislative senate house', 'a word of list headers'],
  ['src/features/backups/restore/restore-operation.ts', 'notPutBack', 'a key of stored records'],
  ['src/features/deployments/presentation.ts', 'put_back', 'a field of the API'],
  ['src/features/deployments/presentation.ts', 'notPutBack', 'a key of stored records'],
  ['src/features/diagnosis/tree/host-rules.ts', 'notPutBack', 'a key of stored records'],
  ['src/features/deployments/schema.ts', 'put_back', 'a field of the API'],
  ['src/features/deployments/service.ts', 'notPutBack', 'a key of stored records'],
  ['src/features/upgrades/move/operation.ts', 'notPutBack', 'a key of stored records'],
  ['src/features/upgrades/single/outcome.ts', 'notPutBack', 'a key of stored records'],
  ['src/lib/operations/operation.ts', 'notPutBack', 'a key of stored records'],
  ['dashboard/src/api/schema.ts', 'put_back', 'a field of the API'],
  ['dashboard/src/features/lists/check/findings-part.tsx', 'text_beside_phone', 'a code of the API'],
  ['dashboard/src/features/lists/import/messages.ts', 'text_beside_phone', 'a code of the API'],
  ['dashboard/src/features/lists/import/messages.es.ts', 'text_beside_phone', 'a code of the API'],
  ['dashboard/src/features/tenant/deployments/work-outcome.tsx', 'put_back', 'a field of the API'],
  ['dashboard/src/features/tenant/next-step.ts', 'put_back', 'a field of the API'],
  ['test/api/backups/backups.test.ts', 'put_back', 'a field of the API'],
  ['test/api/upgrades/upgrades.test.ts', 'put_back', 'a field of the API'],
  ['test/unit/adapters/runtimes/docker-plan.test.ts', 'nobody', 'a user of Unix'],
  ['test/unit/dashboard/next.test.ts', 'put_back', 'a field of the API'],
  ['test/unit/features/list-imports/mapping-rules.test.ts', 'HOUSE', 'a header of a list'],
  ['test/unit/features/list-imports/mapping-rules.test.ts', 'House', 'a header of a list'],
  ['test/unit/features/list-imports/rows.test.ts', 'text_beside_phone', 'a persisted code'],
  ['test/unit/features/list-imports/rows.test.ts', 'US House', 'a value of a list'],
  ['test/unit/lib/operations.test.ts', 'notPutBack', 'a key of stored records'],
  ['test/language.test.ts', '', 'the list of denied words'],
];

const sources = /(\.(ts|tsx|js|mjs|css|html|md|sh|yaml)|Dockerfile)$/;

const filesIn = (path: string): string[] =>
  statSync(join(root, path)).isDirectory()
    ? readdirSync(join(root, path), { recursive: true, encoding: 'utf8' })
        .map((name) => join(path, name))
        .filter((name) => sources.test(name) && !name.includes('node_modules/'))
        .sort()
    : [path];

const pattern = new RegExp(
  `\\b(${denied.map(([word]) => word.replaceAll(/ (?!numbers|for)/g, '[\\s*/-]+')).join('|')})\\b`,
  'gi',
);

/** Identifiers as words: `toldAgain` and `TOLD_AGAIN` become `told Again` and `TOLD AGAIN`. */
const inWords = (text: string): string => text.replaceAll(/([a-z0-9])(?=[A-Z])/g, '$1 ').replaceAll('_', ' ');

/** The denied words in a text, with their lines. */
const deniedIn = (path: string, text: string): string[] => {
  const lines = text.split('\n');
  const words = inWords(text);
  return [...words.matchAll(pattern)].flatMap(({ 0: word, index }) => {
    const number = words.slice(0, index).split('\n').length;
    const line = lines[number - 1] ?? '';
    if (exceptions.some(([where, part]) => where === path && line.includes(part))) return [];
    return [`${path}:${number} "${word}": ${line.trim()}`];
  });
};

describe('language', () => {
  test('finds denied words in prose, in identifiers and across lines', () => {
    const found = ['It is told.', 'toldAgain()', 'told-again.ts', '// so\n// many', '_nobody'].map(
      (text) => deniedIn('a.ts', text).length,
    );
    expect(found).toEqual([1, 1, 1, 1, 1]);
    expect(deniedIn('a.ts', 'amend, a house number, besides, stands for, toldo')).toEqual([]);
  });

  test('checked files use plain words: see the list for what to write instead', () => {
    const files = checked.flatMap(filesIn);
    const found = files.flatMap((path) => [
      ...deniedIn(path, readFileSync(join(root, path), 'utf8')),
      ...deniedIn(path, path),
    ]);
    expect(found).toEqual([]);
  });

  test('each exception is still needed', () => {
    const unused = exceptions.filter(
      ([path, part]) =>
        !inWords(readFileSync(join(root, path), 'utf8'))
          .split('\n')
          .some(
            (line, at) =>
              line.match(pattern) && (readFileSync(join(root, path), 'utf8').split('\n')[at] ?? '').includes(part),
          ),
    );
    expect(unused).toEqual([]);
  });
});
