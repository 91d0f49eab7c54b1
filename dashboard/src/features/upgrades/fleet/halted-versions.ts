import type { components } from '../../../api/schema.ts';

type FleetSummary = components['schemas']['FleetUpgradeSummary'];

/** Versions whose last upgrade of many tenants was halted, or stopped after failures. @param fleets newest first */
export function haltedVersions(
  fleets: readonly Pick<FleetSummary, 'target_version' | 'status' | 'counts'>[],
): ReadonlySet<string> {
  const last = new Map<string, boolean>();
  for (const { target_version, status, counts } of fleets) {
    if (last.has(target_version)) continue;
    last.set(target_version, status === 'halted' || (status === 'cancelled' && counts.failed > 0));
  }
  return new Set([...last].filter(([, halted]) => halted).map(([version]) => version));
}
