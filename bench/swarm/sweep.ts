import { randomBytes } from 'node:crypto';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import Docker from 'dockerode';
import { label, tenantLabels } from '../../src/adapters/runtimes/engine/labels.ts';
import { type Runtime, type TenantSpace, unitRoles } from '../../src/adapters/runtimes/runtime.ts';
import { createSwarmRuntime } from '../../src/adapters/runtimes/swarm/swarm-runtime.ts';
import { mapConcurrently } from '../../src/lib/concurrency/map-concurrently.ts';
import { createLogger } from '../../src/lib/logger.ts';
import { alternate, type Findings, figures, ratiosOf, type Stage } from '../harness/harness.ts';
import { startEngines } from './engines.ts';

/** Two services each. */
const tenants = 250;
const rounds = 11;
const warmUps = 5;
const atMost = 1.5;
/** Memory is compared after these two sweeps. */
const early = 5;
const late = 50;
const growthAtMost = 1.05;

/** The state of every unit on a swarm, against one bare listing of the same services. */
export async function benchSwarmSweep(stage: Stage): Promise<Findings | { skipped: string }> {
  const engines = await startEngines(stage);
  if (!engines) return { skipped: 'three engines need root and dockerd' };
  const instance = `bench-${randomBytes(6).toString('hex')}`;
  const docker = new Docker({ socketPath: engines.sockets[0] });
  const spaces = Array.from({ length: tenants }, (_, at): TenantSpace => {
    const slug = `sweep-${at}`;
    return { id: `id-${at}`, slug, directory: `/nonexistent/${slug}` };
  });
  await mapConcurrently(spaces, 4, (tenant) => createUnits(docker, instance, tenant));
  stage.say(`${2 * tenants} services created`);

  const runtime = createSwarmRuntime({
    instance,
    logger: createLogger({ level: 'error' }),
    managers: engines.sockets.map((socketPath) => ({ socketPath })),
    storage: engines.storage,
    registry: { address: engines.registry },
  });
  const bare = async (): Promise<void> => {
    const wanted = { filters: { label: [`${label.instance}=${instance}`] }, status: true };
    const found = await docker.listServices(wanted as Parameters<typeof docker.listServices>[0]);
    if (found.length !== 2 * tenants) throw new Error(`${found.length} services instead of ${2 * tenants}`);
  };
  const pairs = await alternate(
    { rounds, warmUps },
    { ours: () => timed(() => sweep(runtime, spaces)), peer: () => timed(bare) },
    (round, { ours, peer }) => stage.say(`${round}: ${ours.toFixed(0)} ms, bare ${peer.toFixed(0)} ms`),
  );

  const held: number[] = [];
  for (let at = 1; at <= late; at += 1) {
    await sweep(runtime, spaces);
    if (at === early || at === late) held.push(heldMiB());
  }
  const [before = Number.NaN, after = Number.NaN] = held;
  return {
    verdicts: [
      { what: `states of ${2 * tenants} services / one listing`, ratios: ratiosOf(pairs), limit: { atMost } },
      { what: `memory held after sweep ${late} / ${early}`, ratios: [after / before], limit: { atMost: growthAtMost } },
    ],
    lines: [
      'services with 0 replicas on a swarm of three managers; the runtime lists services, tasks and nodes, the peer only services',
      ...figures(pairs, 'bare listing', 'ms', 0),
      `heap after a collection: ${before.toFixed(1)} MiB after ${early} sweeps, ${after.toFixed(1)} MiB after ${late}`,
    ],
  };
}

/** As the runtime's own services, without a task. */
async function createUnits(docker: Docker, instance: string, tenant: TenantSpace): Promise<void> {
  for (const role of unitRoles) {
    const labels = {
      ...tenantLabels(instance, tenant),
      [label.role]: role,
      [label.commit]: '0'.repeat(40),
      [label.release]: 'bench',
      [label.slot]: 'live',
      [label.desired]: 'stopped',
    };
    await docker.createService({
      Name: `${tenant.slug}-${role}`,
      Labels: labels,
      TaskTemplate: { ContainerSpec: { Image: 'node:24-bookworm-slim', Labels: labels } },
      Mode: { Replicated: { Replicas: 0 } },
      EndpointSpec: { Mode: 'dnsrr' },
    });
  }
}

async function sweep(runtime: Runtime, spaces: readonly TenantSpace[]): Promise<void> {
  const units = spaces.flatMap((tenant) => unitRoles.map((role) => ({ tenant, role })));
  const states = await Promise.all(units.map((unit) => runtime.inspect(unit)));
  if (states.some(({ commit }) => commit === null)) throw new Error('A unit was not found');
}

async function timed(work: () => Promise<void>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

function heldMiB(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed / 2 ** 20;
}
