import { expect, test } from '@jest/globals';
import type { Store } from '../../../../src/adapters/store/store.ts';
import { createDeploymentStore, type DeploymentStore } from '../../../../src/features/deployments/store.ts';
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

  test('lists of each tenant and kind the last operation that succeeded or failed', async () => {
    const { journal, lastOutcomes } = createDeploymentStore(store());
    for (const id of ['three', 'four', 'none']) await addTenant(store(), id);
    const make = (subject: string, kind: string, status: OperationRecord['status']) => ({
      ...deployment(subject, null, status),
      kind,
      error: status === 'failed' ? { step: 'Copy files', message: 'no space left' } : null,
    });
    const records = [
      make('three', 'deploy', 'failed'),
      make('three', 'deploy', 'success'),
      make('three', 'deploy', 'cancelled'),
      make('three', 'backup', 'success'),
      make('three', 'backup', 'failed'),
      make('three', 'backup', 'running'),
      make('three', 'restore', 'failed'),
      make('four', 'upgrade', 'failed'),
    ];
    for (const record of records) await journal.insert(record);
    const found = (await lastOutcomes(['deploy', 'upgrade', 'backup'])).filter(({ subject }) =>
      ['three', 'four', 'none'].includes(subject),
    );
    const expected = [1, 4, 7].map((at) => {
      const { id, subject, kind, status, error, createdAt, finishedAt } = records[at] as OperationRecord;
      return { id, subject, kind, status, error, createdAt, finishedAt };
    });
    expect(found.sort((one, other) => one.createdAt.getTime() - other.createdAt.getTime())).toEqual(expected);
  });

  /** The rows of the query plan. */
  async function planOf(query: (explaining: DeploymentStore) => Promise<unknown>): Promise<Record<string, unknown>[]> {
    let plan: Record<string, unknown>[] = [];
    const explaining: Store = {
      ...store(),
      async select(sql, values) {
        plan = await store().select(`${isSqlite() ? 'EXPLAIN QUERY PLAN' : 'EXPLAIN'} ${sql}`, values);
        return [];
      },
    };
    await query(createDeploymentStore(explaining));
    return plan;
  }
  const isSqlite = () => store().sequelize.getDialect() === 'sqlite';

  test('the last operations of each tenant are found by an index', async () => {
    const plan = await planOf(({ lastOutcomes }) => lastOutcomes(['deploy', 'backup']));
    const ofTable = plan.filter((row) =>
      isSqlite()
        ? /deployments|latest|TEMP B-TREE/.test(String(row.detail))
        : ['deployments', 'latest'].includes(String(row.table)),
    );
    const text = JSON.stringify(ofTable);
    expect(text).toContain('deployments_kind_tenant_id_created_at');
    expect(text).not.toMatch(/filesort|"type":"ALL"|SCAN|TEMP/);
  });

  test('releases in use are found in an index, without reading the row contents', async () => {
    const sqlite = isSqlite();
    const ofTable = (await planOf(({ releasesInUse }) => releasesInUse(4))).filter((row) =>
      sqlite ? /deployments/.test(String(row.detail)) : row.table === 'deployments',
    );
    expect(ofTable).toHaveLength(2);
    for (const row of ofTable)
      expect(JSON.stringify(row)).toMatch(sqlite ? /COVERING INDEX/ : /Using (where; Using )?index/);
  });
});
