import { withTimeout } from '../../lib/concurrency/timeout.ts';
import { AppError } from '../../lib/errors.ts';
import type { Credential } from '../../lib/http/requests/credential.ts';
import { may } from '../../lib/http/routing/roles.ts';
import type { Principal } from '../../lib/http/routing/route.ts';
import { networkOf } from '../../lib/ip-address.ts';
import type { Logger } from '../../lib/logger.ts';
import { type Authenticate, admit } from './admit.ts';

const usualLimits = {
  total: 5_000,
  /** Slots of the total that are reserved for administrators. */
  reservedForAdmins: 250,
  perUser: 200,
  /** Administrators excepted: all users of a reverse proxy that is not in TRUST_PROXY have one address. */
  perAddress: 1_000,
};

const usualTiming = {
  /** Milliseconds between checks. */
  recheckEvery: 15_000,
  /** Milliseconds that one check may take. */
  checkTimeout: 5_000,
};

/** A stream whose caller could not be checked this many times in a row is closed. */
const maxUncheckedInARow = 3;

export type StreamLimits = typeof usualLimits;
export type StreamTiming = typeof usualTiming;

interface StreamCaller {
  principal: Principal;
  /** The credential for later checks of the caller. */
  credential: Credential;
  address: string;
}

/** Ends a stream: the caller is refused (401, 403), or could not be checked (503). */
type Revoke = (error: AppError) => void;

interface OpenStream {
  caller: StreamCaller;
  revoke: Revoke;
  uncheckedInARow: number;
}

interface OpenStreamsOptions {
  authenticate: Authenticate;
  logger: Logger;
  limits?: Partial<StreamLimits>;
  timing?: Partial<StreamTiming>;
}

/**
 * All open streams: WebSockets, Socket.io connections and server-sent events. Bounds how many there are, and checks again and
 * again that their callers may still see them, since a stream outlives the check at its start.
 */
export class OpenStreams {
  readonly #streams = new Set<OpenStream>();
  readonly #perUser = new Counts();
  readonly #perAddress = new Counts();
  readonly #options: OpenStreamsOptions;
  readonly #limits: StreamLimits;
  readonly #timing: StreamTiming;
  readonly #timer: NodeJS.Timeout;
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  constructor(options: OpenStreamsOptions) {
    this.#options = options;
    this.#limits = { ...usualLimits, ...options.limits };
    this.#timing = { ...usualTiming, ...options.timing };
    this.#timer = setInterval(() => void this.recheck(), this.#timing.recheckEvery);
    this.#timer.unref();
  }

  get size(): number {
    return this.#streams.size;
  }

  /** Reserves a slot; returns the function that releases it. @throws AppError rate_limited */
  open(caller: StreamCaller, revoke: Revoke): () => void {
    this.#assertRoom(caller);
    const stream: OpenStream = { caller, revoke, uncheckedInARow: 0 };
    const { principal } = caller;
    const address = networkOf(caller.address);
    this.#streams.add(stream);
    this.#perUser.add(principal.userId, 1);
    this.#perAddress.add(address, 1);
    return () => {
      if (!this.#streams.delete(stream)) return;
      this.#perUser.add(principal.userId, -1);
      this.#perAddress.add(address, -1);
    };
  }

  /**
   * Checks the callers of all streams now; one check for each credential. Ends in bounded time, whatever the store does: a check
   * that takes too long counts as failed.
   */
  recheck(): Promise<void> {
    if (!this.#running) {
      this.#running = this.#checkAll().finally(() => {
        this.#running = undefined;
      });
      return this.#running;
    }
    // A running check may have read the store before the change that this call is about.
    this.#next ??= this.#running.then(() => {
      this.#next = undefined;
      return this.recheck();
    });
    return this.#next;
  }

  /** Ends the timer. */
  close(): void {
    clearInterval(this.#timer);
  }

  #assertRoom({ principal, address }: StreamCaller): void {
    const { total, reservedForAdmins, perUser, perAddress } = this.#limits;
    if (this.#perUser.of(principal.userId) >= perUser) {
      throw new AppError('rate_limited', `At most ${perUser} open streams for one user: close some of them`);
    }
    if (may(principal.role, 'administer') ? this.size < total : this.size < total - reservedForAdmins) {
      if (may(principal.role, 'administer') || this.#perAddress.of(networkOf(address)) < perAddress) return;
      throw new AppError('rate_limited', `At most ${perAddress} open streams from one address`);
    }
    throw new AppError('rate_limited', 'Too many open streams');
  }

  async #checkAll(): Promise<void> {
    const byCredential = Map.groupBy(this.#streams, ({ caller }) => keyOf(caller.credential));
    await Promise.all([...byCredential.values()].map((streams) => this.#check(streams)));
  }

  /** Checks the common credential of some streams. */
  async #check(streams: OpenStream[]): Promise<void> {
    const credential = streams[0]?.caller.credential;
    try {
      await withTimeout(() => admit(this.#options.authenticate, credential, { countsAsUse: false }), {
        timeoutMs: this.#timing.checkTimeout,
      });
      for (const stream of streams) stream.uncheckedInARow = 0;
    } catch (error) {
      if (error instanceof AppError && refusals.has(error.code)) {
        for (const stream of streams) stream.revoke(error);
        return;
      }
      this.#options.logger.warn({ err: error }, 'callers of open streams could not be checked');
      for (const stream of streams) {
        stream.uncheckedInARow += 1;
        if (stream.uncheckedInARow >= maxUncheckedInARow) stream.revoke(unchecked());
      }
    }
  }
}

/** How many there are of each key. */
class Counts {
  readonly #counts = new Map<string, number>();

  of(key: string): number {
    return this.#counts.get(key) ?? 0;
  }

  add(key: string, difference: number): void {
    const count = this.of(key) + difference;
    if (count > 0) this.#counts.set(key, count);
    else this.#counts.delete(key);
  }
}

const keyOf = ({ kind, value }: Credential): string => `${kind} ${value}`;
const unchecked = (): AppError =>
  new AppError('database_unavailable', 'The access to this stream could not be checked');

const refusals: ReadonlySet<string> = new Set([
  'unauthorized',
  'invalid_credentials',
  'token_expired',
  'forbidden',
  'password_change_required',
]);
