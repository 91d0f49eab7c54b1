/**
 * The process groups of the programs that run for this process. They outlive it: with a standby, a watchdog ends them with it
 * (`watchdog.ts`).
 */
export const runningPrograms = {
  groups: new Set<number>(),
  onChange: (): void => undefined,
  add(group: number | undefined): void {
    if (group === undefined) return;
    runningPrograms.groups.add(group);
    runningPrograms.onChange();
  },
  delete(group: number | undefined): void {
    if (group !== undefined && runningPrograms.groups.delete(group)) runningPrograms.onChange();
  },
};

/** Kills process groups; one that is gone, or that can't be signalled, does not keep the others. */
export function killGroups(groups: Iterable<number>): void {
  for (const group of groups) {
    try {
      process.kill(-group, 'SIGKILL');
    } catch {}
  }
}

/** Signals a process group; ignores one that is gone. */
export function signalGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
