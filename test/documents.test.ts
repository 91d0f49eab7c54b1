import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
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

describe('docs/decisions', () => {
  const files = readdirSync(join(root, 'docs/decisions')).filter((name) => /^\d/.test(name));

  test.each(files)('%s has the form of a decision record', (name) => {
    const lines = read(`docs/decisions/${name}`).trimEnd().split('\n');
    expect(lines[0]).toMatch(new RegExp(`^# ${Number(name.slice(0, 4))}\\. \\S`));
    expect(lines[2]).toMatch(/^Status: (accepted|superseded by \[\d{4}\]\(.+\))\. Date: \d{4}-\d{2}-\d{2}\.$/);
    expect(lines.filter((line) => line.startsWith('## '))).toEqual(['## Context', '## Decision', '## Consequences']);
    expect(lines.length).toBeLessThanOrEqual(40);
    expect(lines.filter((line) => line.length > 150)).toEqual([]);
  });

  test('the index names each record', () => {
    const index = read('docs/decisions/README.md');
    expect(files.filter((name) => !index.includes(`](${name})`))).toEqual([]);
  });
});

describe('the guide’s firewall', () => {
  const canLoad = process.getuid?.() === 0 && existsSync('/usr/sbin/nft');
  (canLoad || process.env.CI === 'true' ? test : test.skip)('its nftables rules load', () => {
    const commands = [...read('docs/operations.md').matchAll(/^ {3,4}nft (.+)$/gm)].map(([, command = '']) => command);
    // As a shell passes them on, in a network of its own.
    const input = commands.join('\n').replaceAll("'", '');
    const { stdout, stderr } = spawnSync('unshare', ['--net', '/usr/sbin/nft', '--echo', '--file', '-'], {
      input,
      encoding: 'utf8',
    });
    expect(stderr).toBe('');
    expect(stdout).toMatch(/hook forward/);
    expect(stdout).toMatch(/ip daddr 169\.254\.169\.254 drop/);
    expect(stdout.match(/tcp dport 5000 reject/g)).toHaveLength(2);
  });
});

const documents = [
  ...['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md'],
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name)),
];

describe('names in documents', () => {
  const schema = read('dashboard/src/api/schema.ts');
  const plain = (route: string): string => route.replaceAll(/\{\w+\}|<\w+>/g, '*');
  const routes = new Set([...schema.matchAll(/['"](\/api\/[^'"]+)['"]/g)].map(([, route = '']) => plain(route)));
  const outside = /^\/api\/(docs|openapi|persons\/.*)$/; // The description itself; the tenant application's routes.
  const sources = [
    ...readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => join('src', name)),
    'compose.yaml',
    'docker/stack/stack.yaml',
    'docker/make-secrets.sh',
    'examples/contacts/app/shared/persons/fields.js',
  ]
    .map(read)
    .join('\n');
  // Decision records also name what was true at their date, and other programs.
  const current = documents.filter((path) => !path.startsWith('docs/decisions/'));

  test.each(current)('%s names routes, settings, fields and variables that exist', (path) => {
    const text = read(path);
    const named = [...text.matchAll(/(?<![\w/])\/api\/[\w{}<>/-]*[\w}>]/g)].map(([route]) =>
      route.replace(/(?<!<\w+)>$/, ''),
    );
    expect(named.filter((route) => !routes.has(plain(route)) && !outside.test(route))).toEqual([]);
    const names = [...text.matchAll(/`([a-z]+_[a-z_\d]+|[A-Z][A-Z_\d]{3,})[`=]/g)].map(([, name = '']) => name);
    expect(names.filter((name) => !sources.includes(name) && !schema.includes(name))).toEqual([]);
  });
});

describe('links in documents', () => {
  const anchorsOf = (path: string): string[] =>
    [...read(path).matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
      title
        .toLowerCase()
        .replaceAll(/[^\w\s-]/g, '')
        .replaceAll(' ', '-'),
    );

  test.each(documents)('%s leads to files and sections that exist', (path) => {
    const links = [...read(path).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
    const broken = links.filter((link) => {
      if (/^https?:/.test(link)) return false;
      const [file = '', anchor] = link.split('#');
      const target = file === '' ? path : join(dirname(path), file);
      if (!existsSync(join(root, target))) return true;
      return anchor !== undefined && !anchorsOf(target).includes(anchor);
    });
    expect(broken).toEqual([]);
  });
});
