import { KeyedLock } from '../../../../../lib/concurrency/keyed-lock.ts';
import { delayAfter } from '../../../../../lib/concurrency/retry.ts';
import { AppError, messageOf } from '../../../../../lib/errors.ts';
import { newId } from '../../../../../lib/ids.ts';
import type { Logger } from '../../../../../lib/logger.ts';
import type { UnitExit, UnitState } from '../../../runtime.ts';
import type { Generation } from '../../generations.ts';
import { endProcesses } from '../processes/end-processes.ts';
import { identityOf, isSameProcess } from '../processes/process-identity.ts';
import type { ProcessRecord } from '../records.ts';
import { type Exit, exitOf, reasonOf, type UnitProcess } from './unit-process.ts';

/** When a unit that exited is started again. */
export interface RestartDelays {
  firstMs: number;
  /** Delays double up to this one. */
  maxDelayMs: number;
  /** After a run of this length the next delay is the first one again. */
  resetAfterMs: number;
  /** After this many failures in a row it is reported as given up; restarts continue at the longest delay. */
  giveUpAfter: number;
}

export const defaultRestartDelays: RestartDelays = {
  firstMs: 1_000,
  maxDelayMs: 60_000,
  resetAfterMs: 60_000,
  giveUpAfter: 10,
};

type SupervisedState = Omit<UnitState, 'state' | 'commit'>;

interface Running {
  generation: string;
  startedAt: Date;
  process: UnitProcess;
}

/** Keeps one unit in its desired state: at most one process, the right one, restarted when it exits. */
export function createSupervisor(options: {
  /** The unit's name, for the log. */
  name: string;
  pauses: RestartDelays;
  logger: Logger;
  /** Whether a mark belongs to this unit, from any of its starts. */
  marked(mark: string): boolean;
  launch(generation: Generation, launchId: string): Promise<UnitProcess>;
  adopt(pid: number, identity: string): UnitProcess;
  /** Records (or, undefined, forgets) the process. */
  save(record: ProcessRecord | undefined): Promise<void>;
}) {
  const { name, pauses, logger } = options;
  const tenantLocks = new KeyedLock();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => tenantLocks.run(name, work);

  let target: Generation | undefined;
  let running: Running | undefined;
  let failures = 0;
  let reason: string | null = null;
  let lastExit: UnitExit | undefined;
  let cannotStart = false;
  let pause: NodeJS.Timeout | undefined;
  let closed = false;

  function watch(generation: string, startedAt: Date, process: UnitProcess): void {
    const mine = { generation, startedAt, process };
    running = mine;
    process.exited
      .then((exit) => inTurn(() => onExit(mine, exit)))
      .catch((error: unknown) => logger.error({ unit: name, err: error }, 'A unit can no longer be watched'));
  }

  /** Ends every process of this unit, then starts it: it never runs twice. */
  async function launch(generation: Generation): Promise<void> {
    try {
      await end();
      const record = { launch: newId(), generation: generation.id, startedAt: new Date().toISOString() };
      await options.save({ ...record, pid: null, identity: null });
      const process = await options.launch(generation, record.launch);
      watch(generation.id, new Date(record.startedAt), process);
      cannotStart = false;
      await options.save({ ...record, pid: process.pid, identity: process.identity });
    } catch (error) {
      reason = messageOf(error);
      cannotStart = !running;
      failures += 1;
      startLater();
      // A process that can't be recorded must not continue.
      if (running) await end();
      throw error;
    }
  }

  async function end(): Promise<void> {
    const group = running && (await ownedGroup(running.process));
    await endProcesses({ ...(group === undefined ? {} : { group }), marked: options.marked });
    running?.process.unwatch();
    running = undefined;
    await options.save(undefined);
  }

  async function onExit(ended: Running, exit: Exit): Promise<void> {
    if (closed || running !== ended) return;
    const upMs = Date.now() - ended.startedAt.getTime();
    reason = reasonOf(exit);
    lastExit = exitOf(exit, ended.startedAt);
    failures = upMs >= pauses.resetAfterMs ? 1 : failures + 1;
    startLater();
    // Ends what its main process left before another is started.
    await end();
    logger.warn({ unit: name, reason, failures }, 'A unit exited');
  }

  function startLater(): void {
    clearTimeout(pause);
    if (closed || !target) return;
    const generation = target;
    pause = setTimeout(
      () => {
        void inTurn(async () => {
          if (closed || target !== generation || (running && (await lives(running)))) return;
          await launch(generation).catch((error: unknown) =>
            logger.warn({ unit: name, err: error }, 'A unit could not be started again'),
          );
        });
      },
      delayAfter(failures, pauses.firstMs, pauses.maxDelayMs),
    );
    pause.unref();
  }

  function begin(next: Generation | undefined): void {
    if (closed) throw new AppError('shutting_down', 'The manager is shutting down');
    clearTimeout(pause);
    target = next;
    failures = 0;
    reason = null;
    lastExit = undefined;
    cannotStart = false;
  }

  return {
    /** Runs only `target` of this unit; undefined: nothing. Resets the count of failures. */
    apply: (next: Generation | undefined) =>
      inTurn(async () => {
        begin(next);
        if (running && running.generation === next?.id && (await lives(running))) return;
        await (next ? launch(next) : end());
      }),
    /** Like `apply`, always with a new process. */
    restart: (next: Generation) =>
      inTurn(async () => {
        begin(next);
        await launch(next);
      }),
    /** Adopts the recorded process of an earlier manager, if it is still that one and the one wanted. Returns whether it did. */
    adopt: (next: Generation, record: ProcessRecord) =>
      inTurn(async () => {
        begin(next);
        if (record.generation !== next.id || record.pid === null || record.identity === null) return false;
        if (!(await isSameProcess(record.pid, record.identity))) return false;
        watch(record.generation, new Date(record.startedAt), options.adopt(record.pid, record.identity));
        return true;
      }),
    async state(): Promise<SupervisedState> {
      const now = running;
      const alive = now !== undefined && (await lives(now));
      const steady = alive && Date.now() - now.startedAt.getTime() >= pauses.resetAfterMs;
      return {
        startedAt: alive ? now.startedAt : null,
        reason: alive || !target ? null : (reason ?? 'ended just now'),
        gaveUp: target !== undefined && !steady && failures >= pauses.giveUpAfter,
        lastExit,
        restarts: steady ? 0 : failures,
        obstacle: !alive && target && cannotStart ? 'cannot_start' : undefined,
      };
    },
    /** Stops watching; the process continues. */
    close: () =>
      inTurn(async () => {
        closed = true;
        clearTimeout(pause);
        running?.process.unwatch();
      }),
  };
}

export type Supervisor = ReturnType<typeof createSupervisor>;

async function lives({ process }: Running): Promise<boolean> {
  return process.identity !== null && (await isSameProcess(process.pid, process.identity));
}

/** The number of its group, unless that is gone and another process has the number. */
async function ownedGroup({ pid, identity }: UnitProcess): Promise<number | undefined> {
  const leader = await identityOf(pid);
  return leader === undefined || leader === identity ? pid : undefined;
}
