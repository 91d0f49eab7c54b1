import type { Actor } from '../../../adapters/events/journal-entry.ts';
import type { RingSize } from './rollout/rings.ts';

/**
 * `paused` and `halted` begin nothing until resumed, `halted` by itself after too many failures. Upgrades under way go on to
 * their end in every one of them.
 */
export const fleetStatuses = ['pending', 'running', 'paused', 'halted', 'cancelled', 'completed'] as const;
export type FleetStatus = (typeof fleetStatuses)[number];

export const memberStatuses = ['waiting', 'upgrading', 'succeeded', 'failed', 'skipped'] as const;
export type MemberStatus = (typeof memberStatuses)[number];

/** How tenants are to be upgraded together. */
export interface FleetPlanOptions {
  targetVersion: string;
  rings: readonly RingSize[];
  /** So many may fail before the rest is left as it is. */
  maxFailures: number;
  /** Seconds between the end of a ring and the beginning of the next. */
  pauseBetweenS: number;
  backupDb: boolean;
  runMigrations: boolean;
  /** Also tenants for which this version has failed before. */
  retryFailed: boolean;
}

/** One upgrade of many tenants to a version, ring after ring. */
export interface Fleet {
  id: string;
  status: FleetStatus;
  options: FleetPlanOptions;
  /** The ring under way, from 0. */
  ring: number;
  /** The ring under way has ended and the next begins then, where all is healthy; null before that. */
  nextRingAt: Date | null;
  /** Failures that a user has seen and gone on after. */
  acceptedFailures: number;
  /** Why it was halted. */
  reason: string | null;
  createdBy: Actor;
  createdAt: Date;
  startedAt: Date | null;
  finishedAt: Date | null;
}

/** A tenant in a fleet upgrade; its slug tells which it was after it is gone. */
export interface Member {
  tenantId: string;
  slug: string;
  /** From 0; null: skipped from the beginning. */
  ring: number | null;
  status: MemberStatus;
  /** Why it was skipped, failed, or still waits though it could begin. */
  reason: string | null;
  /** The upgrade's, which is a deployment of kind `upgrade`; written down before it is begun. */
  operationId: string | null;
  /** What it ran when the fleet upgrade was asked for. */
  fromVersion: string | null;
  beganAt: Date | null;
  endedAt: Date | null;
}
