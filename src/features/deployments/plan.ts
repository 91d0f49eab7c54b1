import type { ProxyKind } from '../../adapters/proxies/proxy.ts';
import {
  type Release,
  type UnitDefinition,
  type UnitLimits,
  type UnitRole,
  type UnitSpec,
  unitRoles,
} from '../../adapters/runtimes/runtime.ts';
import { type LiveRelease, portOf, spaceOf, type Tenant } from '../tenants/tenant.ts';
import type { Manifest } from './manifest.ts';
import type { Target } from './target.ts';

/** The steps of a deployment, in order. */
export const stepNames = [
  'Copy files',
  'Install dependencies',
  'Generate environment',
  'Initialize database',
  'Create service-manager services',
  'Configure proxy',
  'Setup SSL',
  'Start services',
  'Health check',
] as const;
export type StepName = (typeof stepNames)[number];

export interface SkipFlags {
  skip_ssl: boolean;
  skip_proxy: boolean;
  skip_services: boolean;
}

/** Why a step is skipped; undefined: it runs. */
export function skipReason(step: StepName, flags: SkipFlags, proxy: ProxyKind): string | undefined {
  const ofServices: StepName[] = ['Create service-manager services', 'Start services', 'Health check'];
  if (flags.skip_services && ofServices.includes(step)) return 'skip_services is set';
  if (step !== 'Configure proxy' && step !== 'Setup SSL') return undefined;
  if (flags.skip_proxy) return 'skip_proxy is set';
  if (step === 'Setup SSL' && flags.skip_ssl) return 'skip_ssl is set';
  return proxy === 'none' ? 'no reverse proxy is configured (PROXY=none)' : undefined;
}

/** The release that a checkout of a target makes, as it is saved with the tenant once it is live. */
export function releaseOf(
  checkout: { key: string; commit: string; directory: string },
  { version, named }: Pick<Target, 'version' | 'named'>,
  manifest: Manifest,
  database: LiveRelease['database'],
): LiveRelease {
  return {
    version,
    ref: named,
    commit: checkout.commit,
    key: checkout.key,
    checkout: checkout.directory,
    units: manifest.units,
    database,
    checks: manifest.checks,
    ...(manifest.start_timeout === undefined ? {} : { startTimeout: manifest.start_timeout }),
  };
}

/** The units a tenant should have for a release. Pure. */
export function planUnits(facts: {
  tenant: Tenant;
  release: LiveRelease;
  environment: Readonly<Record<string, string>>;
  limits: UnitLimits;
}): UnitSpec[] {
  const { tenant, release, environment, limits } = facts;
  return unitRoles.map((role) => ({
    tenant: spaceOf(tenant),
    role,
    release: runtimeRelease(release),
    definition: definitionOf(release, role),
    environment,
    hostPort: portOf(tenant, role),
    limits,
  }));
}

/** The part of a unit's definition that a runtime uses. */
function definitionOf(release: LiveRelease, role: UnitRole): UnitDefinition {
  const { start, port, image, health } = release.units[role];
  return { start, port, image, health };
}

/** A release as the runtime's interface describes it. */
export function runtimeRelease(release: LiveRelease): Release {
  return { key: release.key, commit: release.commit, checkout: release.checkout };
}
