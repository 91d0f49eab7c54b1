import { afterAll, beforeAll, describe } from '@jest/globals';
import { makeManagerPair } from '../../harness/app/manager-pair.ts';
import { describeMariaDb } from '../../harness/servers/mariadb.ts';
import { type MariaDb, startMariaDb } from '../../harness/servers/mariadb-server.ts';
import { crashDrill } from '../drills/crash-drill.ts';
import { importDrill } from '../drills/import-drill.ts';
import { processUnitsOf } from '../drills/process-units.ts';
import { restoreDrill } from '../drills/restore-drill.ts';
import { upgradeDrill } from '../drills/upgrade-drill.ts';

describeMariaDb('kill -9 of the active manager: the standby goes on', () => {
  let server: MariaDb;
  beforeAll(async () => {
    server = await startMariaDb();
  });
  afterAll(() => server.stop());

  const makeManager = async (environment?: Record<string, string>) =>
    makeManagerPair(await server.newDatabase(), environment);
  const environment = { RUNTIME: 'process' };

  describe('a first deployment', () =>
    crashDrill({ of: 'first deployments', environment, unitsOf: processUnitsOf, makeManager }));
  describe('a redeployment', () =>
    crashDrill({ of: 'redeployments', environment, unitsOf: processUnitsOf, makeManager }));
  describe('an upgrade', () =>
    upgradeDrill({ environment, delaysMs: [80], backDelaysMs: [100], unitsOf: processUnitsOf, makeManager }));
  describe('a restore', () => restoreDrill(makeManager));
  describe('an import', () => importDrill(makeManager));
});
