import type { Client } from 'acme-client';
import type { Clock } from '../../../lib/clock.ts';

/** Stores answers to HTTP-01 challenges, served at `/.well-known/acme-challenge/<token>` of every name. */
export interface Challenges {
  put(token: string, keyAuthorization: string): Promise<void>;
  remove(token: string): Promise<void>;
}

/**
 * Checks whether the authority will find the answer at the name: a failed check costs nothing, a failed validation counts
 * towards its limits.
 * @returns the obstacle, or undefined
 */
export type Reachable = (
  name: string,
  token: string,
  keyAuthorization: string,
  signal: AbortSignal,
) => Promise<string | undefined>;

/** Limits of one piece of work. */
export interface AcmeLimits {
  /** Timeout of a request. */
  requestMs: number;
  /** Timeout of an order. */
  orderMs: number;
  /** Between two requests for a state that should change. */
  pollMs: number;
  /** Before each further attempt after a transient failure. */
  retryDelaysMs: readonly number[];
}

/** A registered client with its caller's options. */
export interface Session {
  client: Client;
  challenges: Challenges;
  reachable: Reachable | undefined;
  limits: AcmeLimits;
  clock: Clock;
  signal: AbortSignal;
  log(line: string): void;
}
