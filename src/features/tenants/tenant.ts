import { z } from 'zod';
import type { TenantSpace } from '../../adapters/runtimes/runtime.ts';
import { AppError } from '../../lib/errors.ts';

export const tenantStatuses = ['pending', 'running', 'stopped', 'error'] as const;
export type TenantStatus = (typeof tenantStatuses)[number];

export const healthStatuses = ['unknown', 'healthy', 'degraded', 'unhealthy'] as const;
export type HealthStatus = (typeof healthStatuses)[number];

const liveUnit = z.object({
  start: z.string().optional(),
  port: z.number(),
  image: z.object({ dockerfile: z.string(), target: z.string().optional() }).optional(),
  health: z.string(),
  probe: z.string().optional(),
});

/** What a tenant runs: the release and how its repository described it at that version. Kept with the tenant. */
export const liveRelease = z.object({
  /** The tag, or null where a branch or a commit was deployed. */
  version: z.string().nullable(),
  /** The branch or commit that was named; none where a tag was, or nothing. */
  ref: z.string().nullish(),
  commit: z.string(),
  key: z.string(),
  checkout: z.string(),
  units: z.object({ api: liveUnit, frontend: liveUnit }),
  /** Where its data is: another place would begin empty. */
  database: z.enum(['sqlite', 'mariadb-container', 'mariadb-shared']).nullable(),
});
export type LiveRelease = z.output<typeof liveRelease>;
export type DatabaseKind = NonNullable<LiveRelease['database']>;

/** A tenant as the features work with it. */
export interface Tenant {
  id: string;
  name: string;
  slug: string;
  domain: string;
  apiDomain: string;
  status: TenantStatus;
  healthStatus: HealthStatus;
  healthDetails: Record<string, unknown> | null;
  /** Since when `healthStatus` is what it is; null where it has not changed since registration. */
  healthSince: Date | null;
  frontendPort: number;
  backendPort: number;
  /** Absolute path of the tenant's own directory. */
  directory: string;
  /** The repository's address with credentials masked; null where none is set. */
  gitRepo: string | null;
  notes: string | null;
  createdAt: Date;
  deployedAt: Date | null;
  /** What is deployed now; null before the first deployment. */
  deployed: LiveRelease | null;
}

/** What is kept of a tenant's health, and whose it is. */
export type TenantHealth = Pick<Tenant, 'id' | 'slug' | 'status' | 'healthStatus'>;

/** What a health check found of a tenant. */
export interface HealthFinding {
  id: string;
  status: HealthStatus;
  details: Record<string, unknown>;
}

/** The tenant as a runtime knows it. */
export function spaceOf(tenant: Tenant): TenantSpace {
  return { id: tenant.id, slug: tenant.slug, directory: tenant.directory };
}

/**
 * What the tenant runs.
 * @throws AppError not_deployed before the first deployment
 */
export function deployedRelease(tenant: Tenant): LiveRelease {
  if (!tenant.deployed) throw new AppError('not_deployed', `${tenant.slug} has not been deployed yet`);
  return tenant.deployed;
}
