import { expect, test } from '@jest/globals';
import { type Backup, createBackupStore } from '../../../../src/features/backups/store.ts';
import { newId } from '../../../../src/lib/ids.ts';
import { addTenant } from '../../../harness/data/tenant-row.ts';
import { eachStore } from '../../../harness/servers/mariadb.ts';

eachStore('backups', (store) => {
  test('the last complete backup of each tenant', async () => {
    const backups = createBackupStore(store());
    const add = (tenantId: string, status: Backup['status'], createdAt: string) =>
      backups.insert({
        id: newId(),
        tenantId,
        kind: 'manual',
        status,
        version: null,
        commit: 'c',
        engine: null,
        file: 'f',
        sizeBytes: null,
        sha256: null,
        rowCounts: null,
        uncovered: null,
        loss: null,
        durationMs: null,
        createdBy: 'ada',
        createdAt: new Date(createdAt),
        verifiedAt: null,
        drill: null,
        error: null,
        remoteState: null,
        remoteKey: null,
        remotePlace: null,
        remoteError: null,
        remoteTries: null,
        remoteTriedAt: null,
      });
    const [one, two, none] = [newId(), newId(), newId()];
    for (const id of [one, two, none]) await addTenant(store(), id);
    await add(one, 'complete', '2026-11-20T10:00:00.123Z');
    await add(one, 'complete', '2026-11-19T10:00:00Z');
    await add(one, 'failed', '2026-11-21T10:00:00Z');
    await add(two, 'complete', '2026-11-18T23:59:59Z');
    await add(none, 'failed', '2026-11-18T23:59:59Z');
    expect([...(await backups.lastOf([one, none]))]).toEqual([[one, new Date('2026-11-20T10:00:00.123Z')]]);
    expect((await backups.lastOf([one, two, none])).get(two)).toEqual(new Date('2026-11-18T23:59:59Z'));
    expect(await backups.lastOf([])).toEqual(new Map());
  });
});
