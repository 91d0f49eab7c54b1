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

const licenceOf = ([path, { license }]: [string, Package]): string | undefined =>
  license ?? lookedUp[path.replace(/^.*node_modules\//, '')];

/** Of several to choose from one is enough; of several that hold together, all. */
const stands = (licence: string | undefined): boolean =>
  licence
    ?.replaceAll(/[()]/g, '')
    .split(' OR ')
    .some((choice) => choice.split(' AND ').every((one) => allowed.has(one))) ?? false;

test('what is handed on with the manager, on every platform, is under MIT, BSD, Apache, ISC, or less', () => {
  expect(production.length).toBeGreaterThan(100);
  const others = production.filter((one) => !stands(licenceOf(one))).map((one) => `${one[0]}: ${licenceOf(one)}`);
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
