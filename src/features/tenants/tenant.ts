import { z } from 'zod';
import {
  type BoundDatabase,
  type DatabaseKind,
  type DatabaseSlot,
  databaseKinds,
} from '../../adapters/databases/tenant-database.ts';
import type { TenantSpace, UnitRole } from '../../adapters/runtimes/runtime.ts';
import { userChecks } from '../../adapters/tenant-api/user-steps/definition.ts';
import { AppError } from '../../lib/errors.ts';

export const tenantStatuses = ['pending', 'running', 'stopped', 'error'] as const;
export type TenantStatus = (typeof tenantStatuses)[number];

export const healthStatuses = ['unknown', 'healthy', 'degraded', 'unhealthy'] as const;
export type HealthStatus = (typeof healthStatuses)[number];

const liveUnit = z.object({
  start: z.string().optional(),
  port: z.number(),
  image: z
    .object({ dockerfile: z.string(), target: z.string().optional(), read_only: z.boolean().optional() })
    .optional(),
  health: z.string(),
  probe: z.string().optional(),
});

/** The release that a tenant runs, with its manifest at that version. Stored with the tenant. */
export const liveRelease = z.object({
  /** The tag; null if a branch or a commit was deployed. */
  version: z.string().nullable(),
  /** The requested branch or commit; none for a tag or the default. */
  ref: z.string().nullish(),
  commit: z.string(),
  key: z.string(),
  checkout: z.string(),
  units: z.object({ api: liveUnit, frontend: liveUnit }),
  /** Where its data is. Must not change: another database would be empty. */
  database: z.enum(databaseKinds).nullable(),
  /** What a user does with this version; missing in releases of earlier managers. */
  checks: userChecks.optional(),
  /** Seconds in which its units must become healthy; missing: the usual time. */
  startTimeout: z.number().optional(),
});
export type LiveRelease = z.output<typeof liveRelease>;

/** A tenant, assembled from its tables. */
export interface Tenant {
  id: string;
  name: string;
  slug: string;
  domain: string;
  apiDomain: string;
  status: TenantStatus;
  healthStatus: HealthStatus;
  healthDetails: Record<string, unknown> | null;
  /** When `healthStatus` last changed; null: not since registration. */
  healthSince: Date | null;
  frontendPort: number;
  backendPort: number;
  /** Absolute path of the tenant's own directory. */
  directory: string;
  /** Which of its two databases is its own; a restore puts the other in its place. */
  databaseSlot: DatabaseSlot;
  /** What was gone of its data when a restore made room for it; null: nothing, or it has been restored. */
  lostData: string | null;
  /** The repository's address with masked credentials; null if none is set. */
  gitRepo: string | null;
  notes: string | null;
  /** In alphabetical order. */
  tags: string[];
  createdAt: Date;
  deployedAt: Date | null;
  /** The deployed release; null before the first deployment. */
  deployed: LiveRelease | null;
}

/** A tenant's saved health. */
export type TenantHealth = Pick<Tenant, 'id' | 'slug' | 'status' | 'healthStatus'>;

/** Opens a tenant's database. */
export type DatabaseOf = (tenant: Tenant, kind: DatabaseKind) => Promise<BoundDatabase>;
/**
 * Finds out whether the data of deployed tenants is where it must be. Only what the engine or the server says does not exist counts:
 * one that does not answer is another error.
 */
export interface LostData {
  /** @throws AppError data_missing with what is gone and the newest backup; runtime_unavailable, database_unavailable */
  assertPresent(tenant: Tenant, signal: AbortSignal): Promise<void>;
  /** What is gone, by the tenant's id. What can't be known now is left out. */
  missing(tenants: readonly Tenant[], signal: AbortSignal): Promise<Map<string, string>>;
}

/** The environment of a tenant's units for a release. */
export type EnvironmentOf = (tenant: Tenant, release: LiveRelease) => Promise<Record<string, string>>;

/** The result of a tenant's health check. */
export interface HealthFinding {
  id: string;
  status: HealthStatus;
  details: Record<string, unknown>;
}

/** The port of a tenant's unit. */
export const portOf = (
  { backendPort, frontendPort }: Pick<Tenant, 'backendPort' | 'frontendPort'>,
  role: UnitRole,
): number => (role === 'api' ? backendPort : frontendPort);

/** The part of a tenant that runtimes need. */
export function spaceOf(tenant: Tenant): TenantSpace {
  return { id: tenant.id, slug: tenant.slug, directory: tenant.directory };
}

/**
 * The release that the tenant runs.
 * @throws AppError not_deployed before the first deployment
 */
export function deployedRelease(tenant: Tenant): LiveRelease {
  if (!tenant.deployed)
    throw new AppError('not_deployed', `${tenant.slug} has not been deployed yet. Deploy it first.`);
  return tenant.deployed;
}
