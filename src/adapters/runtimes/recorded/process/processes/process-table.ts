import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { markVariable } from '../units/unit-mark.ts';

export interface ProcessEntry {
  pid: number;
  /** Read when first asked for, which takes longer than the mark; undefined when it no longer runs. */
  readonly group: number | undefined;
  /** Our mark's value in the environment it was started with; one that has ended and waits to be reaped has none. */
  mark: string | undefined;
}

interface ProcessStat {
  group: number;
  /** Since the host's boot. */
  startTicks: string;
  /** Processor time of it and of those it has waited for. */
  cpuTicks: number;
}

/** The kernel's figures of a running process, times in clock ticks; undefined when there is none. Linux only. */
export function readProcessStat(pid: number): ProcessStat | undefined {
  const stat = readIfThere(`/proc/${pid}/stat`);
  if (stat === undefined) return undefined;
  // The second field is the program's name in parentheses and may contain anything, `)` too: count from the last one.
  const [state, , group, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const startTicks = rest[16];
  if (state === 'Z' || state === 'X' || group === undefined || startTicks === undefined) return undefined;
  const cpuTicks = rest.slice(8, 12).reduce((sum, ticks) => sum + Number(ticks), 0);
  return { group: Number(group), startTicks, cpuTicks };
}

/** All processes except this one, with their marks. Empty without /proc (macOS). */
export function listProcesses(): ProcessEntry[] {
  return processNames()
    .map(Number)
    .filter((pid) => pid !== process.pid)
    .map(entryOf);
}

function entryOf(pid: number): ProcessEntry {
  let group: number | undefined | null = null;
  return {
    pid,
    mark: readMark(pid),
    get group() {
      if (group === null) group = readProcessStat(pid)?.group;
      return group;
    },
  };
}

const sharingMs = 10;
let next: Promise<ProcessEntry[]> | undefined;

/** `listProcesses`, read once for all who ask within a few milliseconds, after they asked. */
export function nextProcessList(): Promise<ProcessEntry[]> {
  next ??= sleep(sharingMs).then(() => {
    next = undefined;
    return listProcesses();
  });
  return next;
}

function processNames(): string[] {
  try {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}

function readMark(pid: number): string | undefined {
  const environment = `\0${readIfThere(`/proc/${pid}/environ`) ?? ''}`;
  const prefix = `\0${markVariable}=`;
  const start = environment.indexOf(prefix);
  return start < 0 ? undefined : environment.slice(start + prefix.length).split('\0', 1)[0];
}

/** A process can end, or belong to another user, at any moment: then there is nothing to read. */
export function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
