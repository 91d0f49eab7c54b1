import type { Client } from 'acme-client';
import type { Clock } from '../../../lib/clock.ts';

/** Where the answers to HTTP-01 challenges are laid, to be served at `/.well-known/acme-challenge/<token>` of every name. */
export interface Challenges {
  put(token: string, keyAuthorization: string): Promise<void>;
  remove(token: string): Promise<void>;
}

/**
 * Whether the authority will find the answer at the name, looked at before it is asked to: a failed look costs nothing, a failed
 * validation counts towards its limits.
 * @returns why it will not, or undefined where all is well
 */
export type Reachable = (
  name: string,
  token: string,
  keyAuthorization: string,
  signal: AbortSignal,
) => Promise<string | undefined>;

/** Bounds of one piece of work. */
export interface AcmeLimits {
  /** For one request. */
  requestMs: number;
  /** For a whole order. */
  orderMs: number;
  /** Between two requests for a state that should change. */
  pollMs: number;
  /** Before each further attempt after a transient failure. */
  retryDelaysMs: readonly number[];
}

/** One registered client at work for one caller. */
export interface Session {
  client: Client;
  challenges: Challenges;
  reachable: Reachable | undefined;
  limits: AcmeLimits;
  clock: Clock;
  signal: AbortSignal;
  log(line: string): void;
}
