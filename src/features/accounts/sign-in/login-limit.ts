import PQueue from 'p-queue';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { KeyedLock } from '../../../lib/concurrency/keyed-lock.ts';
import { AppError } from '../../../lib/errors.ts';
import { networkOf } from '../../../lib/ip-address.ts';

const windowSeconds = 15 * 60;
/** Failures of a name from one address, after which this pair is refused until the window ends. */
const pairFailures = 10;
/** Failures of a name from all addresses, or of an address with all names, after which a delay follows each further one. */
const sharedFailures = 30;
const longestDelaySeconds = 60;
/** A password check keeps a thread busy for a quarter of a second; Node shares four of them with file access. */
const checksAtOnce = 2;
const maxQueued = 200;
const knownPairsKept = 10_000;

/** Who tries: the name that was given, and the network address it came from. */
interface Attempt {
  name: string;
  address: string;
}

export interface LoginLimit {
  /**
   * Runs one check of a password; `undefined` from it is a failure. A name and an address that have succeeded together are a
   * known pair: failures of others do not hold it up, and its own ones delay it instead of locking it. Checks that run at the
   * same time count as failures until they end, further ones wait.
   * @throws AppError rate_limited after too many failures
   */
  attempt<T>(attempt: Attempt, check: () => Promise<T | undefined>): Promise<T | undefined>;
}

/** What failures are counted by, and what follows too many of them: a lock until the window ends, or growing delays. */
interface Rule {
  key: string;
  failures: number;
  penalty: 'lock' | 'delay';
}

interface Running {
  count: number;
  /** Resolves when one of them ends. */
  ended: PromiseWithResolvers<void>;
}

type Outcome = 'success' | 'failure' | 'unknown';

export function createLoginLimit(): LoginLimit {
  // Keys of both are at most three for each check of the last 15 minutes, which `checksAtOnce` bounds.
  const failures = new RateLimiterMemory({ points: 1, duration: windowSeconds });
  const delays = new RateLimiterMemory({ points: 1, duration: longestDelaySeconds });
  const checks = new PQueue({ concurrency: checksAtOnce });
  const knownPairs = new Set<string>();
  const running = new Map<string, Running>();
  /** Attempts that have not ended, those that wait for others of their pair too. */
  let pending = 0;
  // Counts are read and changed by one attempt at a time.
  const lock = new KeyedLock();

  function rulesOf({ name, address }: Attempt): [pair: Rule, ...shared: Rule[]] {
    const network = networkOf(address);
    const key = JSON.stringify([name, network]);
    if (knownPairs.has(key)) return [{ key, failures: pairFailures, penalty: 'delay' }];
    return [
      { key, failures: pairFailures, penalty: 'lock' },
      { key: `name:${name}`, failures: sharedFailures, penalty: 'delay' },
      { key: `address:${network}`, failures: sharedFailures, penalty: 'delay' },
    ];
  }

  async function failuresOf(rule: Rule): Promise<number> {
    const state = await failures.get(rule.key);
    const count = state && (state.msBeforeNext ?? 0) > 0 ? (state.consumedPoints ?? 0) : 0;
    const wait = rule.penalty === 'delay' ? (await delays.get(rule.key))?.msBeforeNext : state?.msBeforeNext;
    if (count >= rule.failures && (wait ?? 0) > 0) throw tooMany((wait ?? 0) / 1_000);
    return count;
  }

  /** Enters where the checks under way, all failing, would leave room for one more; else answers one that is to end first. */
  async function tryEnter(rules: readonly Rule[]): Promise<Running['ended'] | undefined> {
    for (const rule of rules) {
      const room = Math.max(1, rule.failures - (await failuresOf(rule)));
      const now = running.get(rule.key);
      if (now && now.count >= room) return now.ended;
    }
    for (const { key } of rules) {
      const now = running.get(key) ?? { count: 0, ended: Promise.withResolvers<void>() };
      now.count += 1;
      running.set(key, now);
    }
    return undefined;
  }

  async function enter(rules: readonly Rule[]): Promise<void> {
    for (;;) {
      const full = await lock.run('counts', () => tryEnter(rules));
      if (!full) return;
      await full.promise;
    }
  }

  async function countFailure({ key, failures: allowed, penalty }: Rule): Promise<void> {
    const { consumedPoints } = await failures.penalty(key);
    if (penalty === 'lock' || consumedPoints < allowed) return;
    await delays.block(key, Math.min(longestDelaySeconds, 2 ** (consumedPoints - allowed)));
  }

  async function leave(rules: ReturnType<typeof rulesOf>, outcome: Outcome): Promise<void> {
    const [{ key: pair }] = rules;
    if (outcome === 'failure') await Promise.all(rules.map(countFailure));
    if (outcome === 'success') {
      await Promise.all([failures.delete(pair), delays.delete(pair)]);
      remember(pair);
    }
    for (const { key } of rules) {
      const now = running.get(key);
      if (!now) continue;
      now.count -= 1;
      // All that wait look again; those that still find no room wait for the next end.
      now.ended.resolve();
      now.ended = Promise.withResolvers<void>();
      if (now.count === 0) running.delete(key);
    }
  }

  /** Keeps the pairs that succeeded last. */
  function remember(pair: string): void {
    knownPairs.delete(pair);
    knownPairs.add(pair);
    const [oldest] = knownPairs;
    if (knownPairs.size > knownPairsKept && oldest !== undefined) knownPairs.delete(oldest);
  }

  return {
    async attempt(attempt, check) {
      const rules = rulesOf(attempt);
      const known = rules.length === 1;
      if (!known && pending >= maxQueued) throw tooMany(5);
      pending += 1;
      try {
        return await checked(rules, known, check);
      } finally {
        pending -= 1;
      }
    },
  };

  async function checked<T>(
    rules: ReturnType<typeof rulesOf>,
    known: boolean,
    check: () => Promise<T | undefined>,
  ): Promise<T | undefined> {
    await enter(rules);
    let outcome: Outcome = 'unknown';
    try {
      const result = await checks.add(check, { priority: known ? 1 : 0 });
      outcome = result === undefined ? 'failure' : 'success';
      return result;
    } finally {
      await lock.run('counts', () => leave(rules, outcome));
    }
  }
}

const tooMany = (seconds: number): AppError =>
  new AppError('rate_limited', 'Too many failed attempts; try again later', {
    headers: { 'Retry-After': String(Math.ceil(seconds)) },
  });
