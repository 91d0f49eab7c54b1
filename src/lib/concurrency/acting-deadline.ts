import { uptime } from 'node:os';

/**
 * Until when this process may change anything outside its database: a manager that has a standby must not act once another may
 * have taken over, for example when it was suspended and goes on. Late writes to the store are refused there (`fence.ts`).
 */
export interface ActingDeadline {
  /** @param until on the clock of `sinceBootMs` */
  extend(until: number, onMissed: () => never): void;
  /** Called before each program, file, statement and request that may change something. */
  check(): void;
  clear(): void;
}

/** Milliseconds since the machine started. Unlike `performance.now()` it counts while the machine is suspended. */
export const sinceBootMs = (): number => uptime() * 1_000;

/** One for the process: programs, files and engines are used in too many places to hand it on. */
export const actingDeadline: ActingDeadline = createActingDeadline(sinceBootMs);

export function createActingDeadline(now: () => number): ActingDeadline {
  let deadline: { until: number; onMissed: () => never } | undefined;
  return {
    extend(until, onMissed) {
      deadline = { until, onMissed };
    },
    check() {
      if (deadline && now() > deadline.until) deadline.onMissed();
    },
    clear() {
      deadline = undefined;
    },
  };
}
