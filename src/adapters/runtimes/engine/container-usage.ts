import type Docker from 'dockerode';
import type { ContainerStats } from 'dockerode';
import type { UnitUsage } from '../runtime.ts';
import { getOrUndefined } from './client/errors.ts';

/** The resource usage of a running container; undefined when there is none. @param memoryLimit in bytes; 0: unlimited */
export async function containerUsage(
  docker: Docker,
  id: string,
  memoryLimit: number | undefined,
): Promise<UnitUsage | undefined> {
  // Without `one-shot` the engine waits a second for a second sample.
  const stats = await getOrUndefined(() => docker.getContainer(id).stats({ stream: false, 'one-shot': true }));
  return stats && usageOf(stats, memoryLimit);
}

/** Translates the engine's figures; undefined when there are none, as of a container that has just ended. */
export function usageOf(
  { cpu_stats: cpu, memory_stats: memory }: Pick<ContainerStats, 'cpu_stats' | 'memory_stats'>,
  limit: number | undefined,
): UnitUsage | undefined {
  if (memory?.usage === undefined || cpu?.cpu_usage === undefined) return undefined;
  const { usage, stats } = memory;
  // Page cache, which the kernel frees on demand; cgroup 1 has another name for it.
  const cached = stats?.total_inactive_file ?? stats?.inactive_file ?? 0;
  return {
    cpuMs: cpu.cpu_usage.total_usage / 1_000_000,
    memoryBytes: Math.max(0, usage - cached),
    memoryLimitBytes: limit || null,
  };
}
