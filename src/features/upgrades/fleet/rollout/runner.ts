import { KeyedLock } from '../../../../lib/concurrency/keyed-lock.ts';
import { mapConcurrently } from '../../../../lib/concurrency/map-concurrently.ts';
import { poll } from '../../../../lib/concurrency/poll.ts';
import { retryUntilStopped } from '../../../../lib/concurrency/retry.ts';
import { messageOf } from '../../../../lib/errors.ts';
import { newId } from '../../../../lib/ids.ts';
import type { FleetsDeps } from '../fleet.ts';
import type { MemberEnd } from '../outcome.ts';
import type { Fleet, FleetStore, Member } from '../store.ts';
import { attemptUpgrade } from './attempt.ts';
import { type Decision, decide } from './decide.ts';
import type { FleetEvents } from './fleet-events.ts';

/** When to decide again: at once, on the next wake signal, never, at a time, or after a check of a ring. */
type Next = 'again' | 'rest' | 'end' | { until: Date } | { checkRing: number };

interface Loop {
  wakeSignal: WakeSignal;
  done: Promise<void>;
}

/**
 * Runs fleet upgrades. Each has a loop that reads the stored state and does what `decide` returns until nothing is left to do.
 * The state is saved before each action, so that another manager can continue.
 */
export class FleetRunner {
  readonly #deps: FleetsDeps;
  readonly #rows: FleetStore;
  readonly #events: FleetEvents;
  readonly #lock = new KeyedLock();
  readonly #loops = new Map<string, Loop>();
  readonly #stop = new AbortController();
  /** Running attempts, by operation id. */
  readonly #running = new Map<string, Promise<void>>();
  /** Tenants that were busy when their upgrade should start, and when to try them again. */
  readonly #busyUntil = new Map<string, Date>();
  readonly #attempts = new Map<string, number>();

  constructor(deps: FleetsDeps, rows: FleetStore, events: FleetEvents) {
    this.#deps = deps;
    this.#rows = rows;
    this.#events = events;
  }

  /** Starts or wakes the loop of a fleet upgrade. */
  drive(fleetId: string): void {
    if (this.#stop.signal.aborted) return;
    const running = this.#loops.get(fleetId);
    if (running) {
      running.wakeSignal.wake();
      return;
    }
    const wakeSignal = new WakeSignal();
    this.#loops.set(fleetId, { wakeSignal, done: this.#loop(fleetId, wakeSignal) });
  }

  /** Changes a fleet upgrade while its loop starts nothing, then wakes the loop. */
  async changing<T>(fleetId: string, work: () => Promise<T>): Promise<T> {
    const result = await this.#lock.run(fleetId, work);
    this.drive(fleetId);
    return result;
  }

  /** Starts no more upgrades; resolves when all loops and attempts have stopped. */
  async stop(): Promise<void> {
    this.#stop.abort();
    const loops = [...this.#loops.values()];
    for (const { wakeSignal } of loops) wakeSignal.wake();
    await Promise.allSettled([...loops.map(({ done }) => done), ...this.#running.values()]);
  }

  async #loop(fleetId: string, wakeSignal: WakeSignal): Promise<void> {
    while (!this.#stop.signal.aborted) {
      const next = await this.#next(fleetId);
      if (next === 'again') continue;
      // No `await` between this check of the signal and the removal of the loop.
      if (next === 'end' && !wakeSignal.isWoken) break;
      if (next === 'rest' || next === 'end') await wakeSignal.wait();
      else if ('until' in next)
        await wakeSignal.wait(Math.max(0, next.until.getTime() - this.#deps.clock.now().getTime()));
    }
    this.#loops.delete(fleetId);
  }

  async #next(fleetId: string): Promise<Next> {
    try {
      const next = await this.#lock.run(fleetId, () => this.#turn(fleetId));
      if (typeof next === 'string' || 'until' in next) return next;
      await this.#checkRing(fleetId, next.checkRing);
      return 'again';
    } catch (error) {
      if (this.#stop.signal.aborted) return 'end';
      this.#deps.logger.error(
        { fleet: fleetId, message: messageOf(error) },
        'fleet upgrade not advanced, trying again',
      );
      return { until: new Date(this.#deps.clock.now().getTime() + this.#deps.retryDelayMs) };
    }
  }

  /** Reads the state, decides and acts once. */
  async #turn(fleetId: string): Promise<Next> {
    const fleet = await this.#rows.find(fleetId);
    if (!fleet || this.#stop.signal.aborted) return 'end';
    if (fleet.status === 'pending') {
      await this.#change(fleet, { status: 'running', startedAt: this.#deps.clock.now() });
      return 'again';
    }
    const members = await this.#rows.members(fleetId);
    for (const member of members) if (member.status === 'upgrading') this.#follow(fleet, member);
    const now = this.#deps.clock.now();
    const concurrency = await this.#deps.concurrency();
    return this.#act(fleet, members, decide({ fleet, members, concurrency, busy: this.#busyAt(now), now }));
  }

  async #act(fleet: Fleet, members: readonly Member[], decision: Decision): Promise<Next> {
    const { clock } = this.#deps;
    switch (decision.kind) {
      case 'rest': {
        const isActive = fleet.status === 'running' || members.some(({ status }) => status === 'upgrading');
        return isActive ? 'rest' : 'end';
      }
      case 'begin':
        for (const member of members)
          if (decision.tenantIds.includes(member.tenantId)) await this.#begin(fleet, member);
        return 'again';
      case 'wait':
        return { until: decision.until };
      case 'pause between rings':
        await this.#rows.change(fleet.id, ['running'], { nextRingAt: decision.until });
        return 'again';
      case 'check ring':
        return { checkRing: decision.next };
      case 'halt':
        await this.#change(fleet, { status: 'halted', reason: decision.reason });
        return 'again';
      case 'complete':
        await this.#change(fleet, { status: 'completed', finishedAt: clock.now() });
        return 'end';
      case 'skip the rest':
        await this.skipWaiting(fleet);
        return 'again';
      case 'close':
        await this.#rows.change(fleet.id, ['cancelled'], { finishedAt: clock.now() });
        return 'end';
      default:
        return decision satisfies never;
    }
  }

  /** Skips the waiting tenants of a cancelled fleet upgrade. */
  async skipWaiting(fleet: Fleet): Promise<void> {
    const reason = 'The fleet upgrade was cancelled';
    const skipped = await this.#rows.skipWaiting(fleet.id, reason, this.#deps.clock.now());
    for (const tenantId of skipped) this.#events.member(fleet, tenantId, { status: 'skipped', reason });
  }

  async #change(fleet: Fleet, changes: Partial<Fleet>): Promise<void> {
    if (!(await this.#rows.change(fleet.id, [fleet.status], changes))) return;
    await this.#events.changed({ ...fleet, ...changes });
  }

  async #begin(fleet: Fleet, member: Member): Promise<void> {
    const operationId = member.operationId ?? newId();
    const changes = { status: 'upgrading', reason: null, operationId, beganAt: this.#deps.clock.now() } as const;
    const of = { fleetId: fleet.id, tenantId: member.tenantId };
    if (!(await this.#rows.changeMember(of, ['waiting'], changes))) return;
    this.#events.member(fleet, member.tenantId, changes);
    this.#follow(fleet, { ...member, ...changes });
  }

  /** Follows an upgrade to its end, once. */
  #follow(fleet: Fleet, member: Member): void {
    const { operationId, tenantId } = member;
    if (operationId === null || this.#running.has(operationId)) return;
    const attempts = (this.#attempts.get(operationId) ?? 0) + 1;
    this.#attempts.set(operationId, attempts);
    const retryOptions = { operation: operationId, logger: this.#deps.logger, stopping: this.#stop.signal };
    const attempt = async (): Promise<void> => {
      const options = { stopping: this.#stop.signal, attempts };
      const end = await attemptUpgrade(fleet, { ...member, operationId }, this.#deps, options);
      // It stays in the map of running attempts, so that this manager does not start it again.
      if (end.kind === 'left') return;
      await retryUntilStopped(
        () => this.#lock.run(fleet.id, () => this.#saveResult(fleet.id, tenantId, end)),
        retryOptions,
      );
      if (end.kind === 'ended') this.#attempts.delete(operationId);
      this.#running.delete(operationId);
      this.drive(fleet.id);
    };
    this.#running.set(
      operationId,
      attempt().catch((error: unknown) => {
        if (this.#stop.signal.aborted) return;
        this.#deps.logger.error({ fleet: fleet.id, tenant: tenantId, message: messageOf(error) }, 'upgrade lost');
      }),
    );
  }

  /** Saves the result of an attempt; may be called again after a failure. */
  async #saveResult(fleetId: string, tenantId: string, end: Exclude<MemberEnd, { kind: 'left' }>): Promise<void> {
    const now = this.#deps.clock.now();
    const fleet = await this.#rows.find(fleetId);
    if (!fleet) return;
    const halt = end.kind === 'halt' ? end.reason : end.kind === 'ended' ? end.halt : undefined;
    if (halt !== undefined && fleet.status === 'running') await this.#change(fleet, { status: 'halted', reason: halt });
    if (end.kind !== 'ended') this.#busyUntil.set(tenantId, new Date(now.getTime() + this.#deps.retryDelayMs));
    // A waiting member keeps its id: if the upgrade was saved after all, the next attempt finds it instead of starting another.
    const changes: Partial<Member> & Pick<Member, 'status' | 'reason'> =
      end.kind === 'ended'
        ? { ...end.changes, endedAt: now }
        : {
            status: 'waiting',
            reason: end.reason,
            beganAt: null,
            ...(end.kind === 'later' && end.again ? { operationId: null } : {}),
          };
    if (await this.#rows.changeMember({ fleetId, tenantId }, ['upgrading'], changes))
      this.#events.member(fleet, tenantId, changes);
  }

  #busyAt(now: Date): ReadonlyMap<string, Date> {
    for (const [tenantId, until] of this.#busyUntil) if (until <= now) this.#busyUntil.delete(tenantId);
    return this.#busyUntil;
  }

  /** Checks a finished ring: if it is healthy, the next one starts, else `decide` handles the failures. */
  async #checkRing(fleetId: string, next: number): Promise<void> {
    const [fleet, members] = [await this.#rows.find(fleetId), await this.#rows.members(fleetId)];
    if (!fleet) return;
    const problems = await ringProblems(members, fleet.ring, {
      healthProblem: this.#deps.healthProblem,
      timeoutMs: this.#deps.healthTimeoutMs,
      signal: this.#stop.signal,
    });
    await this.#lock.run(fleetId, async () => {
      for (const [tenantId, problem] of problems) {
        const changes = { status: 'failed', reason: `Not healthy after its upgrade: ${problem}` } as const;
        await this.#rows.changeMember({ fleetId, tenantId }, ['succeeded'], changes);
        this.#events.member(fleet, tenantId, changes);
      }
      // A fleet upgrade that was paused during the check is checked again when it resumes.
      if (problems.size === 0) await this.#rows.change(fleetId, ['running'], { ring: next, nextRingAt: null });
    });
  }
}

/** Wakes a waiting loop; a signal while none waits ends the next wait at once. */
class WakeSignal {
  #woken = false;
  #wake: (() => void) | undefined;

  get isWoken(): boolean {
    return this.#woken;
  }

  wake(): void {
    this.#woken = true;
    this.#wake?.();
  }

  /** Resolves on the signal, or after `milliseconds` if given. */
  async wait(milliseconds?: number): Promise<void> {
    if (!this.#woken) {
      let timer: NodeJS.Timeout | undefined;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        // A timer can't run longer than 24 days; a loop that wakes too early decides again.
        if (milliseconds !== undefined) timer = setTimeout(resolve, Math.min(milliseconds, 2 ** 31 - 1));
      });
      clearTimeout(timer);
      this.#wake = undefined;
    }
    this.#woken = false;
  }
}

/** Tenants of a ring that are checked at the same time. */
const concurrentChecks = 8;

/**
 * Checks whether all upgraded tenants of a ring are healthy; each has `timeoutMs` to become so.
 * @returns the problems by tenant; healthy tenants are missing
 */
async function ringProblems(
  members: readonly Member[],
  ring: number,
  check: { healthProblem(tenantId: string): Promise<string | undefined>; timeoutMs: number; signal: AbortSignal },
): Promise<Map<string, string>> {
  const problems = new Map<string, string>();
  const upgraded = members.filter((member) => member.ring === ring && member.status === 'succeeded');
  await mapConcurrently(upgraded, concurrentChecks, async ({ tenantId }) => {
    const problem = await lastingProblem(tenantId, check);
    if (problem !== undefined) problems.set(tenantId, problem);
  });
  return problems;
}

async function lastingProblem(
  tenantId: string,
  check: Parameters<typeof ringProblems>[2],
): Promise<string | undefined> {
  let problem: string | undefined;
  const healthy = await poll<true>(
    async () => {
      problem = await check.healthProblem(tenantId).catch(messageOf);
      return problem === undefined ? true : undefined;
    },
    { timeoutMs: check.timeoutMs, intervalMs: 1_000, signal: check.signal },
  );
  return healthy ? undefined : problem;
}
