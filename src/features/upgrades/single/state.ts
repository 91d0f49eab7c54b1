import { z } from 'zod';
import { databaseKinds } from '../../../adapters/databases/tenant-database.ts';
import { type ErrorCode, statusOfCode } from '../../../lib/errors.ts';
import { liveRelease, tenantStatuses } from '../../tenants/tenant.ts';

const errorCode = z.string().refine((code): code is ErrorCode => Object.hasOwn(statusOfCode, code));
const backup = z.object({ id: z.string(), path: z.string().nullable() });
const envFile = z.object({ path: z.string(), backup: z.string().nullable() });

const requested = {
  /** By step, for the response. */
  notes: z.record(z.string(), z.string()),
  /** The runtime became unavailable during the upgrade. */
  engineAway: z.boolean(),
  /** A worker of the manager failed. */
  workerFailed: z.boolean().optional(),
};
const untouched = {
  /** The code of the business error that ended the upgrade before the tenant was changed. */
  refusal: errorCode.nullable(),
};
const fetched = { ...requested, release: liveRelease, hasMigrations: z.boolean() };
const prepared = {
  ...fetched,
  /** The database that this upgrade creates for a tenant that has none; a rollback removes it. */
  newDatabase: z.enum(databaseKinds).nullable(),
};
const stopped = {
  ...prepared,
  /** The tenant's status when its services were stopped, which it gets back in the end. */
  before: z.enum(tenantStatuses),
  backup: backup.nullable(),
  /** The environment file from before the upgrade; null: not replaced yet. */
  envFile: envFile.nullable(),
};
/** The backup that a rollback restores; null: no migration changes existing data. */
const migrating = { ...stopped, restores: backup.nullable() };
const migrated = { ...migrating, migrationsRun: z.array(z.string()) };
const restoring = { ...stopped, restores: backup };

/**
 * What an upgrade's steps intend and did; contains no secrets. Each stage is saved before its work begins, except `fetched` and
 * `migrated`, which record a result:
 *
 *     requested → fetched → prepared → stopped ─→ migrating → migrated ─→ started
 *                                         └─────── no migration ───────────↑
 *
 * From `stopped` on, the tenant is changed and a rollback starts its services again. From `started` on, users may write to the
 * new version. If a migration ran on existing data, the rollback continues with
 *
 *     started → saving (a backup of what users wrote) ─→ restoring → restored
 *     migrating, migrated ──────────────────────────────↑
 *
 * and otherwise stays in its stage. Deployments read `release`, too.
 */
export const upgradeState = z.discriminatedUnion('stage', [
  z.object({ stage: z.literal('requested'), ...untouched, ...requested }),
  z.object({ stage: z.literal('fetched'), ...untouched, ...fetched }),
  z.object({ stage: z.literal('prepared'), ...untouched, ...prepared }),
  z.object({ stage: z.literal('stopped'), ...stopped }),
  z.object({ stage: z.literal('migrating'), ...migrating }),
  z.object({ stage: z.literal('migrated'), ...migrated }),
  z.object({ stage: z.literal('started'), ...migrated }),
  z.object({ stage: z.literal('saving'), ...restoring, written: z.string() }),
  z.object({ stage: z.literal('restoring'), ...restoring }),
  z.object({ stage: z.literal('restored'), ...restoring }),
]);
export type UpgradeState = z.output<typeof upgradeState>;
export type StateAt<Stage extends UpgradeState['stage']> = Extract<UpgradeState, { stage: Stage }>;

const initial = { stage: 'requested', notes: {}, engineAway: false, refusal: null };

/** The state from a journal, which is empty at the start. @throws ZodError */
export const readUpgradeState = (value: unknown): UpgradeState => upgradeState.parse({ ...initial, ...Object(value) });
