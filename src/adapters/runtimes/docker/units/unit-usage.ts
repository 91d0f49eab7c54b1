import type { ContainerInspectInfo, ContainerStats } from 'dockerode';
import type { UnitUsage } from '../../runtime.ts';
import { getOrUndefined } from '../client/errors.ts';
import type { DockerContext } from '../context.ts';
import { isRunning } from './desired-state.ts';

/** What a container uses. @param info undefined: there is none */
export async function unitUsage(
  { dockerWithTimeout }: Pick<DockerContext, 'dockerWithTimeout'>,
  info: ContainerInspectInfo | undefined,
): Promise<UnitUsage | undefined> {
  if (!info || !isRunning(info)) return undefined;
  // Without `one-shot` the engine takes a second to look twice.
  const stats = await getOrUndefined(() =>
    dockerWithTimeout.getContainer(info.Id).stats({ stream: false, 'one-shot': true }),
  );
  return stats && usageOf(stats, info.HostConfig.Memory);
}

/** The engine's figures in our words; undefined where there are none, as of a container that has ended meanwhile. */
export function usageOf(
  { cpu_stats: cpu, memory_stats: memory }: Pick<ContainerStats, 'cpu_stats' | 'memory_stats'>,
  limit: number | undefined,
): UnitUsage | undefined {
  if (memory?.usage === undefined || cpu?.cpu_usage === undefined) return undefined;
  const { usage, stats } = memory;
  // Files that the kernel keeps in memory as long as nobody else needs it; cgroup 1 has another name for them.
  const cached = stats?.total_inactive_file ?? stats?.inactive_file ?? 0;
  return {
    cpuMs: cpu.cpu_usage.total_usage / 1_000_000,
    memoryBytes: Math.max(0, usage - cached),
    memoryLimitBytes: limit || null,
  };
}
