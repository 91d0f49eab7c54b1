import { expect, test } from '@jest/globals';
import { deploymentsCancelAndRelease } from '../../../../src/adapters/store/migrations/0002-deployments-cancel-and-release.ts';
import type { Store } from '../../../../src/adapters/store/store.ts';
import { createDeploymentStore } from '../../../../src/features/deployments/store.ts';
import { newRecord, type OperationRecord } from '../../../../src/lib/operations/operation.ts';
import { addTenant } from '../../../harness/data/tenant-row.ts';
import { eachStore } from '../../../harness/servers/mariadb.ts';

const unit = { port: 3_000, health: '/' };
const release = (key: string) => ({
  version: null,
  commit: key,
  key,
  checkout: `/${key}`,
  units: { api: unit, frontend: unit },
  database: null,
});

let made = 0;
/** A deployment; each is later than the previous one. */
function deployment(subject: string, key: string | null, status: OperationRecord['status']): OperationRecord {
  made += 1;
  const state = key === null ? {} : { release: release(key) };
  const createdAt = new Date(Date.UTC(2026, 0, 1) + made * 1_000);
  return { ...newRecord({ kind: 'deploy', steps: [] }, { subject, input: {}, state, createdAt }), status };
}

eachStore('deployments in the store', (store) => {
  test('a cancellation request survives later saves of the record', async () => {
    await addTenant(store(), 'cancelled');
    const { journal, find } = createDeploymentStore(store());
    const record = deployment('cancelled', null, 'running');
    await journal.insert(record);
    const at = new Date(Date.UTC(2026, 5, 1, 12, 0, 0, 7));
    await journal.requestCancel(record.id, at);
    // By a step that was saving when the request arrived.
    await journal.save({ ...record, attempts: 1 });
    expect((await journal.unfinished()).find(({ id }) => id === record.id)).toMatchObject({
      attempts: 1,
      cancelRequestedAt: at,
    });
    await journal.save({ ...record, status: 'cancelled' });
    expect((await find(record.id))?.cancelRequestedAt).toEqual(at);
  });

  test('lists releases in use: of unfinished deployments, and the last distinct ones of each tenant', async () => {
    const { journal, releasesInUse } = createDeploymentStore(store());
    for (const id of ['one', 'two']) await addTenant(store(), id);
    const records = [
      ...['a', 'b', 'a', 'c', 'd', 'd'].map((key) => deployment('one', `one-${key}`, 'success')),
      deployment('one', 'one-broken', 'failed'),
      deployment('one', 'one-next', 'queued'),
      deployment('two', 'two-a', 'success'),
      deployment('two', null, 'success'),
      deployment('two', null, 'running'),
    ];
    for (const record of records) await journal.insert(record);
    expect((await releasesInUse(1)).sort()).toEqual(['one-d', 'one-next', 'two-a']);
    expect((await releasesInUse(3)).sort()).toEqual(['one-a', 'one-c', 'one-d', 'one-next', 'two-a']);
    expect((await releasesInUse(9)).sort()).toEqual(['one-a', 'one-b', 'one-c', 'one-d', 'one-next', 'two-a']);
  });

  test('finds a deployment older than the release column', async () => {
    await addTenant(store(), 'old');
    const { journal, releasesInUse } = createDeploymentStore(store());
    const record = deployment('old', 'old-a', 'success');
    await journal.insert(record);
    await store().sequelize.query(`UPDATE deployments SET release_key = NULL WHERE id = '${record.id}'`);
    expect(await releasesInUse(1)).not.toContain('old-a');
    await deploymentsCancelAndRelease.up(store().sequelize.getQueryInterface());
    expect(await releasesInUse(1)).toContain('old-a');
  });

  test('are found in an index, without reading the row contents', async () => {
    const sqlite = store().sequelize.getDialect() === 'sqlite';
    let plan: Record<string, unknown>[] = [];
    const explaining: Store = {
      ...store(),
      async select(sql, values) {
        plan = await store().select(`${sqlite ? 'EXPLAIN QUERY PLAN' : 'EXPLAIN'} ${sql}`, values);
        return [];
      },
    };
    await createDeploymentStore(explaining).releasesInUse(4);
    const ofTable = plan.filter((row) =>
      sqlite ? /deployments/.test(String(row.detail)) : row.table === 'deployments',
    );
    expect(ofTable).toHaveLength(2);
    for (const row of ofTable)
      expect(JSON.stringify(row)).toMatch(sqlite ? /COVERING INDEX/ : /Using (where; Using )?index/);
  });
});
