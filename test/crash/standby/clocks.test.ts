import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import { type ManagerPair, makeManagerPair, readiness } from '../../harness/app/manager-pair.ts';
import { makeFixtureRepository } from '../../harness/data/fixture-repository.ts';
import { makeMariaDbStore } from '../../harness/data/store-template.ts';
import { type TenantAnswer, until } from '../../harness/data/tenants.ts';
import { sampled } from '../../harness/exhaustive.ts';
import { describeMariaDb } from '../../harness/servers/mariadb.ts';
import { deployAndKill, endOfDeployment } from '../drills/kill-in-step.ts';
import { processUnitsOf } from '../drills/process-units.ts';
import { expectUnits } from '../drills/tenant-state.ts';

const library = '/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1';
const renewals = 3;

describeMariaDb('managers of which one has a wrong clock', () => {
  if (!existsSync(library) && process.env.CI !== 'true') {
    test.skip('skipped: libfaketime is not installed (Debian: apt-get install libfaketime)', () => undefined);
    return;
  }
  let managers: ManagerPair;
  afterEach(() => managers.remove());

  describe.each(sampled('clocks', 1, ['+3600s', '-3600s']))('the standby’s clock is off by %s', (shift) => {
    test('it waits while the active one renews; takes over after kill -9, finishes the work, and knows the sign-in', async () => {
      const databaseUrl = await makeMariaDbStore();
      managers = await makeManagerPair(
        databaseUrl,
        { RUNTIME: 'process' },
        { LD_PRELOAD: library, FAKETIME: shift, FAKETIME_DONT_FAKE_MONOTONIC: '1' },
      );
      await managers.start();
      const clockOf = async ({ url }: { url: string }) => Date.parse((await fetch(url)).headers.get('date') ?? '');
      const ahead = (await clockOf(managers.standby)) - (await clockOf(managers.active));
      expect(Math.round(ahead / 60_000)).toBe(Number.parseInt(shift, 10) / 60);

      const seen = new Set<string>();
      await until(
        async () => seen.add(await expiryOf(databaseUrl)).size,
        (size) => size > renewals,
      );
      expect([await readiness(managers.active.url), await readiness(managers.standby.url)]).toEqual([200, 503]);

      const repository = await makeFixtureRepository(join(managers.directory, 'repository'));
      const commit = await repository.release('v2.0.0', { 'NEWS.md': 'Version 2.0.0\n' });
      const names = {
        name: 'Clocks',
        slug: 'clocks',
        domain: 'clocks.example.org',
        api_domain: 'api.clocks.example.org',
      };
      const made = await managers.call<TenantAnswer>('POST', '/api/tenants', {
        body: { ...names, git_repo: repository.path },
      });
      const { token } = managers.active;
      const id = await deployAndKill(managers, made.body.id, { version: 'v2.0.0', step: 'Start services', delayMs: 0 });
      await managers.takeOver();
      const { status } = await endOfDeployment(managers, id);
      await expectUnits(managers, made.body, status === 'success' ? commit : null, processUnitsOf);
      const answer = await fetch(`${managers.url}/api/auth/me`, { headers: { authorization: `Bearer ${token}` } });
      expect([answer.status, await answer.json()]).toMatchObject([200, { username: 'admin' }]);
      expect((await managers.call('DELETE', `/api/tenants/${made.body.id}?remove_files=true`)).status).toBe(200);
    });
  });
});

/** When the lease of the active manager ends, by the database's clock. */
async function expiryOf(url: string): Promise<string> {
  const connection = await createConnection(url);
  try {
    const [rows] = await connection.query<RowDataPacket[]>('SELECT expires_at FROM manager_lease');
    return String(rows[0]?.expires_at);
  } finally {
    await connection.end();
  }
}
