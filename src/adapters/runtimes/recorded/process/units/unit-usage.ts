import { readdirSync } from 'node:fs';
import type { UnitUsage } from '../../../runtime.ts';
import { isSameProcess } from '../processes/process-identity.ts';
import { readIfThere, readProcessStat } from '../processes/process-table.ts';
import type { ProcessRecord } from '../records.ts';

/** USER_HZ: the unit of times in /proc, the same on every Linux. */
const ticksPerSecond = 100;
/** A program that forks endlessly must not block the manager. */
const maxProcesses = 200;

/**
 * Usage of a unit's process and those it started; memory is resident memory, shared pages counted in each.
 * @param readRecord the recorded process
 */
export async function unitUsage(readRecord: () => Promise<ProcessRecord | undefined>): Promise<UnitUsage | undefined> {
  const { pid, identity } = (await readRecord()) ?? {};
  if (process.platform !== 'linux' || !pid || !identity || !(await isSameProcess(pid, identity))) return undefined;
  const usage = { cpuMs: 0, memoryBytes: 0, memoryLimitBytes: null };
  for (const one of withDescendants(pid)) {
    usage.cpuMs += ((readProcessStat(one)?.cpuTicks ?? 0) * 1000) / ticksPerSecond;
    usage.memoryBytes += residentBytes(one);
  }
  return usage;
}

function withDescendants(pid: number): ReadonlySet<number> {
  const found = new Set([pid]);
  // Iterating a set includes elements added during the iteration.
  for (const one of found) for (const child of childrenOf(one)) if (found.size < maxProcesses) found.add(child);
  return found;
}

function childrenOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
      (readIfThere(`/proc/${pid}/task/${thread}/children`) ?? '').trim().split(' ').filter(Boolean).map(Number),
    );
  } catch {
    return [];
  }
}

function residentBytes(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readIfThere(`/proc/${pid}/status`) ?? '')?.[1];
  return Number(kilobytes ?? 0) * 1024;
}
