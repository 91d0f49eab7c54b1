import PQueue from 'p-queue';
import { KeyedLock } from '../../../lib/concurrency/keyed-lock.ts';
import { RateLimiterMemory } from '../../../lib/concurrency/rate-limiter-memory.ts';
import { AppError } from '../../../lib/errors.ts';
import { networkOf } from '../../../lib/ip-address.ts';

const windowSeconds = 15 * 60;
/** Failures of one name from one address before the pair is locked until the window ends. */
const maxPairFailures = 10;
/** Failures of one name from all addresses, or of one address with all names, before each further failure causes a delay. */
const maxSharedFailures = 30;
const maxDelaySeconds = 60;
/** A password check occupies one of Node's four pool threads, shared with file access, for 0.25 s. */
const maxConcurrentChecks = 2;
const maxQueued = 200;
const maxKnownPairs = 10_000;

/** The submitted user name and the client's network address. */
interface Attempt {
  name: string;
  address: string;
}

export interface LoginLimit {
  /**
   * Runs a password check; `undefined` means failure. A name and an address that have logged in together are a known pair:
   * failures of others don't delay it, and its own failures delay it instead of locking it. Running checks count as failures
   * until they end; further checks wait.
   * @throws AppError rate_limited after too many failures
   */
  attempt<T>(attempt: Attempt, check: () => Promise<T | undefined>): Promise<T | undefined>;
}

/** The key that failures are counted by, and the penalty: a lock until the window ends, or growing delays. */
interface Rule {
  key: string;
  failures: number;
  penalty: 'lock' | 'delay';
}

interface Running {
  count: number;
  /** Resolves when one of the running checks ends. */
  ended: PromiseWithResolvers<void>;
}

type Outcome = 'success' | 'failure' | 'unknown';

export function createLoginLimit(): LoginLimit {
  // At most three keys for each check of the last 15 minutes, so `maxConcurrentChecks` bounds both.
  const failures = new RateLimiterMemory({ points: 1, duration: windowSeconds });
  const delays = new RateLimiterMemory({ points: 1, duration: maxDelaySeconds });
  const checks = new PQueue({ concurrency: maxConcurrentChecks });
  const knownPairs = new Set<string>();
  const running = new Map<string, Running>();
  /** Unfinished attempts, including those waiting for others of their pair. */
  let pending = 0;
  // One attempt at a time reads and changes the counts.
  const lock = new KeyedLock();

  function rulesOf({ name, address }: Attempt): [pair: Rule, ...shared: Rule[]] {
    const network = networkOf(address);
    const key = JSON.stringify([name, network]);
    if (knownPairs.has(key)) return [{ key, failures: maxPairFailures, penalty: 'delay' }];
    return [
      { key, failures: maxPairFailures, penalty: 'lock' },
      { key: `name:${name}`, failures: maxSharedFailures, penalty: 'delay' },
      { key: `address:${network}`, failures: maxSharedFailures, penalty: 'delay' },
    ];
  }

  async function failuresOf(rule: Rule): Promise<number> {
    const state = await failures.get(rule.key);
    const count = state && (state.msBeforeNext ?? 0) > 0 ? (state.consumedPoints ?? 0) : 0;
    const wait = rule.penalty === 'delay' ? (await delays.get(rule.key))?.msBeforeNext : state?.msBeforeNext;
    if (count >= rule.failures && (wait ?? 0) > 0) throw tooMany((wait ?? 0) / 1_000);
    return count;
  }

  /** Enters if the limit allows one more check even if all running ones fail; else returns a check to wait for. */
  async function tryEnter(rules: readonly Rule[]): Promise<Running['ended'] | undefined> {
    for (const rule of rules) {
      const free = Math.max(1, rule.failures - (await failuresOf(rule)));
      const now = running.get(rule.key);
      if (now && now.count >= free) return now.ended;
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
    await delays.block(key, Math.min(maxDelaySeconds, 2 ** (consumedPoints - allowed)));
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
      // All waiting attempts try again; those that still can't start wait for the next one to end.
      now.ended.resolve();
      now.ended = Promise.withResolvers<void>();
      if (now.count === 0) running.delete(key);
    }
  }

  /** Remembers the pairs that logged in most recently. */
  function remember(pair: string): void {
    knownPairs.delete(pair);
    knownPairs.add(pair);
    const [oldest] = knownPairs;
    if (knownPairs.size > maxKnownPairs && oldest !== undefined) knownPairs.delete(oldest);
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
