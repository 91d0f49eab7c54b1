import { describe } from '@jest/globals';
import { makeManagerPair } from '../../harness/app/manager-pair.ts';
import { makeMariaDbStore } from '../../harness/data/store-template.ts';
import { isExhaustive, sampled } from '../../harness/exhaustive.ts';
import { describeMariaDb } from '../../harness/servers/mariadb.ts';
import { crashDrill } from '../drills/crash-drill.ts';
import { importDrill } from '../drills/import-drill.ts';
import { processUnitsOf } from '../drills/process-units.ts';
import { restoreDrill } from '../drills/restore-drill.ts';
import { upgradeDrill } from '../drills/upgrade-drill.ts';

const environment = { RUNTIME: 'process' };
const makeManager = async (changes?: Record<string, string>) => makeManagerPair(await makeMariaDbStore(), changes);
const common = { environment, unitsOf: processUnitsOf, makeManager };
/** Outside of the exhaustive run: one moment of one of these operations. */
const one = <Name extends string>(name: Name): Name | undefined => (isExhaustive ? undefined : name);

const drills = {
  'a first deployment': () => crashDrill({ of: 'first deployments', only: one('a deployment'), ...common }),
  'a redeployment': () => crashDrill({ of: 'redeployments', only: one('a deployment'), ...common }),
  'an upgrade': () => upgradeDrill({ delaysMs: [80], backDelaysMs: [100], only: one('an upgrade'), ...common }),
  'a restore': () => restoreDrill(makeManager, { only: one('a restore') }),
  'an import': () => importDrill(makeManager, { only: one('an import') }),
};

describeMariaDb('kill -9 of the active manager: the standby goes on', () => {
  for (const [name, drill] of sampled('standby', 1, Object.entries(drills))) describe(name, drill);
});
