import { actingDeadline } from '../../../../../lib/concurrency/acting-deadline.ts';
import { poll } from '../../../../../lib/concurrency/poll.ts';
import { signalGroup } from '../../../../../lib/concurrency/running-programs.ts';
import { nextProcessList, type ProcessEntry, readProcessStat } from './process-table.ts';

/** SIGTERM, and this long after it SIGKILL. */
const stopGraceMs = 10_000;
/** Killed processes still there after this time (stuck in the kernel) are reported. */
const killWaitMs = 10_000;
const recheckMs = 50;

interface Which {
  /** A process group known to be ours. */
  group?: number;
  /** Selects processes by their mark, also those that left the group. */
  marked(mark: string): boolean;
}

/**
 * Ends processes and waits until two checks in a row find none: a process that is being created has no mark for a moment.
 * SIGTERM once, SIGKILL after the grace period.
 * @throws an Error when some are still there long after SIGKILL
 */
export async function endProcesses(which: Which, graceMs = stopGraceMs): Promise<void> {
  const started = performance.now();
  let left: ProcessEntry[] | undefined;
  let asked = false;
  const haveEnded = async (): Promise<true | undefined> => {
    const late = performance.now() - started >= graceMs;
    // A look at all processes of the host takes milliseconds: not while those of the last one still run.
    if (!late && left?.some(({ pid }) => readProcessStat(pid))) return undefined;
    const foundNone = left?.length === 0;
    left = await find(which);
    if (left.length === 0) return foundNone || undefined;
    if (late) signalAll(which, left, 'SIGKILL');
    else if (!asked) signalAll(which, left, 'SIGTERM');
    asked = true;
    return undefined;
  };
  const ended = await poll(haveEnded, { timeoutMs: graceMs + killWaitMs, intervalMs: recheckMs });
  if (!ended && left?.length) {
    throw new Error(`Processes did not end: ${left.map((entry) => entry.pid).join(', ')}`);
  }
}

/** The running processes of this selection. */
async function find(which: Which): Promise<ProcessEntry[]> {
  if (process.platform !== 'linux')
    return which.group !== undefined && groupLives(which.group) ? [ofGroup(which.group)] : [];
  return (await nextProcessList()).filter(
    (entry) => (entry.mark !== undefined && which.marked(entry.mark)) || isOfGroup(which, entry),
  );
}

/** Each process is signalled once: some programs take a second SIGTERM as an order to end at once. */
function signalAll(which: Which, entries: ProcessEntry[], signal: NodeJS.Signals): void {
  // They may be those that the next manager started.
  actingDeadline.check();
  if (entries.some((entry) => isOfGroup(which, entry))) signalGroup(which.group, signal);
  for (const entry of entries) if (!isOfGroup(which, entry)) signalOne(entry.pid, signal);
}

const isOfGroup = (which: Which, entry: ProcessEntry): boolean =>
  which.group !== undefined && entry.group === which.group;

function signalOne(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

const ofGroup = (group: number): ProcessEntry => ({ pid: group, group, mark: undefined });

function groupLives(group: number): boolean {
  try {
    process.kill(-group, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
