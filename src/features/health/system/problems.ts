import type { z } from 'zod';
import type { RuntimeNode } from '../../../adapters/runtimes/nodes.ts';
import type { systemProblem } from './schema.ts';
import type { SystemService } from './service.ts';

export type SystemProblem = z.output<typeof systemProblem>;

export interface SystemProblemsDeps {
  system: Pick<SystemService, 'overview' | 'space'>;
  /** The reverse proxy's state; undefined: there is none. */
  proxy(): Promise<{ available: true } | { available: false; reason: string } | undefined>;
  /** Its kind. */
  proxyKind: string;
  /** None where the runtime has one host. */
  nodes(): Promise<Pick<RuntimeNode, 'hostname' | 'state' | 'usage'>[]>;
  /** How many sites at the proxy differ from their expected configuration. */
  driftedSites(): number;
}

/** Below this, the database and the applications soon fail to write. */
const criticalBytes = 128 * 1024 ** 2;

const mebibytes = (bytes: number): string => `${Math.floor(bytes / 1024 ** 2)} MiB`;

/** Lists what is wrong with the manager's dependencies; the worst kind first. */
export function createSystemProblems({ system, proxy, proxyKind, nodes, driftedSites }: SystemProblemsDeps) {
  return async (): Promise<SystemProblem[]> => {
    const [{ runtime, storage, warnings }, space, proxyAnswer, allNodes] = await Promise.all([
      system.overview(),
      system.space(),
      proxy(),
      nodes(),
    ]);
    const problems: SystemProblem[] = [];
    const add = (kind: SystemProblem['kind'], severity: SystemProblem['severity'], cause: string, name = ''): void =>
      void problems.push({ kind, severity, name, cause });

    if (!runtime.available)
      add(
        'engine',
        'error',
        `The engine can’t be reached, so tenants can’t be deployed or started: ${runtime.detail}`,
        runtime.kind,
      );
    for (const { hostname, state } of allNodes)
      if (state === 'down') add('node', 'error', `The node ${hostname} is down.`, hostname);
    for (const { hostname } of storage?.missing ?? [])
      add('node', 'error', `The node ${hostname} lacks the shared storage, so no tenants are started there.`, hostname);
    if (proxyAnswer && !proxyAnswer.available)
      add(
        'proxy',
        'error',
        `The reverse proxy is unavailable, so sites may not be reachable: ${proxyAnswer.reason}`,
        proxyKind,
      );
    const { free_bytes: free, needed_bytes: needed, engine_disks: disks } = space;
    const severityOf = (bytes: number) => (bytes < criticalBytes ? 'error' : 'warning');
    if (free < needed)
      add(
        'disk',
        severityOf(free),
        `Only ${mebibytes(free)} free. Below ${mebibytes(needed)}, deployments are refused. Delete old backups, keep fewer backups and logs, or enlarge the disk.`,
        space.directory,
      );
    const ofNodes = allNodes.flatMap(({ hostname, usage }) =>
      usage?.disk ? [{ place: hostname, free_bytes: usage.disk.freeBytes }] : [],
    );
    for (const { place, free_bytes: bytes } of [...disks, ...ofNodes])
      if (bytes < needed)
        add(
          'disk',
          severityOf(bytes),
          `Only ${mebibytes(bytes)} free at ${place}, where images and volumes are stored. Remove unused images, or enlarge the disk.`,
          place,
        );
    const drifted = driftedSites();
    if (drifted > 0)
      add(
        'site',
        'warning',
        `${drifted === 1 ? '1 site' : `${drifted} sites`} at the reverse proxy differ from the expected configuration.`,
      );
    for (const warning of warnings) add('warning', 'warning', warning);
    return problems;
  };
}
