import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import { actingDeadline } from '../../../../../lib/concurrency/acting-deadline.ts';
import { every } from '../../../../../lib/concurrency/poll.ts';
import type { UnitExit } from '../../../runtime.ts';
import { shellLine } from '../../../shell-line.ts';
import { identityOf, isSameProcess } from '../processes/process-identity.ts';

/** How a process ended; `unseen` if it was not our child (adopted from an earlier manager). */
export type Exit = { code: number | null; signal: string | null } | 'unseen';

/** A shell reports the signal that ended its command as a code above 128. */
const signalIn = (code: number | null): string | null =>
  Object.entries(constants.signals).find(([, number]) => code === 128 + number)?.[0] ?? null;

/** A unit's end; the kernel does not say whether it ended the process for lack of memory. */
export function exitOf(exit: Exit, startedAt: Date): UnitExit {
  const end = { outOfMemory: false, startedAt, at: new Date() };
  if (exit === 'unseen') return { code: null, signal: null, ...end };
  return { code: exit.code, signal: exit.signal ?? signalIn(exit.code), ...end };
}

/** Describes a unit's end for its operator. */
export function reasonOf(exit: Exit): string {
  if (exit === 'unseen') return 'ended; its exit code is unknown, as an earlier manager had started it';
  if (exit.signal !== null) return `ended by ${exit.signal}`;
  const signal = signalIn(exit.code);
  return `exited with code ${exit.code}${signal ? ` (${signal})` : ''}`;
}

/** A process that was started or adopted, leader of a process group of its own. */
export interface UnitProcess {
  pid: number;
  /** Null if it ended before its identity could be read. */
  identity: string | null;
  exited: Promise<Exit>;
  /** Stops watching; the process continues. */
  unwatch(): void;
}

/**
 * Starts a command line in its own process group and session, which outlive the manager.
 * @throws an Error when it can't be started (missing directory, too many processes)
 */
export async function launchProcess(options: {
  line: string;
  cwd: string;
  environment: Record<string, string>;
  /** Open for appending; the process has its own copy, so that its output does not need the manager. */
  logDescriptor: number;
}): Promise<UnitProcess> {
  const { file, args } = shellLine(options.line);
  actingDeadline.check();
  const child = spawn(file, args, {
    cwd: options.cwd,
    env: options.environment,
    detached: true,
    stdio: ['ignore', options.logDescriptor, options.logDescriptor],
  });
  if (child.pid === undefined) {
    const [error] = (await once(child, 'error')) as [Error];
    throw new Error(`The start line could not be run in ${options.cwd}: ${error.message}`, { cause: error });
  }
  const exited = new Promise<Exit>((resolve) => child.once('exit', (code, signal) => resolve({ code, signal })));
  const identity = await identityOf(child.pid);
  child.unref();
  return { pid: child.pid, identity: identity ?? null, exited, unwatch: () => undefined };
}

/** Watches a process that an earlier manager started. @param pollMs how often it is checked */
export function adoptProcess(pid: number, identity: string, pollMs: number): UnitProcess {
  const watching = new AbortController();
  const watch = async (): Promise<Exit> => {
    for await (const _ of every(pollMs, watching.signal)) if (!(await isSameProcess(pid, identity))) return 'unseen';
    return new Promise(() => undefined);
  };
  return { pid, identity, exited: watch(), unwatch: () => watching.abort() };
}
