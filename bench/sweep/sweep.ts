import { fork } from 'node:child_process';
import { join } from 'node:path';
import { alternate, type Findings, figures, ratiosOf, type Stage } from '../harness/harness.ts';
import { answerOf } from '../harness/messages.ts';
import { seedStore } from '../harness/seed.ts';
import type { Command } from './worker.ts';

const tenants = 1_000;
const rounds = 11;
/** A manager sweeps every minute for weeks, so only warmed-up code counts. Both sides are warm after about ten rounds. */
const warmUps = 10;
const atMost = 1.5;
/** Memory is compared after these two sweeps. Memory that grows with each sweep would grow fourfold. */
const early = 5;
const late = 20;
const growthAtMost = 1.05;

/**
 * A health sweep over stub tenants, against a bare undici loop of the same requests with the same concurrency: three quarters of
 * `health_check_concurrency`, the sweep's limit for tenants that answer in time.
 */
export async function benchSweep(stage: Stage): Promise<Findings> {
  const stubs = fork(join(import.meta.dirname, 'tenants.ts'));
  stage.defer(() => stubs.kill());
  stubs.send({ tenants });
  const ports = await answerOf<number[]>(stubs);
  await seedStore(stage.directory, {
    count: tenants,
    ports: (index) => ({ frontend: ports[2 * index] ?? 0, backend: ports[2 * index + 1] ?? 0 }),
    deployed: true,
  });

  const { ask, width } = await startWorker(stage);
  const pairs = await alternate(
    { rounds, warmUps },
    { ours: () => ask('sweep'), peer: () => ask('bare') },
    (round, { ours, peer }) => stage.say(`${round}: ${ours.toFixed(0)} ms, bare ${peer.toFixed(0)} ms`),
  );

  const held: number[] = [];
  const fresh = await startWorker(stage);
  for (let sweep = 1; sweep <= late; sweep += 1) {
    await fresh.ask('sweep');
    if (sweep === early || sweep === late) held.push(await fresh.ask('heap'));
  }
  const [before = Number.NaN, after = Number.NaN] = held;
  return {
    verdicts: [
      { what: 'time of a sweep', ratios: ratiosOf(pairs), limit: { atMost } },
      { what: `memory held after sweep ${late} / ${early}`, ratios: [after / before], limit: { atMost: growthAtMost } },
    ],
    lines: [
      `${tenants} tenants at ${2 * tenants} addresses, three requests each; both sides ${width} tenants, ${3 * width} requests at a time`,
      'the sweep also reads and writes the tenants (SQLite)',
      ...figures(pairs, 'bare loop', 'ms', 0),
      `heap after a collection: ${before.toFixed(1)} MiB after ${early} sweeps, ${after.toFixed(1)} MiB after ${late}`,
    ],
  };
}

async function startWorker(stage: Stage): Promise<{ width: number; ask(command: Command): Promise<number> }> {
  const worker = fork(join(import.meta.dirname, 'worker.ts'), [stage.directory], { execArgv: ['--expose-gc'] });
  stage.defer(() => worker.kill());
  return {
    width: await answerOf<number>(worker),
    ask(command) {
      worker.send(command);
      return answerOf<number>(worker);
    },
  };
}
