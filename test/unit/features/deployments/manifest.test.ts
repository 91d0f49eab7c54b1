import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readManifest } from '../../../../src/features/deployments/manifest.ts';

const good = `version: 1
units:
  api: { start: node api.js, port: 8000, health: /api/health }
  frontend: { start: node frontend.js, port: 3000, health: / }
`;
const manyKeys = (count: number): string => Array.from({ length: count }, (_, at) => `k${at}:\n`).join('');

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tenantry-manifest-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

async function read(text: string) {
  await writeFile(join(directory, 'tenant.yaml'), text);
  return readManifest(directory, 'start');
}

describe('the manifest of a repository', () => {
  test('may say how long its units take to start', async () => {
    expect((await read(`${good}start_timeout: 300\n`)).start_timeout).toBe(300);
    for (const wrong of ['0', '1.5', 'long', '86401'])
      await expect(read(`${good}start_timeout: ${wrong}\n`)).rejects.toThrow('tenant.yaml: start_timeout: ');
  });

  test('is read in a worker thread', async () => {
    let threads = 0;
    const count = (): void => {
      threads += 1;
    };
    subscribe('worker_threads', count);
    try {
      expect((await read(good)).units.api.port).toBe(8_000);
    } finally {
      unsubscribe('worker_threads', count);
    }
    expect(threads).toBe(1);
  });

  test.each([true, false, undefined])('image.read_only: %s reaches the unit', async (readOnly) => {
    const field = readOnly === undefined ? '' : `, read_only: ${readOnly}`;
    const { units } = await read(good.replace('port: 8000', `port: 8000, image: { dockerfile: Dockerfile${field} }`));
    expect(units.api.image).toStrictEqual({
      dockerfile: 'Dockerfile',
      ...(readOnly === undefined ? {} : { read_only: readOnly }),
    });
    expect(units.frontend.image).toBeUndefined();
  });

  test.each(['yes', '"true"', '1', 'null'])('rejects image.read_only: %s, which is not a boolean', async (value) => {
    const text = good.replace('port: 8000', `port: 8000, image: { dockerfile: Dockerfile, read_only: ${value} }`);
    await expect(read(text)).rejects.toThrow(/^tenant\.yaml: units\.api\.image\.read_only: .*boolean/);
  });

  test('rejects one with tens of thousands of keys by its size', async () => {
    await expect(read(manyKeys(33_700))).rejects.toThrow('tenant.yaml: must be at most 32 KiB');
  });

  test('rejects one of the maximum size with only unknown keys, with a short message', async () => {
    const message = await read(manyKeys(4_600)).catch((error: Error) => error.message);
    expect(message).toMatch(/^tenant\.yaml: version: .*Unrecognized keys: "k0", "k1"/);
    expect(String(message).length).toBeLessThan(2_100);
  });

  test.each([
    ['a key that occurs twice', `${good}version: 1\n`, 'tenant.yaml: the key "version" occurs twice in one map'],
    [
      'a key that occurs twice in a flow map',
      `${good}database: { engines: [], "engines": [] }`,
      '"engines" occurs twice',
    ],
    ['broken YAML', 'a: [', /^tenant\.yaml: Flow sequence .* line 1/],
    ['nesting without end', '['.repeat(20_000), /^tenant\.yaml: /],
    [
      'an alias bomb',
      `a: &a [1,1,1,1,1,1,1,1,1]\n${[...'bcdefghij'].map((name, at) => `${name}: &${name} [${Array(9).fill(`*${'abcdefghi'[at]}`)}]\n`).join('')}`,
      'tenant.yaml: Excessive alias count',
    ],
  ])('rejects %s', async (_, text, reason) => {
    await expect(read(text)).rejects.toThrow(reason);
  });
});
