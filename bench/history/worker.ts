/**
 * Both sides of history.ts in one process: the manager's services on a seeded SQLite store with a stub runtime. Takes commands and returns
 * figures over IPC.
 *
 *   node bench/history/worker.ts <data directory>
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { composeIncidents } from '../../src/app/composition/monitoring/incidents.ts';
import { composeSystem } from '../../src/app/composition/monitoring/system.ts';
import { createRecorder } from '../../src/features/history/recorder.ts';
import { figuresOf } from '../../src/features/history/sampling/checks.ts';
import { createHistoryStore } from '../../src/features/history/store.ts';
import { composeStubApp } from '../harness/stub-app.ts';

export type Command = 'with' | 'without' | 'hour';
/** Elapsed and processor time. */
export interface Cost {
  ms: number;
  cpuMs: number;
}

const [data = ''] = process.argv.slice(2);
const { app, store, config, logger } = await composeStubApp(data);
let keeps = false;
const hasStandby = async () => undefined;
const system = composeSystem({ config, app, store, origin: undefined, logger, version: 'bench', hasStandby });
const onCheck: typeof app.health.onCheck = (take) =>
  app.health.onCheck((...check) => {
    if (keeps) take(...check);
  });
const health = { ...app.health, onCheck };
const { incidents, alertSources } = composeIncidents({ app: { ...app, health }, store, system, logger });
await incidents.open();
await alertSources.open();
app.health.onReport((tenant, report, started) => {
  if (keeps) app.history.record(tenant, report, started);
});
const ids: string[] = [];
for await (const { id } of app.tenants.each()) ids.push(id);
const connectionsCloseWithinMs = 4_500;

/** A sweep and, with a history, the journal of its figures, the incidents and all alerts. */
async function sweep(withHistory: boolean): Promise<void> {
  keeps = withHistory;
  const checked = await app.health.runSweep();
  if (withHistory) {
    await incidents.settled();
    await incidents.checkSystem();
    await incidents.announceDue();
    await alertSources.reportEvents();
    await alertSources.reportConditions();
    await app.history.save();
  }
  if (checked !== ids.length) throw new Error(`The sweep checked ${checked} of ${ids.length} tenants`);
}

async function costOf(work: () => Promise<void>): Promise<Cost> {
  const [began, before] = [performance.now(), process.cpuUsage()];
  await work();
  const { user, system } = process.cpuUsage(before);
  return { ms: performance.now() - began, cpuMs: (user + system) / 1_000 };
}

/** Both sides start without open connections, as the manager does every minute. */
async function sweepCost(withHistory: boolean): Promise<Cost> {
  await sleep(connectionsCloseWithinMs);
  return costOf(() => sweep(withHistory));
}

async function rollUpAnHour(): Promise<Cost> {
  let now = Date.UTC(2026, 0, 1);
  const recorder = createRecorder(createHistoryStore(store), { now: () => new Date(now) });
  const report = await app.health.last(ids[0] ?? '');
  for (let minute = 0; minute < 60; minute += 1)
    for (const id of ids) recorder.add({ kind: 'tenant', id }, new Date(now + minute * 60_000), figuresOf(report));
  await recorder.journal();
  now += 62 * 60_000;
  return costOf(() => recorder.save());
}

process.on('message', async (command: Command) => {
  const work = { with: () => sweepCost(true), without: () => sweepCost(false), hour: rollUpAnHour };
  process.send?.(await work[command]());
});
process.once('disconnect', () => process.exit(0));
process.send?.(ids.length);
