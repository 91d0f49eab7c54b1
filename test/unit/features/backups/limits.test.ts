import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type CreateBackup, createBackupWriter } from '../../../../src/features/backups/archive/create.ts';
import type { BackupsDeps } from '../../../../src/features/backups/backup.ts';
import { createSchedules } from '../../../../src/features/backups/schedule/schedules.ts';
import type { BackupService } from '../../../../src/features/backups/service.ts';
import type { Backup, BackupStore, ScheduleStore } from '../../../../src/features/backups/store.ts';
import type { Tenant } from '../../../../src/features/tenants/tenant.ts';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tenantry-limits-'));
});
afterAll(() => rm(directory, { recursive: true }));

const tenantOf = (id: string): Tenant =>
  ({ id, slug: id, directory, release: { key: 'a', database: null }, deployed: {} }) as unknown as Tenant;

/** Zeros without an end, as a sparse file has them, a mebibyte each 5 ms. */
async function* zeros(signal: AbortSignal): AsyncGenerator<Uint8Array> {
  for (;;) {
    signal.throwIfAborted();
    yield new Uint8Array(1024 ** 2);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** A writer of backups of such files, with these limits. */
function writer(limits: { hours: number; gigabytes: number }) {
  const rows = new Map<string, Partial<Backup>>();
  const messages: string[] = [];
  const store = {
    find: async () => undefined,
    list: async () => ({ items: [] }),
    insert: async (row: Backup) => void rows.set(row.id, row),
    update: async (id: string, changes: Partial<Backup>) => void rows.set(id, { ...rows.get(id), ...changes }),
  } as unknown as BackupStore;
  const create: CreateBackup = createBackupWriter(store, {
    clock: { now: () => new Date() },
    directory,
    databaseFiles: [],
    runtime: { data: { read: (_space: unknown, { signal }: { signal: AbortSignal }) => zeros(signal) } },
    settings: { limits: async () => limits, lossPercent: async () => 0 },
    writeAuditLog: async ({ message }: { message: string }) => void messages.push(message),
    lostData: { assertPresent: async () => undefined },
  } as unknown as BackupsDeps & Parameters<typeof createBackupWriter>[1]);
  const work = { log: () => undefined, signal: new AbortController().signal };
  return {
    rows,
    messages,
    create: (id: string) => create(tenantOf(id), { kind: 'upgrade', createdBy: 'admin' }, work),
  };
}
const leftFiles = async (): Promise<string[]> =>
  (await readdir(directory, { recursive: true })).filter((name) => /\.(tar|gz)$/.test(name));

test('a backup that takes too long is reported, then fails, and leaves no file', async () => {
  const { rows, messages, create } = writer({ hours: 1 / 3600, gigabytes: 500 });
  await expect(create('slow')).rejects.toThrow(/took longer than .* \(setting backup_max_hours\)/);
  expect([...rows.values()]).toMatchObject([{ status: 'failed', error: expect.stringContaining('backup_max_hours') }]);
  expect(messages).toEqual([expect.stringMatching(/^Backup of slow takes more than half/)]);
  expect(await leftFiles()).toEqual([]);
});

test('a backup that reads too much fails without another try, and leaves no file', async () => {
  const { rows, messages, create } = writer({ hours: 1, gigabytes: 0.02 });
  await expect(create('large')).rejects.toThrow(/more to read than 0.02 GB \(setting backup_max_gb\)/);
  expect([...rows.values()]).toMatchObject([{ status: 'failed' }]);
  expect(messages).toEqual([]);
  expect(await leftFiles()).toEqual([]);
});

test('scheduled backups that do not end give their slots to those of other tenants, and are not started twice', async () => {
  const ids = ['endless1', 'endless2', 'endless3', 'good1', 'good2'];
  const started: string[] = [];
  const busy = new Set<string>();
  const service = {
    create: async (id: string) => {
      started.push(id);
      busy.add(id);
      const done = id.startsWith('endless') ? new Promise(() => undefined) : Promise.resolve(busy.delete(id));
      return { done };
    },
  } as unknown as BackupService;
  const due = { cron: '* * * * *', keep: null, countedFrom: new Date(0), retryAt: null, retries: 0 };
  const made = createSchedules(
    {
      rows: { all: async () => [] } as unknown as BackupStore,
      schedules: { find: async () => due, update: async () => undefined } as unknown as ScheduleStore,
      service,
    },
    {
      tenants: {
        async *each() {
          for (const id of ids) yield tenantOf(id);
        },
      },
      engine: { isBusy: (id: string) => busy.has(id) },
      clock: { now: () => new Date() },
      settings: { defaultCron: async () => '', defaultKeep: async () => ({ last: 1 }), keptOfOwnKinds: async () => 1 },
    } as unknown as BackupsDeps,
    50,
  );
  await made.runDue(new AbortController().signal);
  await made.runDue(new AbortController().signal);
  expect(started.filter((id) => id.startsWith('endless')).sort()).toEqual(['endless1', 'endless2', 'endless3']);
  expect(started.filter((id) => id.startsWith('good')).sort()).toEqual(['good1', 'good1', 'good2', 'good2']);
});
