import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';

/** The four usual licences, and less restrictive ones. */
const allowed = new Set([
  ...['MIT', 'BSD-2-Clause', 'BSD-3-Clause', 'Apache-2.0', 'ISC'],
  ...['0BSD', 'BlueOak-1.0.0', 'CC0-1.0', 'MIT-0', 'Unlicense'],
]);

interface Package {
  dev?: boolean;
  license?: string;
  link?: boolean;
}

const { packages } = JSON.parse(readFileSync(join(import.meta.dirname, '..', 'package-lock.json'), 'utf8')) as {
  packages: Record<string, Package>;
};
const production = Object.entries(packages).filter(
  ([path, { dev, link }]) => path.includes('node_modules/') && !dev && !link,
);

/** Packages without a licence field in the lock file; looked up in their own files. */
const lookedUp: Readonly<Record<string, string>> = {
  buildcheck: 'MIT',
  busboy: 'MIT',
  'cpu-features': 'MIT',
  'passport-strategy': 'MIT',
  pause: 'MIT',
  ssh2: 'MIT',
  streamsearch: 'MIT',
};

/** sharp's prebuilt libvips is linked dynamically and can be replaced, as the LGPL asks (docs/decisions, 0035). */
const replaceable = /^node_modules\/@img\/sharp-/;

const licenceOf = ([path, { license }]: [string, Package]): string | undefined =>
  license ?? lookedUp[path.replace(/^.*node_modules\//, '')];

/** One of several alternatives is enough; of a combination all must be allowed. */
const isAllowed = (licence: string | undefined, path = ''): boolean => {
  const extra = replaceable.test(path) ? ['LGPL-3.0-or-later'] : [];
  const choices = licence?.replaceAll(/[()]/g, '').split(' OR ') ?? [];
  return choices.some((choice) => choice.split(' AND ').every((one) => allowed.has(one) || extra.includes(one)));
};

test('production packages of all platforms have an allowed licence', () => {
  expect(production.length).toBeGreaterThan(100);
  const others = production
    .filter((one) => !isAllowed(licenceOf(one), one[0]))
    .map((one) => `${one[0]}: ${licenceOf(one)}`);
  expect(others).toEqual([]);
});

test.each([
  ['(MPL-2.0 OR Apache-2.0)', true],
  ['MIT AND ISC', true],
  ['Apache-2.0 AND LGPL-3.0-or-later', false],
  ['MPL-2.0', false],
  ['SEE LICENSE IN LICENSE', false],
  [undefined, false],
])('%s', (licence, expected) => {
  expect(isAllowed(licence)).toBe(expected);
});

test('allows the LGPL for sharp’s libraries only', () => {
  expect(isAllowed('LGPL-3.0-or-later', 'node_modules/@img/sharp-libvips-linux-x64')).toBe(true);
  expect(isAllowed('GPL-3.0-or-later', 'node_modules/@img/sharp-libvips-linux-x64')).toBe(false);
  expect(isAllowed('LGPL-3.0-or-later', 'node_modules/canvas')).toBe(false);
});
