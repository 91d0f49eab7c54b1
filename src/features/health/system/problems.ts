import type { z } from 'zod';
import type { systemProblem } from './schema.ts';
import type { SystemService } from './service.ts';

export type SystemProblem = z.output<typeof systemProblem>;

export interface SystemProblemsDeps {
  system: Pick<SystemService, 'overview' | 'space'>;
  /** The reverse proxy's state; undefined: there is none. */
  proxy(): Promise<{ available: true } | { available: false; reason: string } | undefined>;
  /** Its kind. */
  proxyKind: string;
  /** Host names of the nodes that don't answer. */
  lostNodes(): Promise<string[]>;
  /** How many sites at the proxy differ from their expected configuration. */
  driftedSites(): number;
}

/** Below this, the database and the applications soon fail to write. */
const criticalBytes = 128 * 1024 ** 2;

const mebibytes = (bytes: number): string => `${Math.floor(bytes / 1024 ** 2)} MiB`;

/** Lists what is wrong with the manager's dependencies; the worst kind first. */
export function createSystemProblems({ system, proxy, proxyKind, lostNodes, driftedSites }: SystemProblemsDeps) {
  return async (): Promise<SystemProblem[]> => {
    const [{ runtime, storage, warnings }, space, proxyAnswer, lost] = await Promise.all([
      system.overview(),
      system.space(),
      proxy(),
      lostNodes(),
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
    for (const hostname of lost) add('node', 'error', `The node ${hostname} is down.`, hostname);
    for (const { hostname } of storage?.missing ?? [])
      add('node', 'error', `The node ${hostname} lacks the shared storage, so no tenants are started there.`, hostname);
    if (proxyAnswer && !proxyAnswer.available)
      add(
        'proxy',
        'error',
        `The reverse proxy is unavailable, so sites may not be reachable: ${proxyAnswer.reason}`,
        proxyKind,
      );
    const { free_bytes: free, needed_bytes: needed, engine } = space;
    const severityOf = (bytes: number) => (bytes < criticalBytes ? 'error' : 'warning');
    if (free < needed)
      add(
        'disk',
        severityOf(free),
        `Only ${mebibytes(free)} free. Below ${mebibytes(needed)}, deployments are refused. Delete old backups, keep fewer backups and logs, or enlarge the disk.`,
        space.directory,
      );
    if (engine && engine.free_bytes < needed)
      add(
        'disk',
        severityOf(engine.free_bytes),
        `Only ${mebibytes(engine.free_bytes)} free at ${engine.place}, where images and volumes are stored. Remove unused images, or enlarge the disk.`,
        engine.place,
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
