import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect } from '@jest/globals';
import { type ManagerPair, makeManagerPair } from '../../harness/app/manager-pair.ts';
import { makeMariaDbStore } from '../../harness/data/store-template.ts';
import { until } from '../../harness/data/tenants.ts';
import { sampled } from '../../harness/exhaustive.ts';
import { describeMariaDb } from '../../harness/servers/mariadb.ts';
import { crashDrill } from '../drills/crash-drill.ts';
import { importDrill } from '../drills/import-drill.ts';
import { processUnitsOf } from '../drills/process-units.ts';
import { restoreDrill } from '../drills/restore-drill.ts';
import { contentOf, runningOperations } from './content.ts';

const environment = { RUNTIME: 'process' };
const makeManager = async () => makeFrozenPair(await makeMariaDbStore(), environment);
const unitsOf = processUnitsOf;

/** Outside of the exhaustive run: one of them. */
const drills = {
  'a first deployment': () =>
    crashDrill({ of: 'first deployments', environment, unitsOf, makeManager, only: 'a deployment' }),
  'a restore': () => restoreDrill(makeManager, { only: 'a restore' }),
  'an import': () => importDrill(makeManager, { only: 'an import' }),
};

describeMariaDb(
  'the active manager is frozen: the standby goes on; the frozen one goes on too late, and changes nothing',
  () => {
    for (const [name, drill] of sampled('frozen', 1, Object.entries(drills))) describe(name, drill);
  },
);

/** Two managers: `kill` freezes the active one; `start` waits until the other one has ended the work, and lets the frozen one go on. */
async function makeFrozenPair(databaseUrl: string, environment: Record<string, string>): Promise<ManagerPair> {
  const pair = await makeManagerPair(databaseUrl, environment);
  const startBoth = pair.start;
  pair.kill = () => pair.suspend();
  pair.start = async () => {
    await startBoth();
    pair.start = goOn;
  };

  /** The active manager tidies up for a moment after an operation. */
  async function contentAtRest(): Promise<unknown> {
    for (let last = await contentOf(databaseUrl, pair.directory); ; ) {
      await sleep(1_000);
      const now = await contentOf(databaseUrl, pair.directory);
      if (isDeepStrictEqual(now, last)) return now;
      last = now;
    }
  }

  async function goOn(): Promise<void> {
    const frozen = pair.active;
    await pair.takeOver();
    await until(
      () => runningOperations(databaseUrl),
      (count) => count === 0,
    );
    const before = await contentAtRest();
    frozen.resume();
    expect(await frozen.ended()).toBe(1);
    expect(await contentOf(databaseUrl, pair.directory)).toEqual(before);
    await frozen.launch();
  }
  return pair;
}
