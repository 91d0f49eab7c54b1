import { invalid, messageOf } from '../../lib/errors.ts';
import { type DatabaseKind, spaceOf, type Tenant } from '../tenants/tenant.ts';
import type { DeploymentDependencies } from './dependencies.ts';
import { readManifest } from './manifest.ts';
import type { DeploymentInput } from './operation.ts';
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
    /** The names alone: values may be secrets. */
    environment: string[];
  }[];
  release: { key: string; prepared: boolean };
  database: { kind: DatabaseKind } | null;
  migrations: string[];
}

type Tools = Pick<
  DeploymentDependencies,
  'runtime' | 'source' | 'tenants' | 'databases' | 'environment' | 'settings' | 'proxy'
>;

/** Plans a deployment without changing anything of the tenant; the version's files may be brought into the shared cache. */
export async function dryRun(tenant: Tenant, request: DeploymentInput, tools: Tools): Promise<DryRun> {
  const address = (await tools.tenants.repositoryOf(tenant.id)) ?? '';
  const work = { signal: AbortSignal.timeout(120_000) };
  const target = chooseTarget(await tools.source.refs(address, work.signal), wantedBy(request), tenant.deployed);
  const checkout = await tools.source.checkOut(address, target.ref, work);
  const { manifest, database } = await contractOf(checkout.directory, tenant, tools);
  const release = releaseOf(checkout, target, manifest, database);
  const environment = await tools.environment.of(tenant, release);
  const specs = planUnits({ tenant, release, environment, limits: await tools.settings.limits() });
  const units = specs.map(async (spec): Promise<DryRun['units'][number]> => {
    const live = await tools.runtime.isLive(spec);
    const { commit } = await tools.runtime.inspect({ tenant: spaceOf(tenant), role: spec.role });
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
      const reason = skipReason(name, request, tools.proxy) ?? null;
      return { name, status: reason === null ? 'pending' : 'skipped', reason };
    }),
    units: request.skip_services ? [] : await Promise.all(units),
    release: { key: release.key, prepared: await tools.runtime.hasRelease(release.key) },
    database: release.database ? { kind: release.database } : null,
    migrations: manifest.migrations?.scripts ?? [],
  };
}

/** @throws AppError validation_error: in a deployment these are a step's failure, here they are the answer */
async function contractOf(checkout: string, tenant: Tenant, { runtime, databases }: Tools) {
  try {
    const manifest = await readManifest(checkout, runtime.needs);
    return { manifest, database: databases.choose(manifest.database.engines, tenant.deployed?.database ?? null) };
  } catch (error) {
    throw invalid('git_repo', messageOf(error));
  }
}
