import { z } from 'zod';
import { siteRecord } from '../../adapters/proxies/site-record.ts';
import { liveRelease } from '../tenants/tenant.ts';
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
