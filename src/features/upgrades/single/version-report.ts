import type { RemoteRefs } from '../../../adapters/git/versions.ts';
import { unitRoles } from '../../../adapters/runtimes/runtime.ts';
import { spaceOf, type Tenant } from '../../tenants/tenant.ts';
import type { FailureStore, UpgradeFailure } from '../store.ts';
import { isNewer, latestVersion } from './target.ts';
import type { UpgradesDeps } from './upgrade.ts';

/** What a tenant runs, and what it could run. */
export interface VersionReport {
  deployedVersion: string | null;
  /** The branch or commit that was deployed by name; null for a tag or none. */
  deployedRef: string | null;
  /** As reported by the tenant's units; null if there are none or they differ. */
  deployedCommit: string | null;
  latestVersion: string | null;
  latestCommit: string | null;
  upgradeAvailable: boolean;
  failedVersions: UpgradeFailure[];
}

/** @throws AppError git_error, runtime_unavailable */
export async function reportVersion(
  tenant: Tenant,
  failures: FailureStore,
  { runtime, source, tenants }: UpgradesDeps,
): Promise<VersionReport> {
  const address = await tenants.repositoryOf(tenant.id);
  const refs: RemoteRefs =
    address === null ? { tags: new Map(), branches: new Map(), head: null } : await source.refs(address);
  const [api, frontend] = await Promise.all(
    unitRoles.map(async (role) => (await runtime.inspect({ tenant: spaceOf(tenant), role })).commit),
  );
  const runs = tenant.deployed && api === frontend ? (api ?? null) : null;
  const latest = latestVersion(refs, tenant.deployed);
  return {
    deployedVersion: versionAt(runs, tenant, refs),
    deployedRef: (runs === null || runs === tenant.deployed?.commit ? tenant.deployed?.ref : null) ?? null,
    deployedCommit: runs,
    latestVersion: latest?.version ?? null,
    latestCommit: latest?.commit ?? null,
    upgradeAvailable: tenant.deployed !== null && latest !== undefined && isNewer(latest, tenant.deployed),
    failedVersions: (await failures.of(tenant.id)).filter(({ commit }) => commit !== runs),
  };
}

/** The tag of the running commit: after a deployment with skip_services, it may be older than the tenant's. */
function versionAt(runs: string | null, { deployed }: Tenant, { tags }: RemoteRefs): string | null {
  if (runs === null || runs === deployed?.commit) return deployed?.version ?? null;
  return [...tags].find(([, commit]) => commit === runs)?.[0] ?? null;
}
