import type { ContainerInspectInfo, ContainerStats } from 'dockerode';
import { getOrUndefined } from '../../engine/client/errors.ts';
import type { UnitUsage } from '../../runtime.ts';
import type { DockerContext } from '../context.ts';
import { isRunning } from './desired-state.ts';

/** The resource usage of a container. @param info undefined: there is none */
export async function unitUsage(
  { dockerWithTimeout }: Pick<DockerContext, 'dockerWithTimeout'>,
  info: ContainerInspectInfo | undefined,
): Promise<UnitUsage | undefined> {
  if (!info || !isRunning(info)) return undefined;
  // Without `one-shot` the engine waits a second for a second sample.
  const stats = await getOrUndefined(() =>
    dockerWithTimeout.getContainer(info.Id).stats({ stream: false, 'one-shot': true }),
  );
  return stats && usageOf(stats, info.HostConfig.Memory);
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
