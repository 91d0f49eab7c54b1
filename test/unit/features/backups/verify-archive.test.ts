import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { pack } from 'tar-stream';
import { type Manifest, type Part, partNames } from '../../../../src/features/backups/archive/manifest.ts';
import { verifyArchive } from '../../../../src/features/backups/archive/read-archive.ts';
import { writeArchive, writePart, writePlainPart } from '../../../../src/features/backups/archive/write-archive.ts';

const { signal } = new AbortController();
let directory: string;
let parts: Part[];
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tenantry-archive-'));
  const page = async function* (): AsyncGenerator<Uint8Array> {
    yield Buffer.concat([Buffer.from('SQLite format 3\0'), Buffer.alloc(4_080)]);
  };
  parts = [
    await writePlainPart(directory, partNames.environment, Buffer.from('NODE_ENV=production\n')),
    await writePart(directory, partNames.sqlite, page(), signal),
  ];
});
afterEach(() => rm(directory, { recursive: true, force: true }));

/** A backup of the tenant with these parts in its file, and what the catalogue knows of it. */
async function write(id: string, contained = parts) {
  const manifest: Manifest = {
    format: 1,
    id,
    kind: 'manual',
    tenant: { id: 't1', slug: 'acme' },
    version: 'v1.0.0',
    commit: 'c',
    created_at: '2026-11-28T00:00:00.000Z',
    engine: 'sqlite',
    row_counts: null,
    parts: contained,
  };
  const path = join(directory, `${id}.tar`);
  const { size, sha256 } = await writeArchive(directory, manifest, path, signal);
  return { path, manifest, expected: { id, sizeBytes: size, sha256 } };
}

test('a whole backup is verified', async () => {
  const { path, manifest, expected } = await write('b1');
  expect(await verifyArchive(path, expected, signal)).toEqual(manifest);
});

test('every changed byte is found, also where the parts and the manifest are unchanged', async () => {
  const { path, expected } = await write('b1');
  const whole = await readFile(path);
  for (let at = 0; at < whole.length; at += 61) {
    const damaged = Buffer.from(whole);
    damaged[at] = (damaged[at] ?? 0) ^ 0x20;
    await writeFile(path, damaged);
    await expect(verifyArchive(path, expected, signal)).rejects.toMatchObject({ name: 'DamagedBackup' });
  }
});

test('the file of another backup, of the same size, is found', async () => {
  const [one, other] = [await write('b1'), await write('b2')];
  expect(other.expected.sizeBytes).toBe(one.expected.sizeBytes);
  await expect(verifyArchive(other.path, one.expected, signal)).rejects.toThrow(/SHA-256 does not match/);
});

test('a part that the manifest lists and the file lacks is found', async () => {
  const { path, manifest } = await write('b1');
  const archive = pack();
  archive.entry({ name: 'manifest.json' }, JSON.stringify(manifest));
  archive.entry({ name: partNames.environment }, await readFile(join(directory, partNames.environment)));
  archive.finalize();
  const content = Buffer.concat(await Readable.from(archive).toArray());
  await writeFile(path, content);
  // A writer that lost a part: the catalogue knows this very file.
  const expected = { id: 'b1', sizeBytes: content.length, sha256: createHash('sha256').update(content).digest('hex') };
  await expect(verifyArchive(path, expected, signal)).rejects.toThrow(`The backup lacks ${partNames.sqlite}`);
});
