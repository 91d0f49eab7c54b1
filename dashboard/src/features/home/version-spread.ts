import type { Tenant } from '../../api/client.ts';
import { compareTexts } from '../../lib/figures.ts';

/** The versions that run, newest first, with the number of tenants of each. */
export function versionSpread(tenants: readonly Tenant[]): { version: string; count: number }[] {
  const counts = new Map<string, number>();
  for (const { version } of tenants) if (version) counts.set(version, (counts.get(version) ?? 0) + 1);
  return [...counts]
    .map(([version, count]) => ({ version, count }))
    .sort((one, other) => compareTexts(other.version, one.version));
}
