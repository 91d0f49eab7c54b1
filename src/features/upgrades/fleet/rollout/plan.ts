import { isOlderVersion, isVersionTag } from '../../../../adapters/git/versions.ts';
import type { FleetPlanOptions } from '../fleet.ts';
import { divideIntoRings } from './rings.ts';

/** A tenant chosen for a fleet upgrade. */
export interface Candidate {
  tenantId: string;
  slug: string;
  /** The deployed version; null for a branch's head. */
  deployed: { version: string | null; commit: string } | null;
  /** The unfinished fleet upgrade that includes it. */
  heldBy: string | undefined;
  /** The version's commit in its repository; null: no such version or no repository. Undefined: the repository did not answer. */
  offered: string | null | undefined;
  /** Versions that an earlier upgrade failed to, and why. */
  failures: readonly { version: string | null; commit: string; reason: string }[];
}

/** The ring of a tenant, from 0, or why it is skipped. */
export type Assignment = { ring: number; reason: null } | { ring: null; reason: string };

/** Divides the candidates that can be upgraded into rings, in the given order, and skips the others with the reason. */
export function planFleet<C extends Candidate>(
  candidates: readonly C[],
  options: Pick<FleetPlanOptions, 'targetVersion' | 'rings' | 'retryFailed'>,
): { candidate: C; assignment: Assignment }[] {
  const reasons = new Map(candidates.map((candidate) => [candidate, skipReason(candidate, options)]));
  const { rings } = divideIntoRings(
    candidates.filter((candidate) => reasons.get(candidate) === undefined),
    options.rings,
  );
  const ringOf = new Map(rings.flatMap((ring, index) => ring.map((candidate) => [candidate, index] as const)));
  return candidates.map((candidate) => {
    const ring = ringOf.get(candidate);
    if (ring !== undefined) return { candidate, assignment: { ring, reason: null } };
    const reason = reasons.get(candidate) ?? `Not in any ring (${options.rings.join(', ')})`;
    return { candidate, assignment: { ring: null, reason } };
  });
}

function skipReason(
  { deployed, heldBy, offered, failures }: Candidate,
  { targetVersion, retryFailed }: Pick<FleetPlanOptions, 'targetVersion' | 'retryFailed'>,
): string | undefined {
  if (deployed === null) return 'Not deployed';
  // A moved tag is another version.
  if (deployed.version === targetVersion && (offered === undefined || offered === deployed.commit))
    return `Already runs ${targetVersion}`;
  if (heldBy !== undefined) return `Already in fleet upgrade ${heldBy}`;
  if (offered === null) return `No version ${targetVersion} in its repository`;
  if (deployed.version !== null && isVersionTag(deployed.version) && isOlderVersion(targetVersion, deployed.version))
    return `Runs ${deployed.version}, which is newer`;
  const failure = failures.find(({ version, commit }) =>
    offered === undefined ? version === targetVersion : commit === offered,
  );
  if (failure && !retryFailed)
    return `An earlier upgrade to ${targetVersion} failed (set retry_failed to retry it): ${failure.reason}`;
  return undefined;
}
