import { isOlderVersion, isVersionTag } from '../../../../adapters/git/versions.ts';
import type { FleetPlanOptions } from '../fleet.ts';
import { divideIntoRings } from './rings.ts';

/** What is known of a tenant that was asked for. */
export interface Candidate {
  tenantId: string;
  slug: string;
  /** What it runs; its version is null for a branch's head. */
  deployed: { version: string | null; commit: string } | null;
  /** The fleet upgrade that it waits or is upgraded in. */
  heldBy: string | undefined;
  /** The commit of the version in its repository; null: it has none, or there is no repository. Undefined: it did not answer. */
  offered: string | null | undefined;
  /** What it could not be upgraded to before, and why. */
  failures: readonly { version: string | null; commit: string; reason: string }[];
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
  { deployed, heldBy, offered, failures }: Candidate,
  { targetVersion, retryFailed }: Pick<FleetPlanOptions, 'targetVersion' | 'retryFailed'>,
): string | undefined {
  if (deployed === null) return 'Not deployed';
  // A tag that was moved is another version.
  if (deployed.version === targetVersion && (offered === undefined || offered === deployed.commit))
    return `Runs ${targetVersion} already`;
  if (heldBy !== undefined) return `Is in the fleet upgrade ${heldBy}`;
  if (offered === null) return `No version ${targetVersion} in its repository`;
  if (deployed.version !== null && isVersionTag(deployed.version) && isOlderVersion(targetVersion, deployed.version))
    return `Runs ${deployed.version}, which is newer`;
  const failure = failures.find(({ version, commit }) =>
    offered === undefined ? version === targetVersion : commit === offered,
  );
  if (failure && !retryFailed)
    return `${targetVersion} has failed for it before (retry_failed tries it again): ${failure.reason}`;
  return undefined;
}
