import type { Tenant } from '../../api/client.ts';

/** Numbers in versions by their value: v1.10.0 is newer than v1.9.0. */
const byVersion = new Intl.Collator('en', { numeric: true });

/** The versions that run, newest first, the newest known release, and how many tenants run an older one. */
export function versionSpread(tenants: readonly Tenant[]) {
  const counts = new Map<string, number>();
  for (const { version } of tenants) if (version) counts.set(version, (counts.get(version) ?? 0) + 1);
  const versions = [...counts]
    .map(([version, count]) => ({ version, count }))
    .sort((one, other) => byVersion.compare(other.version, one.version));
  const [newest] = [
    ...versions.map(({ version }) => version),
    ...tenants.flatMap((one) => one.update_available ?? []),
  ].sort((one, other) => byVersion.compare(other, one));
  return { versions, newest, behind: tenants.filter(({ version }) => version && version !== newest).length };
}
