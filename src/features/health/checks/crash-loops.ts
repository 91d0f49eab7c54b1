import type { UnitRole, UnitState } from '../../../adapters/runtimes/runtime.ts';

/** From this many restarts on a unit crashes again and again, whatever a check sees while it runs. */
const loopFrom = 3;
/** Restarts belong together while less than this lies between them; a loop has ended after as much without one. In ms. */
const quietMs = 5 * 60_000;

/** A unit that ends whenever it is started. */
export interface CrashLoop {
  role: UnitRole;
  restarts: number;
  /** When the first of them was seen. */
  since: Date;
}

interface Known {
  generation: string | undefined;
  /** The runtime's count, which a start by the manager, or a steady run, resets. */
  counted: number;
  active: boolean;
  startedAt: number | undefined;
  endedAt: number | undefined;
  restarts: number;
  firstAt: Date;
  lastAt: Date;
}

/**
 * Finds crash loops in the states that checks read: a check sees a unit that ends a minute after each start mostly while it runs. In
 * memory: a restarted manager counts again, and its open incidents wait for a quiet period by themselves.
 */
export class CrashLoops {
  readonly #units = new Map<string, Known>();

  /** Takes a unit's state. @returns its crash loop, if it is in one */
  observe(tenantId: string, role: UnitRole, state: UnitState, now: Date): CrashLoop | undefined {
    const key = `${tenantId}/${role}`;
    const known = this.#units.get(key);
    const found = {
      generation: state.generation,
      counted: state.restarts ?? 0,
      active: state.state === 'active',
      startedAt: state.startedAt?.getTime() ?? known?.startedAt,
      endedAt: state.lastExit?.at?.getTime(),
    };
    const added = known ? newRestarts(known, found) : 0;
    const isQuiet = !known || now.getTime() - known.lastAt.getTime() >= quietMs;
    const before = !known || isQuiet || wasStarted(known, found) ? { restarts: 0, firstAt: now, lastAt: now } : known;
    const restarts = before.restarts + added;
    const firstAt = before.restarts === 0 ? now : before.firstAt;
    this.#units.set(key, { ...found, restarts, firstAt, lastAt: added > 0 ? now : before.lastAt });
    return restarts >= loopFrom ? { role, restarts, since: firstAt } : undefined;
  }

  forget(tenantId: string): void {
    for (const role of ['api', 'frontend']) this.#units.delete(`${tenantId}/${role}`);
  }
}

type Found = Pick<Known, 'generation' | 'counted' | 'active' | 'startedAt' | 'endedAt'>;

/** Runtimes count differently: some from one steady run to the next, some only what is in their history. */
function newRestarts(known: Known, found: Found): number {
  if (found.generation !== known.generation) return found.counted;
  if (found.counted > known.counted) return found.counted - known.counted;
  const hasEnded = found.endedAt !== undefined && found.endedAt !== known.endedAt;
  const isFull = found.counted > 0 && known.active && found.active && found.startedAt !== known.startedAt;
  return hasEnded || isFull ? 1 : 0;
}

/** By the manager or a user, after which it has yet to fail. */
const wasStarted = (known: Known, found: Found): boolean =>
  found.generation !== known.generation ||
  (found.counted === 0 && found.endedAt === undefined && found.startedAt !== known.startedAt);
