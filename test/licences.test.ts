import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';

/** The four of the house, and those that ask for less than they do. */
const allowed = new Set([
  ...['MIT', 'BSD-2-Clause', 'BSD-3-Clause', 'Apache-2.0', 'ISC'],
  ...['0BSD', 'BlueOak-1.0.0', 'CC0-1.0', 'Unlicense'],
]);

interface Package {
  dev?: boolean;
  license?: string;
}

const { packages } = JSON.parse(readFileSync(join(import.meta.dirname, '..', 'package-lock.json'), 'utf8')) as {
  packages: Record<string, Package>;
};
const production = Object.entries(packages).filter(([path, { dev }]) => path !== '' && !dev);

/** Older than the field that the lock is made of; looked up in their own files. */
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

/** Of several to choose from one is enough; of several that hold together, all. */
const stands = (licence: string | undefined, path = ''): boolean => {
  const extra = replaceable.test(path) ? ['LGPL-3.0-or-later'] : [];
  const choices = licence?.replaceAll(/[()]/g, '').split(' OR ') ?? [];
  return choices.some((choice) => choice.split(' AND ').every((one) => allowed.has(one) || extra.includes(one)));
};

test('what is handed on with the manager, on every platform, is under MIT, BSD, Apache, ISC, or less', () => {
  expect(production.length).toBeGreaterThan(100);
  const others = production
    .filter((one) => !stands(licenceOf(one), one[0]))
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
  expect(stands(licence)).toBe(expected);
});

test('the LGPL is allowed for sharp’s libraries alone', () => {
  expect(stands('LGPL-3.0-or-later', 'node_modules/@img/sharp-libvips-linux-x64')).toBe(true);
  expect(stands('GPL-3.0-or-later', 'node_modules/@img/sharp-libvips-linux-x64')).toBe(false);
  expect(stands('LGPL-3.0-or-later', 'node_modules/canvas')).toBe(false);
});
