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
  /** The deadline for the threads of this process; `follow` takes it there. */
  readonly shared: SharedArrayBuffer;
  follow(shared: SharedArrayBuffer, onMissed: () => never): void;
}

/** Milliseconds since the machine started. Unlike `performance.now()` it counts while the machine is suspended. */
export const sinceBootMs = (): number => uptime() * 1_000;

/** One for the process: programs, files and engines are used in too many places to hand it on. */
export const actingDeadline: ActingDeadline = createActingDeadline(sinceBootMs);

export function createActingDeadline(now: () => number): ActingDeadline {
  /** 0: none. */
  let until = new Float64Array(new SharedArrayBuffer(8));
  let end: (() => never) | undefined;
  return {
    extend(next, onMissed) {
      until[0] = next;
      end = onMissed;
    },
    check() {
      const [last = 0] = until;
      if (last > 0 && now() > last) end?.();
    },
    clear() {
      until[0] = 0;
    },
    get shared() {
      return until.buffer;
    },
    follow(shared, onMissed) {
      until = new Float64Array(shared);
      end = onMissed;
    },
  };
}
