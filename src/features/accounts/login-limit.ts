import { isIPv6 } from 'node:net';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { AppError } from '../../kernel/errors.ts';
import { KeyedLock } from '../../kernel/locks.ts';

const failuresAllowed = 10;
const windowSeconds = 15 * 60;

/** Who tries: the name that was given, and the network address it came from. */
interface Attempt {
  name: string;
  address: string;
}

export interface LoginLimit {
  /**
   * Runs one check of a password. What it answers as `undefined` counts as a failure of the name and of the address; a
   * success resets the name. Checks of one name or address that run at the same time count as failures until they end:
   * many at once are no way around the limit, they wait for their turn.
   * @throws AppError rate_limited after too many failures
   */
  attempt<T>(attempt: Attempt, check: () => Promise<T | undefined>): Promise<T | undefined>;
}

interface Running {
  count: number;
  /** Resolves when one of them ends. */
  ended: PromiseWithResolvers<void>;
}

type Outcome = 'success' | 'failure' | 'unknown';

export function createLoginLimit(): LoginLimit {
  const limiter = new RateLimiterMemory({ points: failuresAllowed, duration: windowSeconds });
  const running = new Map<string, Running>();
  // Counts are read and changed by one attempt at a time.
  const lock = new KeyedLock();

  async function failuresOf(key: string): Promise<number> {
    const state = await limiter.get(key);
    if (!state || (state.msBeforeNext ?? 0) <= 0) return 0;
    const failures = state.consumedPoints ?? 0;
    if (failures >= failuresAllowed) {
      throw new AppError('rate_limited', 'Too many failed attempts; try again later', {
        headers: { 'Retry-After': String(Math.ceil((state.msBeforeNext ?? 0) / 1_000)) },
      });
    }
    return failures;
  }

  /** Enters where the checks under way, all failing, would leave room for one more; else answers one that is to end first. */
  async function tryEnter(keys: readonly string[]): Promise<Running['ended'] | undefined> {
    for (const key of keys) {
      const failures = await failuresOf(key);
      const now = running.get(key);
      if (now && failures + now.count >= failuresAllowed) return now.ended;
    }
    for (const key of keys) {
      const now = running.get(key) ?? { count: 0, ended: Promise.withResolvers<void>() };
      now.count += 1;
      running.set(key, now);
    }
    return undefined;
  }

  async function enter(keys: readonly string[]): Promise<void> {
    for (;;) {
      const full = await lock.run('counts', () => tryEnter(keys));
      if (!full) return;
      await full.promise;
    }
  }

  async function leave(nameKey: string, keys: readonly string[], outcome: Outcome): Promise<void> {
    if (outcome === 'failure') await Promise.all(keys.map((key) => limiter.penalty(key)));
    if (outcome === 'success') await limiter.delete(nameKey);
    for (const key of keys) {
      const now = running.get(key);
      if (!now) continue;
      now.count -= 1;
      // Everybody who waits looks again; who still finds no room waits for the next end.
      now.ended.resolve();
      now.ended = Promise.withResolvers<void>();
      if (now.count === 0) running.delete(key);
    }
  }

  return {
    async attempt({ name, address }, check) {
      const nameKey = `name:${name}`;
      const keys = [nameKey, `address:${networkOf(address)}`];
      await enter(keys);
      let outcome: Outcome = 'unknown';
      try {
        const result = await check();
        outcome = result === undefined ? 'failure' : 'success';
        return result;
      } finally {
        await lock.run('counts', () => leave(nameKey, keys, outcome));
      }
    },
  };
}

/** One customer of a provider has a whole IPv6 /64: it counts as one address. */
function networkOf(address: string): string {
  if (!isIPv6(address) || address.startsWith('::ffff:')) return address;
  const [head = '', tail] = address.split('::');
  const groups = head.split(':').filter(Boolean);
  const rest = tail === undefined ? [] : tail.split(':').filter(Boolean);
  const zeros = tail === undefined ? 0 : 8 - groups.length - rest.length;
  return [...groups, ...Array<string>(Math.max(0, zeros)).fill('0'), ...rest].slice(0, 4).join(':');
}
