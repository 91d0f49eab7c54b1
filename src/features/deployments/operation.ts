import { z } from 'zod';
import type { DatabaseEngine, DatabaseKind } from '../../adapters/databases/tenant-database.ts';
import type { WriteAuditLog } from '../../adapters/events/audit-log-entry.ts';
import type { Source } from '../../adapters/git/source.ts';
import type { ProxyKind } from '../../adapters/proxies/proxy.ts';
import { siteRecord } from '../../adapters/proxies/site-record.ts';
import type { ImageAccess } from '../../adapters/runtimes/image-access.ts';
import type { Runtime, UnitLimits } from '../../adapters/runtimes/runtime.ts';
import type { Clock } from '../../lib/clock.ts';
import type { FoundCause } from '../../lib/errors.ts';
import type { OperationEngine } from '../../lib/operations/engine.ts';
import type { Health } from '../health/health.ts';
import type { Sites } from '../sites/sites.ts';
import type { SyntheticChecks } from '../synthetic-checks/synthetic-checks.ts';
import type { TenantConfigs } from '../tenant-config/tenant-config.ts';
import {
  type DatabaseOf,
  type EnvironmentOf,
  type LiveRelease,
  type LostData,
  liveRelease,
  type Tenant,
} from '../tenants/tenant.ts';
import type { Tenants } from '../tenants/tenants.ts';
import { manifest } from './manifest.ts';

/** A deployment's request; never changes. */
export const deploymentInput = z.object({
  skip_ssl: z.boolean(),
  skip_proxy: z.boolean(),
  skip_services: z.boolean(),
  target_version: z.string().nullable(),
  /** The requested branch or commit. */
  target_ref: z.string().nullable().default(null),
  /** The full id of the commit that `target_ref` names; null if it names a branch. */
  target_commit: z.string().nullable().default(null),
  /** Data that is gone does not end it. */
  accept_data_loss: z.boolean().default(false),
  /** Who requested it; missing in a plan. */
  createdBy: z.string().optional(),
});
export type DeploymentInput = z.output<typeof deploymentInput>;

/** What a deployment's steps intend and did, as kept in the journal. Contains no secrets: each step computes the environment. */
export const deploymentState = z.object({
  release: liveRelease.optional(),
  manifest: manifest.optional(),
  /** This deployment creates the tenant's directory. */
  madeDirectory: z.boolean().optional(),
  environment: z.object({ path: z.string(), backup: z.string().nullable() }).optional(),
  /** This deployment creates the tenant's database. */
  madeDatabase: z.boolean().optional(),
  /** The tenant's site at the proxy before this deployment; null: none. */
  siteBefore: siteRecord.nullable().optional(),
});
export type DeploymentState = z.output<typeof deploymentState>;

/** What deployments need of the rest of the manager. */
export interface DeploymentsDeps {
  engine: OperationEngine;
  clock: Clock;
  writeAuditLog: WriteAuditLog;
  runtime: Runtime;
  source: Source;
  tenants: Tenants;
  configs: TenantConfigs;
  environmentOf: EnvironmentOf;
  databaseOf: DatabaseOf;
  lostData: LostData;
  /**
   * Picks the best of the application's engines that is available here, or keeps the tenant's; null for an application
   * without a database. @throws Error with the reason if no engine is available
   */
  chooseDatabase(engines: readonly DatabaseEngine[], current: DatabaseKind | null): DatabaseKind | null;
  /** The registries as a tenant's builds may use them. */
  imageAccessOf(tenant: Tenant): ImageAccess;
  proveHealthy: Health['proveHealthy'];
  proveUserSteps: SyntheticChecks['prove'];
  /** Why a started release does not work, before it is rolled back; undefined: unknown. */
  diagnoseStarted(tenant: Tenant, release: LiveRelease, options: { proxied: boolean }): Promise<FoundCause | undefined>;
  /** How long the units of a release may take to become healthy. */
  healthTimeoutMs(release: Pick<LiveRelease, 'startTimeout'>): number;
  proxy: ProxyKind;
  sites: Sites['steps'];
  /** Where the manager keeps its files; checked for free space. */
  dataDirectory: string;
  settings: {
    limits(): Promise<UnitLimits>;
    /** Releases kept per tenant in addition to the live one. */
    releaseRetention(): Promise<number>;
    /** The time that a step of an operation may take. */
    stepTimeoutSeconds(): Promise<number>;
    /** The size that the cache of image builds may have on each engine. */
    buildCacheBytes(): Promise<number>;
    /** Bytes that must be free before a deployment. */
    minimumFreeBytes(): Promise<number>;
  };
}

/** The version that an operation deployed, from its state; null: none, or a branch. */
export function versionOf(state: unknown): string | null {
  if (typeof state !== 'object' || state === null || !('release' in state)) return null;
  const { release } = state;
  if (typeof release !== 'object' || release === null || !('version' in release)) return null;
  return typeof release.version === 'string' ? release.version : null;
}
