import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import { alternate, type Findings, figures, type Pair, ratiosOf, type Stage } from '../harness/harness.ts';
import { answerOf } from '../harness/messages.ts';
import { seedStore } from '../harness/seed.ts';
import type { Command, Cost } from './worker.ts';

const tenants = 1_000;
const rounds = 11;
/** Only warmed-up code counts, as in the benchmark of the sweep. */
const warmUps = 6;
/** Tenants whose API fails: their incidents are diagnosed and announced. */
const ill = 10;
const atMost = 1.25;

/**
 * A health sweep over stub tenants with a history, incidents with their diagnoses, and alerts, against the same sweep without them, in
 * the same process.
 */
export async function benchHistory(stage: Stage): Promise<Findings> {
  const stubs = fork(join(import.meta.dirname, '..', 'sweep', 'tenants.ts'));
  stage.defer(() => stubs.kill());
  stubs.send({ tenants, ill });
  const ports = await answerOf<number[]>(stubs);
  await seedStore(stage.directory, {
    count: tenants,
    ports: (index) => ({ frontend: ports[2 * index] ?? 0, backend: ports[2 * index + 1] ?? 0 }),
    deployed: true,
  });
  const worker = fork(join(import.meta.dirname, 'worker.ts'), [stage.directory]);
  stage.defer(() => worker.kill());
  await answerOf<number>(worker);
  const pairs = await alternate(
    { rounds, warmUps },
    { ours: () => ask(worker, 'with'), peer: () => ask(worker, 'without') },
    (round, { ours, peer }) => stage.say(`${round}: ${ours.ms.toFixed(0)} ms, without ${peer.ms.toFixed(0)} ms`),
  );
  const of = (figure: keyof Cost): Pair<number>[] =>
    pairs.map(({ ours, peer }) => ({ ours: ours[figure], peer: peer[figure] }));
  const hour = await ask(worker, 'hour');
  return {
    verdicts: [
      {
        what: 'time of a sweep with history, diagnoses and alerts / without',
        ratios: ratiosOf(of('ms')),
        limit: { atMost },
      },
      {
        what: 'processor time of a sweep with history, diagnoses and alerts / without',
        ratios: ratiosOf(of('cpuMs')),
        limit: { atMost },
      },
    ],
    lines: [
      `${tenants} tenants, ${ill} of them unhealthy (SQLite); with: figures are kept and journaled, incidents opened, diagnosed and announced, and alerts searched for`,
      ...figures(of('ms'), 'without', 'ms', 0),
      'processor time:',
      ...figures(of('cpuMs'), 'without', 'ms', 0),
      `rolling up a complete hour of ${tenants} tenants, once an hour: ${hour.ms.toFixed(0)} ms, ${hour.cpuMs.toFixed(0)} ms of processor time`,
    ],
  };
}

function ask(worker: ChildProcess, command: Command): Promise<Cost> {
  worker.send(command);
  return answerOf<Cost>(worker);
}
