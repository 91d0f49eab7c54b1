import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { alternate, type Findings, figures, ratiosOf, type Stage } from '../harness/harness.ts';
import { residentMb, type Server, startManager, startServer } from '../harness/manager.ts';
import { seedStore } from '../harness/seed.ts';

const rounds = 5;
const idleSeconds = 10;

interface Rest {
  readyAfterMs: number;
  residentMb: number;
}

/** Memory and start time of an idle manager, against only Express and Sequelize on the same store. */
export async function benchIdle(stage: Stage): Promise<Findings> {
  const data = join(stage.directory, 'data');
  const store = await seedStore(data, { count: 0, ports: () => ({ frontend: 0, backend: 0 }), deployed: false });
  const pairs = await alternate<Rest>(
    { rounds },
    {
      ours: async () => atRest(await startManager(stage, data)),
      peer: async () => atRest(await startServer(stage, ['bench/harness/bare-server.ts'], { STORE: store })),
    },
    (round, { ours, peer }) =>
      stage.say(`${round}: ${ours.residentMb.toFixed(0)} MiB, bare ${peer.residentMb.toFixed(0)} MiB`),
  );
  const memory = pairs.map(({ ours, peer }) => ({ ours: ours.residentMb, peer: peer.residentMb }));
  const start = pairs.map(({ ours, peer }) => ({ ours: ours.readyAfterMs, peer: peer.readyAfterMs }));
  return {
    verdicts: [
      { what: 'resident memory at rest', ratios: ratiosOf(memory) },
      { what: 'start to /readyz', ratios: ratiosOf(start) },
    ],
    lines: [
      `runtime process, SQLite, no tenants, not the first start; resident memory ${idleSeconds} s after /readyz answered`,
      'resident memory',
      ...figures(memory, 'bare Express', 'MiB'),
      'start',
      ...figures(start, 'bare Express', 'ms', 0),
    ],
  };
}

async function atRest(server: Server): Promise<Rest> {
  await sleep(idleSeconds * 1000);
  const rest = { readyAfterMs: server.readyAfterMs, residentMb: await residentMb(server.pid) };
  await server.stop();
  return rest;
}
