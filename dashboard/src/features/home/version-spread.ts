import type { Tenant } from '../../api/client.ts';
import { collator } from '../../lib/figures.ts';

/** The versions that run, newest first, the newest known release, and how many tenants run an older one. */
export function versionSpread(tenants: readonly Tenant[]) {
  const counts = new Map<string, number>();
  for (const { version } of tenants) if (version) counts.set(version, (counts.get(version) ?? 0) + 1);
  const versions = [...counts]
    .map(([version, count]) => ({ version, count }))
    .sort((one, other) => collator.compare(other.version, one.version));
  const [newest] = [
    ...versions.map(({ version }) => version),
    ...tenants.flatMap((one) => one.update_available ?? []),
  ].sort((one, other) => collator.compare(other, one));
  return { versions, newest, behind: tenants.filter(({ version }) => version && version !== newest).length };
}
