import type { UnitUsage } from '../../../runtime.ts';
import { systemctl } from './systemctl.ts';

/** What a service's control group uses. @throws AppError `runtime_unavailable` */
export async function unitUsage(service: string): Promise<UnitUsage | undefined> {
  return usageOf(await systemctl('show', '--property=ActiveState,CPUUsageNSec,MemoryCurrent,MemoryMax', '--', service));
}

/** Translates systemd's figures; undefined when it does not run, or systemd does not count its memory. */
export function usageOf(shown: string): UnitUsage | undefined {
  const figure = (name: string): number | undefined => {
    const text = new RegExp(`^${name}=(\\d+)$`, 'm').exec(shown)?.[1];
    // All bits set means unknown, or unlimited.
    return text === undefined || text === '18446744073709551615' ? undefined : Number(text);
  };
  const nanoseconds = figure('CPUUsageNSec');
  const memoryBytes = figure('MemoryCurrent');
  if (!/^ActiveState=active$/m.test(shown) || memoryBytes === undefined) return undefined;
  const cpuMs = nanoseconds === undefined ? null : nanoseconds / 1_000_000;
  return { cpuMs, memoryBytes, memoryLimitBytes: figure('MemoryMax') ?? null };
}
