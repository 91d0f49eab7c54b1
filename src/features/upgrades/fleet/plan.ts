import semver from 'semver';
import type { FleetPlanOptions } from './fleet.ts';
import { divideIntoRings } from './rings.ts';

/** What is known of a tenant that was asked for. */
export interface Candidate {
  tenantId: string;
  slug: string;
  isDeployed: boolean;
  /** The tag it runs; null where it is a branch's head or nothing. */
  version: string | null;
  /** The fleet upgrade that it waits or is upgraded in. */
  heldBy: string | undefined;
  /** How this version failed for it before. */
  failedBefore: string | undefined;
  /** False where its repository was asked and has no such version. */
  offersVersion: boolean;
}

/** A tenant's place: a ring from 0, or why it is passed over. */
export type Place = { ring: number; reason: null } | { ring: null; reason: string };

/**
 * Gives every candidate its place: those that can be upgraded are divided into rings in the order given, the others are
 * skipped with the reason.
 */
export function planFleet<C extends Candidate>(
  candidates: readonly C[],
  options: Pick<FleetPlanOptions, 'targetVersion' | 'rings' | 'retryFailed'>,
): { candidate: C; place: Place }[] {
  const reasons = new Map(candidates.map((candidate) => [candidate, skipReason(candidate, options)]));
  const { rings } = divideIntoRings(
    candidates.filter((candidate) => reasons.get(candidate) === undefined),
    options.rings,
  );
  const ringOf = new Map(rings.flatMap((ring, index) => ring.map((candidate) => [candidate, index] as const)));
  return candidates.map((candidate) => {
    const ring = ringOf.get(candidate);
    if (ring !== undefined) return { candidate, place: { ring, reason: null } };
    const reason = reasons.get(candidate) ?? `Left out: the rings end before it (${options.rings.join(', ')})`;
    return { candidate, place: { ring: null, reason } };
  });
}

function skipReason(
  candidate: Candidate,
  { targetVersion, retryFailed }: Pick<FleetPlanOptions, 'targetVersion' | 'retryFailed'>,
): string | undefined {
  const { version } = candidate;
  if (!candidate.isDeployed) return 'Not deployed';
  if (version === targetVersion) return `Runs ${targetVersion} already`;
  if (candidate.heldBy !== undefined) return `Is in the fleet upgrade ${candidate.heldBy}`;
  if (!candidate.offersVersion) return `Its repository has no version ${targetVersion}`;
  if (version !== null && semver.valid(version) !== null && semver.gt(version, targetVersion))
    return `Runs ${version}, which is newer`;
  if (candidate.failedBefore !== undefined && !retryFailed)
    return `${targetVersion} has failed for it before (retry_failed tries it again): ${candidate.failedBefore}`;
  return undefined;
}
