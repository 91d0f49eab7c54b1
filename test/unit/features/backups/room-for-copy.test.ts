import { expect, test } from '@jest/globals';
import type { DatabaseKind } from '../../../../src/adapters/databases/tenant-database.ts';
import { assertRoomForCopy } from '../../../../src/features/backups/archive/disk-space.ts';

const mebibyte = 1024 ** 2;
const database = { check: async () => ({ status: 'healthy' as const, size_mb: 100, connections: 1 }) };
const part = (name: string, mib: number) => ({ name, size: mib * mebibyte, sha256: '' });

/** With so much free on each disk, in MiB. */
const ask = (kind: DatabaseKind, free: number[], parts: ReturnType<typeof part>[] = []) =>
  assertRoomForCopy(
    { freeSpace: async () => free.map((mib, at) => ({ bytes: mib * mebibyte, place: `/disk${at}` })) },
    database,
    kind,
    parts,
  );

test.each([
  ['the database as it is', 'mariadb-container', [115], [], 1],
  ['the unpacked backup, where it is larger', 'mariadb-container', [300], [part('database.sql.gz', 200)], 316],
  ['the files', 'sqlite', [150], [part('files.tar.gz', 20)], 26],
  ['each disk', 'sqlite', [1_000, 100], [], 16],
  [
    'the files alone, with a shared server',
    'mariadb-shared',
    [10],
    [part('database.sql.gz', 200), part('files.tar.gz', 1)],
    9,
  ],
] as const)('asks for room for %s', async (_what, kind, free, parts, missing) => {
  await expect(ask(kind, [...free], [...parts])).rejects.toMatchObject({
    code: 'insufficient_storage',
    message: expect.stringMatching(new RegExp(`in /disk${free.length - 1}: free at least ${missing} MiB more$`)),
  });
  await ask(
    kind,
    free.map((mib, at) => (at === free.length - 1 ? mib + missing : mib)),
    [...parts],
  );
});

test('a runtime that does not know its disks asks for nothing', async () => {
  await ask('sqlite', []);
});
