/**
 * Until when this process may change anything outside its database: a manager that has a standby must not act once another may
 * have taken over, for example when it was suspended and goes on. Late writes to the store are refused there (`fence.ts`).
 */
export interface ActingDeadline {
  /** @param until on the clock of `performance.now()` */
  extend(until: number, onMissed: () => never): void;
  /** Called before each program, file and engine request. */
  check(): void;
  clear(): void;
}

/** One for the process: programs, files and engines are used in too many places to hand it on. */
export const actingDeadline: ActingDeadline = createActingDeadline();

function createActingDeadline(): ActingDeadline {
  let deadline: { until: number; onMissed: () => never } | undefined;
  return {
    extend(until, onMissed) {
      deadline = { until, onMissed };
    },
    check() {
      if (deadline && performance.now() > deadline.until) deadline.onMissed();
    },
    clear() {
      deadline = undefined;
    },
  };
}
