import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { parseSync } from '@swc/core';
import { analyse } from 'scslre';

/**
 * Finds regular expressions whose time grows faster than their input's length (quadratic or worse): a hostile text could
 * block the manager. What is quadratic in a bounded repetition (`{0,500}`) passes.
 */
const root = join(import.meta.dirname, '..');
const folders = ['src', 'dashboard/src', 'scripts', 'examples/contacts'];

/** Made at run time, from other expressions, one character set or escaped text: no user decides their structure. */
const madeAtRunTime = new Set([
  'src/adapters/runtimes/recorded/systemd/systemctl/unit-usage.ts',
  'src/adapters/runtimes/recorded/systemd/units/unit-file.ts',
  'src/features/log-archive/search/matches.ts',
]);

interface Expression {
  source: string;
  flags: string;
}

const isSlow = ({ source, flags }: Expression): boolean => analyse({ source, flags }).reports.length > 0;

/** The literals of a file, and how many expressions it makes at run time. */
function expressionsIn(path: string): { literals: Expression[]; made: number } {
  const literals: Expression[] = [];
  let made = 0;
  const walk = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    const { type, pattern, flags, callee } = node as Record<string, unknown>;
    if (type === 'RegExpLiteral') literals.push({ source: String(pattern), flags: String(flags) });
    const called = (callee as { value?: unknown } | undefined)?.value;
    if ((type === 'NewExpression' || type === 'CallExpression') && called === 'RegExp') made += 1;
    Object.values(node).forEach(walk);
  };
  const text = readFileSync(join(root, path), 'utf8');
  walk(parseSync(text, { syntax: 'typescript', tsx: path.endsWith('x'), target: 'esnext' }));
  return { literals, made };
}

const files = folders.flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => /(?<!\.d)\.(ts|tsx|js|mjs)$/.test(path) && !path.includes('node_modules'))
    .map((path) => join(folder, path)),
);
const found = files.map((path) => ({ path, ...expressionsIn(path) }));

test('no regular expression takes more than linear time', () => {
  const slow = found.flatMap(({ path, literals }) =>
    literals.filter(isSlow).map(({ source, flags }) => `${path}: /${source}/${flags}`),
  );
  expect(slow).toEqual([]);
  expect(found.flatMap(({ literals }) => literals).length).toBeGreaterThan(400);
});

test('only known places make regular expressions at run time', () => {
  const making = found.filter(({ made }) => made > 0).map(({ path }) => path);
  expect(making.sort()).toEqual([...madeAtRunTime].sort());
});

test.each([/:\/\/[^\s/@]*:[^\s/@]+@/, /^(a+)+$/, /\s+$/, /^mysql:\/\/[^/]+@[^/]+\/?$/])(
  'an expression with polynomial time is found: %s',
  (expression) => {
    expect(isSlow(expression)).toBe(true);
  },
);
