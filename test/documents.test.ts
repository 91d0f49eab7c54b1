import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';

const root = join(import.meta.dirname, '..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

/** The titles of tests and of groups of tests, also of those in tables. */
const titlesIn = (source: string): string[] =>
  [...source.matchAll(/(?:\b(?:test|describe|suite|each\w+|describeWith\w+)|\))\(\s*(?:'([^'\n]+)'|`([^`\n]+)`)/g)].map(
    ([, plain, template]) => plain ?? template ?? '',
  );

describe('docs/asvs.md', () => {
  const rows = read('docs/asvs.md')
    .split('\n')
    .filter((line) => /^\| \d/.test(line))
    .map((line) => line.split('|').map((cell) => cell.trim()));

  test('has a result in each row: a pass with its evidence, or a decision with its reason', () => {
    for (const [, id, , result, how = ''] of rows) {
      expect([id, result]).toEqual([id, expect.stringMatching(/^(pass|accepted( in part)?|n\. a\.)$/)]);
      if (result === 'pass') expect([id, how]).toEqual([id, expect.stringMatching(/`(test|src)\/[^`]+`/)]);
      else expect(how.length).toBeGreaterThan(20);
    }
    expect(rows.length).toBeGreaterThan(45);
  });

  test('names tests that exist', () => {
    const missing = rows.flatMap(([, , , , how = '']) => [
      ...[...how.matchAll(/`((?:test|src)\/[^`]+)`/g)].flatMap(([, path = '']) =>
        existsSync(join(root, path)) ? [] : [path],
      ),
      ...[...how.matchAll(/`(test\/[^`]+)` “([^”]+)”/g)].flatMap(([, path = '', name = '']) =>
        existsSync(join(root, path)) && titlesIn(read(path)).some((title) => title.includes(name))
          ? []
          : [`${path}: ${name}`],
      ),
    ]);
    expect(missing).toEqual([]);
  });
});
