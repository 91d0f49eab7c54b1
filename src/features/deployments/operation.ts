import { z } from 'zod';
import { siteRecord } from '../../adapters/proxies/site-record.ts';
import { liveRelease } from '../tenants/tenant.ts';
import { manifest } from './manifest.ts';

/** What a deployment was asked to do; never changes. */
export const deploymentInput = z.object({
  skip_ssl: z.boolean(),
  skip_proxy: z.boolean(),
  skip_services: z.boolean(),
  target_version: z.string().nullable(),
  /** The branch or commit that was asked for. */
  target_ref: z.string().nullable().default(null),
  /** The whole id of the commit that `target_ref` names; null where it names a branch. */
  target_commit: z.string().nullable().default(null),
});
export type DeploymentInput = z.output<typeof deploymentInput>;

/** What a deployment's steps intend and did, as kept in the journal. Holds no secrets: the environment is computed anew. */
export const deploymentState = z.object({
  release: liveRelease.optional(),
  manifest: manifest.optional(),
  /** The tenant's directory is about to be made by this deployment. */
  madeDirectory: z.boolean().optional(),
  environment: z.object({ path: z.string(), backup: z.string().nullable() }).optional(),
  /** The tenant's database is about to be made by this deployment. */
  madeDatabase: z.boolean().optional(),
  /** The tenant's site at the proxy before this deployment; null: there was none. */
  siteBefore: siteRecord.nullable().optional(),
});
export type DeploymentState = z.output<typeof deploymentState>;
