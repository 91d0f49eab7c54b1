import { expect, test } from '@jest/globals';
import { createFailureStore } from '../../../../src/features/upgrades/store.ts';
import { eachStore } from '../../../harness/servers/mariadb.ts';

const at = (second: number): Date => new Date(Date.UTC(2026, 0, 1, 3, 0, second, 7));

eachStore('versions that failed', (store) => {
  async function addTenant(id: string): Promise<void> {
    await store()
      .sequelize.getQueryInterface()
      .bulkInsert('tenants', [
        {
          id,
          name: id,
          slug: id,
          status: 'running',
          health_status: 'unknown',
          directory: `/data/${id}`,
          created_at: new Date(),
          search_text: id,
        },
      ]);
  }

  test('are listed once for each commit of a tenant, newest first, until the version runs', async () => {
    for (const id of ['one', 'two']) await addTenant(id);
    const failures = createFailureStore(store());
    const failure = { tenantId: 'one', version: 'v1.1.0', commit: 'a', failedAt: at(1), reason: 'Health check: no 🌙' };
    await failures.save(failure);
    await failures.save({ ...failure, commit: 'moved', failedAt: at(2) });
    await failures.save({ ...failure, version: null, commit: 'head', failedAt: at(3) });
    await failures.save({ ...failure, tenantId: 'two' });
    await failures.save({ ...failure, failedAt: at(4), reason: 'again' });
    expect((await failures.of('one')).map(({ commit, reason }) => [commit, reason])).toEqual([
      ['a', 'again'],
      ['head', failure.reason],
      ['moved', failure.reason],
    ]);
    await failures.clear('one', { version: 'v1.1.0', commit: 'moved again' });
    expect(await failures.of('one')).toEqual([{ ...failure, version: null, commit: 'head', failedAt: at(3) }]);
    await failures.clear('one', { version: null, commit: 'another head' });
    expect(await failures.of('one')).toHaveLength(1);
    expect(await failures.of('two')).toEqual([{ ...failure, tenantId: 'two' }]);
  });

  test('are deleted with their tenant', async () => {
    const failures = createFailureStore(store());
    const failure = { tenantId: 'gone', version: null, commit: 'a', failedAt: at(1), reason: 'x' };
    await expect(failures.save(failure)).rejects.toMatchObject({ code: 'not_found' });
  });
});
