/**
 * Both sides of sweep.ts in one process: the bare loop, and the manager's services on a seeded SQLite store with a stub runtime.
 * Needs --expose-gc; takes commands and returns figures over IPC.
 *
 *   node --expose-gc bench/sweep/worker.ts <data directory>
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent } from 'undici';
import { splitConcurrency } from '../../src/features/health/checks/sweep.ts';
import { composeStubApp } from '../harness/stub-app.ts';

export type Command = 'sweep' | 'bare' | 'heap';

const [data = ''] = process.argv.slice(2);
const { app: services } = await composeStubApp(data);
/** The sweep's concurrency for tenants that answer in time. */
const width = splitConcurrency(await services.settings.read('health_check_concurrency')).quick;

interface Ports {
  frontendPort: number;
  backendPort: number;
}
const tenants: Ports[] = [];
for await (const { frontendPort, backendPort } of services.tenants.each()) tenants.push({ frontendPort, backendPort });

/** The same connection settings as the manager's, so that both sides open equally many. */
const agent = new Agent({ connections: 4, pipelining: 1, keepAliveTimeout: 2_000, keepAliveMaxTimeout: 4_000 });
const connectionsCloseWithinMs = 4_500;

async function bareLoop(): Promise<void> {
  const rest = tenants.values();
  const line = async (): Promise<void> => {
    for (const { frontendPort, backendPort } of rest) {
      await Promise.all([ask(frontendPort, '/'), ask(backendPort, '/api/health'), ask(backendPort, '/docs')]);
    }
  };
  await Promise.all(Array.from({ length: width }, line));
}

async function ask(port: number, path: string): Promise<void> {
  const { statusCode, body } = await agent.request({ origin: `http://127.0.0.1:${port}`, path, method: 'GET' });
  await body.text();
  if (statusCode !== 200) throw new Error(`${port}${path} answered ${statusCode}`);
}

async function sweep(): Promise<void> {
  const checked = await services.health.runSweep();
  if (checked !== tenants.length) throw new Error(`The sweep checked ${checked} of ${tenants.length} tenants`);
  const { byHealth } = await services.tenants.counts();
  if (byHealth.healthy !== tenants.length) throw new Error(`Not all are healthy: ${JSON.stringify(byHealth)}`);
}

/** Both sides start without open connections, as the manager does every minute. */
async function timed(work: () => Promise<void>): Promise<number> {
  await sleep(connectionsCloseWithinMs);
  const began = performance.now();
  await work();
  return performance.now() - began;
}

/** MiB on the heap after a garbage collection, when all connections are closed. */
async function heldMb(): Promise<number> {
  await sleep(connectionsCloseWithinMs);
  for (let times = 0; times < 3; times += 1) globalThis.gc?.();
  return process.memoryUsage().heapUsed / 1024 ** 2;
}

process.on('message', async (command: Command) => {
  const figure = { sweep: () => timed(sweep), bare: () => timed(bareLoop), heap: heldMb }[command];
  process.send?.(await figure());
});
process.once('disconnect', () => process.exit(0));
process.send?.(width);
