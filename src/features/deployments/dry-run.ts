import type { DatabaseKind } from '../../adapters/databases/tenant-database.ts';
import type { CommitRange } from '../../adapters/git/commits.ts';
import { AppError, invalid, messageOf } from '../../lib/errors.ts';
import type { EnvironmentChanges } from '../tenant-config/tenant-config.ts';
import { spaceOf, type Tenant } from '../tenants/tenant.ts';
import { readManifest } from './manifest.ts';
import type { DeploymentInput, DeploymentsDeps } from './operation.ts';
import { planUnits, releaseOf, type StepName, skipReason, stepNames } from './plan.ts';
import { chooseTarget, wantedBy } from './target.ts';

/** What a deployment would do. */
export interface DryRun {
  version: string | null;
  ref: string | null;
  commit: string;
  steps: { name: StepName; status: 'pending' | 'skipped'; reason: string | null }[];
  units: {
    name: string;
    change: 'create' | 'replace' | 'none';
    port: number;
    /** Names only: values may be secrets. */
    environment: string[];
  }[];
  release: { key: string; prepared: boolean };
  database: { kind: DatabaseKind } | null;
  migrations: string[];
  /** Compared to what is deployed; null before the first deployment. */
  changes: {
    /** null when the deployed commit is not in the repository any more, or git could not compare. */
    commits: { added: CommitRange; removed: CommitRange } | null;
    environment: EnvironmentChanges;
  } | null;
}

/** Plans a deployment without changing the tenant; the version's files may be copied into the shared cache. */
export async function dryRun(tenant: Tenant, request: DeploymentInput, deps: DeploymentsDeps): Promise<DryRun> {
  const address = (await deps.tenants.repositoryOf(tenant.id)) ?? '';
  const work = { signal: AbortSignal.timeout(120_000), keepFreeBytes: await deps.settings.minimumFreeBytes() };
  const target = chooseTarget(await deps.source.refs(address, work.signal), wantedBy(request), tenant.deployed);
  const checkout = await deps.source.checkOut(address, target.ref, work);
  const { manifest, database } = await contractOf(checkout.directory, tenant, deps);
  const release = releaseOf(checkout, target, manifest, database);
  const environment = await deps.environmentOf(tenant, release);
  const specs = planUnits({ tenant, release, environment, limits: await deps.settings.limits() });
  const units = specs.map(async (spec): Promise<DryRun['units'][number]> => {
    const live = await deps.runtime.isLive(spec);
    const { commit } = await deps.runtime.inspect({ tenant: spaceOf(tenant), role: spec.role });
    return {
      name: `${tenant.slug}-${spec.role}`,
      change: live ? 'none' : commit === null ? 'create' : 'replace',
      port: spec.hostPort,
      environment: Object.keys(environment),
    };
  });
  return {
    version: release.version,
    ref: target.named,
    commit: release.commit,
    steps: stepNames.map((name) => {
      const reason = skipReason(name, request, deps.proxy) ?? null;
      return { name, status: reason === null ? 'pending' : 'skipped', reason };
    }),
    units: request.skip_services ? [] : await Promise.all(units),
    release: { key: release.key, prepared: await deps.runtime.hasRelease(release.key) },
    database: release.database ? { kind: release.database } : null,
    migrations: manifest.migrations?.scripts ?? [],
    changes: tenant.deployed && {
      commits: await compareCommits(address, { from: tenant.deployed.commit, to: release.commit }, deps, work.signal),
      environment: (await deps.configs.compareEnvironment(tenant, environment)) ?? {
        added: [],
        changed: [],
        removed: [],
      },
    },
  };
}

/** The rest of the plan needs no comparison: where git fails, the commits are unknown. */
async function compareCommits(
  address: string,
  range: { from: string; to: string },
  { source }: DeploymentsDeps,
  signal: AbortSignal,
): Promise<{ added: CommitRange; removed: CommitRange } | null> {
  try {
    return (await source.compare(address, range, signal)) ?? null;
  } catch (error) {
    if (signal.aborted || (error instanceof AppError && error.code === 'git_error')) return null;
    throw error;
  }
}

/** @throws AppError validation_error: in a deployment these errors fail a step, here they are the response */
async function contractOf(checkout: string, tenant: Tenant, { runtime, chooseDatabase }: DeploymentsDeps) {
  try {
    const manifest = await readManifest(checkout, runtime.needs);
    return { manifest, database: chooseDatabase(manifest.database.engines, tenant.deployed?.database ?? null) };
  } catch (error) {
    throw invalid('git_repo', messageOf(error));
  }
}
