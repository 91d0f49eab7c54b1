import type { NodeUsage } from '../../nodes.ts';

/** Counts of the processors' time, in seconds since the node's start. */
interface Processors {
  busy: number;
  uptime: number;
}

/** What a container on a node finds there: these files of `/proc`, and what `df -Pk /` prints. */
export interface NodeFiles {
  stat: string;
  uptime: string;
  meminfo: string;
  df: string;
}

/** The kernel's USER_HZ, in which `/proc/stat` counts. */
const ticksPerSecond = 100;

/** Turns each node's files into what it uses; the processors' load is that since the files before. */
export class NodeUsages {
  readonly #before = new Map<string, Processors>();

  /** undefined: the files are missing or not as expected. */
  of(nodeId: string, { stat, uptime, meminfo, df }: NodeFiles): NodeUsage | undefined {
    const [user, nice, system, , , irq, softIrq, steal] = numbersAfter(/^cpu (.+)$/m, stat);
    const [total, available] = [/^MemTotal: +(\d+) kB$/m, /^MemAvailable: +(\d+) kB$/m].map(
      (pattern) => numbersAfter(pattern, meminfo)[0],
    );
    const [seconds] = numbersAfter(/^(.+)$/m, uptime);
    const ticks = [user, nice, system, irq, softIrq, steal];
    if (total === undefined || available === undefined || seconds === undefined || ticks.includes(undefined)) return;
    const now = { busy: ticks.reduce<number>((sum, one = 0) => sum + one, 0) / ticksPerSecond, uptime: seconds };
    const before = this.#before.get(nodeId);
    this.#before.set(nodeId, now);
    const [, usedKb, freeKb] = numbersAfter(/ (\d+ +\d+ +\d+) +\d+% /, df);
    return {
      cpuCores: before ? coresBetween(before, now) : null,
      memoryBytes: (total - available) * 1024,
      disk:
        usedKb === undefined || freeKb === undefined
          ? undefined
          : { usedBytes: usedKb * 1024, freeBytes: freeKb * 1024 },
    };
  }
}

/** null: the node was restarted, which counts from zero. */
function coresBetween(before: Processors, now: Processors): number | null {
  const [busy, seconds] = [now.busy - before.busy, now.uptime - before.uptime];
  return seconds > 0 && busy >= 0 ? busy / seconds : null;
}

/** The numbers in the first group of a pattern; none if the text has another form. */
const numbersAfter = (pattern: RegExp, text: string): number[] =>
  (pattern.exec(text)?.[1] ?? '')
    .split(/ +/)
    .filter((one) => one !== '')
    .map(Number);
