import { KeyedLock } from '../../../../lib/concurrency/keyed-lock.ts';
import { poll } from '../../../../lib/concurrency/poll.ts';
import { retryUntilStopped } from '../../../../lib/concurrency/retry.ts';
import { messageOf } from '../../../../lib/errors.ts';
import { newId } from '../../../../lib/ids.ts';
import type { FleetDependencies } from '../dependencies.ts';
import type { Fleet, Member } from '../fleet.ts';
import type { MemberEnd } from '../outcome.ts';
import type { FleetStore } from '../store.ts';
import { attemptUpgrade } from './attempt.ts';
import { type Decision, decide } from './decide.ts';
import type { FleetEvents } from './fleet-events.ts';

/** What a turn found: whether to look again at once, later, when the bell rings, or not at all. */
type Next = 'again' | 'rest' | 'end' | { until: Date } | { checkRing: number };

interface Loop {
  bell: WakeSignal;
  done: Promise<void>;
}

/**
 * Carries fleet upgrades through, each by a loop that looks at what is in the store and does what `decide` says, until
 * nothing is left to do. Everything it goes by is in the store before it acts, so that another manager goes on where this one ended.
 */
export class FleetRunner {
  readonly #deps: FleetDependencies;
  readonly #rows: FleetStore;
  readonly #news: FleetEvents;
  readonly #lock = new KeyedLock();
  readonly #loops = new Map<string, Loop>();
  readonly #stop = new AbortController();
  /** Attempts under way, by operation id. */
  readonly #underWay = new Map<string, Promise<void>>();
  /** Tenants that were busy when they were to begin, and until when they are left alone. */
  readonly #busyUntil = new Map<string, Date>();
  readonly #attempts = new Map<string, number>();

  constructor(deps: FleetDependencies, rows: FleetStore, news: FleetEvents) {
    this.#deps = deps;
    this.#rows = rows;
    this.#news = news;
  }

  /** Sees to it that a fleet upgrade is looked at, now. */
  drive(fleetId: string): void {
    if (this.#stop.signal.aborted) return;
    const running = this.#loops.get(fleetId);
    if (running) {
      running.bell.wake();
      return;
    }
    const bell = new WakeSignal();
    this.#loops.set(fleetId, { bell, done: this.#loop(fleetId, bell) });
  }

  /** Changes a fleet upgrade while nothing is begun in it; then it is looked at. */
  async changing<T>(fleetId: string, work: () => Promise<T>): Promise<T> {
    const result = await this.#lock.run(fleetId, work);
    this.drive(fleetId);
    return result;
  }

  /** Begins nothing more; resolves when all that waits for an upgrade's end was told that the manager stops. */
  async stop(): Promise<void> {
    this.#stop.abort();
    const loops = [...this.#loops.values()];
    for (const { bell } of loops) bell.wake();
    await Promise.allSettled([...loops.map(({ done }) => done), ...this.#underWay.values()]);
  }

  async #loop(fleetId: string, bell: WakeSignal): Promise<void> {
    while (!this.#stop.signal.aborted) {
      const next = await this.#next(fleetId);
      if (next === 'again') continue;
      // Nothing may come between the last look at the bell and the end.
      if (next === 'end' && !bell.isWoken) break;
      if (next === 'rest' || next === 'end') await bell.wait();
      else if ('until' in next) await bell.wait(Math.max(0, next.until.getTime() - this.#deps.clock.now().getTime()));
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

  /** One look and what follows from it. */
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
    const room = await this.#deps.concurrency();
    return this.#act(fleet, members, decide({ fleet, members, room, busy: this.#busyAt(now), now }));
  }

  async #act(fleet: Fleet, members: readonly Member[], decision: Decision): Promise<Next> {
    const { clock } = this.#deps;
    switch (decision.kind) {
      case 'rest': {
        const isAtWork = fleet.status === 'running' || members.some(({ status }) => status === 'upgrading');
        return isAtWork ? 'rest' : 'end';
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

  /** Whoever waits in a fleet upgrade that was cancelled is skipped. */
  async skipWaiting(fleet: Fleet): Promise<void> {
    const reason = 'The fleet upgrade was cancelled';
    const skipped = await this.#rows.skipWaiting(fleet.id, reason, this.#deps.clock.now());
    for (const tenantId of skipped) this.#news.member(fleet, tenantId, { status: 'skipped', reason });
  }

  async #change(fleet: Fleet, changes: Partial<Fleet>): Promise<void> {
    if (!(await this.#rows.change(fleet.id, [fleet.status], changes))) return;
    await this.#news.changed({ ...fleet, ...changes });
  }

  async #begin(fleet: Fleet, member: Member): Promise<void> {
    const operationId = member.operationId ?? newId();
    const changes = { status: 'upgrading', reason: null, operationId, beganAt: this.#deps.clock.now() } as const;
    const of = { fleetId: fleet.id, tenantId: member.tenantId };
    if (!(await this.#rows.changeMember(of, ['waiting'], changes))) return;
    this.#news.member(fleet, member.tenantId, changes);
    this.#follow(fleet, { ...member, ...changes });
  }

  /** Sees an upgrade to its end, once. */
  #follow(fleet: Fleet, member: Member): void {
    const { operationId, tenantId } = member;
    if (operationId === null || this.#underWay.has(operationId)) return;
    const attempts = (this.#attempts.get(operationId) ?? 0) + 1;
    this.#attempts.set(operationId, attempts);
    const patience = { operation: operationId, logger: this.#deps.logger, stopping: this.#stop.signal };
    const attempt = async (): Promise<void> => {
      const tools = { ...this.#deps, stopping: this.#stop.signal, attempts };
      const end = await attemptUpgrade(fleet, { ...member, operationId }, tools);
      // It stays among those under way: this manager has nothing more to do with it.
      if (end.kind === 'left') return;
      await retryUntilStopped(() => this.#lock.run(fleet.id, () => this.#settle(fleet.id, tenantId, end)), patience);
      if (end.kind === 'ended') this.#attempts.delete(operationId);
      this.#underWay.delete(operationId);
      this.drive(fleet.id);
    };
    this.#underWay.set(
      operationId,
      attempt().catch((error: unknown) => {
        if (this.#stop.signal.aborted) return;
        this.#deps.logger.error({ fleet: fleet.id, tenant: tenantId, message: messageOf(error) }, 'upgrade lost');
      }),
    );
  }

  /** Saves what came of an attempt. May be called again where it failed in the middle. */
  async #settle(fleetId: string, tenantId: string, end: Exclude<MemberEnd, { kind: 'left' }>): Promise<void> {
    const now = this.#deps.clock.now();
    const fleet = await this.#rows.find(fleetId);
    if (!fleet) return;
    const halt = end.kind === 'halt' ? end.reason : end.kind === 'ended' ? end.halt : undefined;
    if (halt !== undefined && fleet.status === 'running') await this.#change(fleet, { status: 'halted', reason: halt });
    if (end.kind !== 'ended') this.#busyUntil.set(tenantId, new Date(now.getTime() + this.#deps.retryDelayMs));
    // The id stays with one that waits: should it have been written down all the same, asking with it again begins nothing new.
    const changes: Partial<Member> & Pick<Member, 'status' | 'reason'> =
      end.kind === 'ended'
        ? { ...end.changes, endedAt: now }
        : { status: 'waiting', reason: end.reason, beganAt: null };
    if (await this.#rows.changeMember({ fleetId, tenantId }, ['upgrading'], changes))
      this.#news.member(fleet, tenantId, changes);
  }

  #busyAt(now: Date): ReadonlyMap<string, Date> {
    for (const [tenantId, until] of this.#busyUntil) if (until <= now) this.#busyUntil.delete(tenantId);
    return this.#busyUntil;
  }

  /** The ring that has ended is looked at; where all is well the next begins, else `decide` sees to what follows. */
  async #checkRing(fleetId: string, next: number): Promise<void> {
    const [fleet, members] = [await this.#rows.find(fleetId), await this.#rows.members(fleetId)];
    if (!fleet) return;
    const problems = await ringProblems(members, fleet.ring, {
      healthProblem: this.#deps.healthProblem,
      patienceMs: this.#deps.healthTimeoutMs,
      signal: this.#stop.signal,
    });
    await this.#lock.run(fleetId, async () => {
      for (const [tenantId, problem] of problems) {
        const changes = { status: 'failed', reason: `Not healthy after its upgrade: ${problem}` } as const;
        await this.#rows.changeMember({ fleetId, tenantId }, ['succeeded'], changes);
        this.#news.member(fleet, tenantId, changes);
      }
      // One that was paused meanwhile is looked at again when it goes on.
      if (problems.size === 0) await this.#rows.change(fleetId, ['running'], { ring: next, nextRingAt: null });
    });
  }
}

/** Wakes one who waits; rung while nobody waits, it ends the next wait at once. */
class WakeSignal {
  #rung = false;
  #wake: (() => void) | undefined;

  get isWoken(): boolean {
    return this.#rung;
  }

  wake(): void {
    this.#rung = true;
    this.#wake?.();
  }

  /** Resolves when it is rung, or after so many milliseconds where a time is given. */
  async wait(milliseconds?: number): Promise<void> {
    if (!this.#rung) {
      let timer: NodeJS.Timeout | undefined;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        // A timer can't be set for longer than 24 days; who is woken too early looks again.
        if (milliseconds !== undefined) timer = setTimeout(resolve, Math.min(milliseconds, 2 ** 31 - 1));
      });
      clearTimeout(timer);
      this.#wake = undefined;
    }
    this.#rung = false;
  }
}

/** Tenants looked at side by side. */
const concurrency = 8;

/**
 * Looks whether all that were upgraded in a ring are still healthy; each has its time to become so.
 * @returns what is wrong, by tenant; those that are healthy are missing
 */
async function ringProblems(
  members: readonly Member[],
  ring: number,
  look: { healthProblem(tenantId: string): Promise<string | undefined>; patienceMs: number; signal: AbortSignal },
): Promise<Map<string, string>> {
  const problems = new Map<string, string>();
  const queue = members.filter((member) => member.ring === ring && member.status === 'succeeded');
  const worker = async (): Promise<void> => {
    for (let member = queue.shift(); member; member = queue.shift()) {
      const problem = await lastingProblem(member.tenantId, look);
      if (problem !== undefined) problems.set(member.tenantId, problem);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  return problems;
}

async function lastingProblem(tenantId: string, look: Parameters<typeof ringProblems>[2]): Promise<string | undefined> {
  let problem: string | undefined;
  const healthy = await poll<true>(
    async () => {
      problem = await look.healthProblem(tenantId).catch(messageOf);
      return problem === undefined ? true : undefined;
    },
    { timeoutMs: look.patienceMs, intervalMs: 1_000, signal: look.signal },
  );
  return healthy ? undefined : problem;
}
