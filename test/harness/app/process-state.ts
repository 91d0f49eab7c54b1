import { readdirSync, readFileSync } from 'node:fs';

/** State and parent of a process, from /proc; empty when it is gone. */
function statOf(pid: number): { state?: string; parent?: number } {
  try {
    // pid (comm) state ppid: the name may have blanks and parentheses.
    const [state = '', parent] = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return { state, parent: Number(parent) };
  } catch {
    return {};
  }
}

/** Whether a process runs or is stopped; an ended one may wait for its parent. */
export const isAlive = (pid: number): boolean => ![undefined, 'Z', 'X'].includes(statOf(pid).state);

export const isStopped = (pid: number): boolean => statOf(pid).state === 'T';

/** The watchdog of a manager with STANDBY; undefined where it has none. */
export function watchdogOf(manager: number): number | undefined {
  const pids = readdirSync('/proc').map(Number).filter(Number.isInteger);
  return pids.find((pid) => statOf(pid).parent === manager && commandOf(pid).includes('watchdog-program.ts'));
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}
