import { readFileSync } from 'node:fs';
import { runProgram } from '../../../../../lib/spawn.ts';
import { readProcessStat } from './process-table.ts';

/**
 * Identifies a process: its start time and the boot it happened in. Process numbers are reused, this pair is not. Undefined
 * when no such process runs.
 * On Linux everything is read before the first await: called right after a spawn, the answer certainly describes that child.
 */
export async function identityOf(pid: number): Promise<string | undefined> {
  if (process.platform === 'linux') {
    const stat = readProcessStat(pid);
    return stat && `${bootId()}:${stat.startTicks}`;
  }
  const listing = await runProgram('ps', ['-o', 'lstart=', '-p', String(pid)], {
    env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' },
  });
  const started = listing.output.trim();
  return listing.exitCode === 0 && started !== '' ? `lstart:${started}` : undefined;
}

/** Whether the process with that number still is the identified one. */
export async function isSameProcess(pid: number, identity: string): Promise<boolean> {
  return (await identityOf(pid)) === identity;
}

let knownBoot: string | undefined;

function bootId(): string {
  knownBoot ??= readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  return knownBoot;
}
