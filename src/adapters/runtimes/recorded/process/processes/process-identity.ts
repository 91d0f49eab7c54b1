import { readFileSync } from 'node:fs';
import { runProgram } from '../../../../../lib/spawn.ts';
import { readProcessStat } from './process-table.ts';

/**
 * Who a process number belongs to: its start time, with the boot it happened in. Numbers are used again, this pair is
 * not. Undefined where no such process runs.
 *
 * On Linux all is read before the first await: called right after a spawn, the answer is about that child for certain.
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

/** Whether the process with that number still is the one the identity was taken from. */
export async function isSameProcess(pid: number, identity: string): Promise<boolean> {
  return (await identityOf(pid)) === identity;
}

let knownBoot: string | undefined;

function bootId(): string {
  knownBoot ??= readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  return knownBoot;
}
