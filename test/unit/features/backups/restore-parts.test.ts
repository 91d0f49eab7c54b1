import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import type { BoundDatabase } from '../../../../src/adapters/databases/tenant-database.ts';
import type { Manifest } from '../../../../src/features/backups/archive/manifest.ts';
import { writeArchive } from '../../../../src/features/backups/archive/write-archive.ts';
import { createRestoreParts } from '../../../../src/features/backups/restore/restore-parts.ts';
import type { Backup } from '../../../../src/features/backups/store.ts';
import type { Tenant } from '../../../../src/features/tenants/tenant.ts';

const tenant = (id: string) => ({ id, deployed: { database: 'sqlite' } }) as unknown as Tenant;
const backup = { id: 'b', file: 'one/b.tar', rowCounts: { persons: 1 } } as unknown as Backup;

test('restores a backup into two tenants concurrently, in any order of completion', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'tenantry-restore-parts-'));
  const manifest: Manifest = {
    format: 1,
    id: 'b',
    kind: 'manual',
    tenant: { id: 't', slug: 't' },
    version: null,
    commit: 'c',
    created_at: '',
    engine: 'sqlite',
    row_counts: { persons: 1 },
    parts: [],
  };
  await mkdir(join(directory, 'one'));
  await writeArchive(directory, manifest, join(directory, backup.file), new AbortController().signal);
  const firstIsDone = Promise.withResolvers<void>();
  const bothStarted = Promise.withResolvers<void>();
  let started = 0;
  /** Sets a file aside, as SQLite's load does; the second tenant's after the first has ended. */
  const databaseOf = async ({ id }: Tenant) =>
    ({
      engine: 'sqlite',
      dumpFormat: 'sqlite',
      ensure: async () => undefined,
      async load(_content: unknown, work: { directory: string }) {
        started += 1;
        if (started === 2) bothStarted.resolve();
        await bothStarted.promise;
        if (id === 'second') await firstIsDone.promise;
        await writeFile(join(work.directory, 'copy.db'), id);
      },
      contents: async () => ({ persons: { rows: 1 } }),
    }) as unknown as BoundDatabase;
  const parts = createRestoreParts(
    { remote: { fetchIfMissing: async () => undefined }, scratchDatabases: {} as never },
    { directory, databaseOf, runtime: {} as never },
  );
  const work = { log: () => undefined, signal: new AbortController().signal };
  const second = parts.database(tenant('second'), backup, work);
  await parts.database(tenant('first'), backup, work).then(firstIsDone.resolve);
  await second;
  expect(await readdir(join(directory, '.work'))).toEqual([]);
  await rm(directory, { recursive: true, force: true });
});
