import { createProcessRuntime } from '../../src/adapters/runtimes/recorded/process/process-runtime.ts';
import type { JobSpec, UnitSpec } from '../../src/adapters/runtimes/runtime.ts';
import { createLogger } from '../../src/lib/logger.ts';
import { patienceMs } from '../harness/patience.ts';

/**
 * A manager in a separate process, to be killed: opens the runtime, activates the given versions one after the other
 * (repeatedly with `forever`), runs the job if there is one, and stays.
 */
export interface ManagerOrders {
  directory: string;
  importRoot: string;
  /** Each a version: both units' specifications. */
  versions: UnitSpec[][];
  forever: boolean;
  job?: { spec: JobSpec; command: string };
}

const orders = JSON.parse(process.argv[2] ?? '') as ManagerOrders;
const { directory, importRoot } = orders;
const logger = createLogger({ level: 'fatal' });
const runtime = createProcessRuntime({ directory, importRoot, managerEnvironment: process.env, logger });
const work = { log: () => undefined, signal: new AbortController().signal };

await runtime.open();
do {
  for (const [at, version] of orders.versions.entries()) {
    const [tenant] = version.map((spec) => spec.tenant);
    if (!tenant) continue;
    for (const spec of version) await runtime.stage(spec, work);
    await runtime.activate(tenant, work);
    if (at % 2 === 0) await runtime.commit(tenant);
    else await runtime.rollback(tenant, work);
  }
  console.log('placed');
} while (orders.forever);
if (orders.job) {
  const { spec, command } = orders.job;
  const telling = { ...work, log: (line: string) => console.log(line) };
  await runtime.runJob(spec, telling, (run) => run(command, { timeoutMs: patienceMs }));
}
setInterval(() => undefined, 60_000);
