import { createSystemdRuntime } from '../../../../src/adapters/runtimes/recorded/systemd/systemd-runtime.ts';
import type { UnitSpec } from '../../../../src/adapters/runtimes/runtime.ts';
import { createLogger } from '../../../../src/lib/logger.ts';

/** A manager in a separate process, to be killed: activates the given versions one after the other, endlessly. */
export interface ManagerOrders {
  instance: string;
  directory: string;
  /** Each a version: both units' specifications. */
  versions: UnitSpec[][];
}

const { versions, ...place } = JSON.parse(process.argv[2] ?? '') as ManagerOrders;
const logger = createLogger({ level: 'fatal' });
const runtime = createSystemdRuntime({ ...place, managerEnvironment: process.env, logger });
const work = { log: () => undefined, signal: new AbortController().signal };

await runtime.open();
console.log('open');
for (let round = 0; ; round += 1) {
  for (const [at, version] of versions.entries()) {
    const [tenant] = version.map((spec) => spec.tenant);
    if (!tenant) throw new Error('A version of no tenant');
    for (const spec of version) await runtime.stage(spec, work);
    await runtime.activate(tenant, work);
    if ((at + round) % 3 === 0) await runtime.rollback(tenant, work);
    else await runtime.commit(tenant);
  }
}
