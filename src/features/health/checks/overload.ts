import { readFileSync } from 'node:fs';
import type { FoundCause } from '../../../lib/errors.ts';

/** Each resource's share of a time in percent, from which the machine counts as overloaded, and which tasks waited: some or all. */
const limits = { cpu: [60, 'some'], io: [40, 'full'], memory: [20, 'full'] } as const;
type Resource = keyof typeof limits;
const resources: readonly Resource[] = ['cpu', 'io', 'memory'];

/** For how long tasks of the machine have waited for a resource since its start, in µs; undefined: unknown. */
export type ReadWaited = (resource: Resource, tasks: 'some' | 'full') => number | undefined;

/** From the kernel's pressure stall information (Linux 4.20 and newer); in a container they are the host's. */
const readPressure: ReadWaited = (resource, tasks) => {
  try {
    const lines = readFileSync(`/proc/pressure/${resource}`, 'utf8').split('\n');
    const [, total] = lines.find((line) => line.startsWith(tasks))?.split('total=') ?? [];
    return total === undefined ? undefined : Number(total);
  } catch {
    return undefined;
  }
};

/** Starts to watch this machine's load. @returns a function for the end: the cause if the machine was overloaded until then */
export function watchOverload(read = readPressure): () => FoundCause | undefined {
  const startedAt = performance.now();
  const waited = () => resources.map((resource) => read(resource, limits[resource][1]));
  const before = waited();
  return () => {
    const elapsed = (performance.now() - startedAt) * 1_000;
    const after = waited();
    const shares = resources.map((_, index) => {
      const [from, to] = [before[index], after[index]];
      return from === undefined || to === undefined ? 0 : Math.min(100, Math.round(((to - from) / elapsed) * 100));
    });
    if (resources.every((resource, index) => (shares[index] ?? 0) < limits[resource][0])) return undefined;
    const [cpu, io, memory] = shares.map(String) as [string, string, string];
    return {
      code: 'machine_overloaded',
      title: `The machine was overloaded: tasks waited for a processor ${cpu} %, for the disk ${io} % and for memory ${memory} % of the time`,
      remedy: 'Give the machine more room, or raise start_timeout in tenant.yaml',
      params: { cpu, io, memory },
    };
  };
}
