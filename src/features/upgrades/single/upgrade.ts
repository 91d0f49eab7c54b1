import { z } from 'zod';
import type { Actor } from '../../../adapters/events/journal-entry.ts';
import { type ErrorCode, statusOfCode } from '../../../lib/errors.ts';
import { liveRelease, tenantStatuses } from '../../tenants/tenant.ts';

/** What a user, or a fleet upgrade, asks of one tenant. */
export interface UpgradeRequest {
  /** A version tag; left out or null: the latest release. */
  targetVersion?: string | null | undefined;
  backupDb: boolean;
  runMigrations: boolean;
  allowDowngrade: boolean;
}

/** How an upgrade ended; also of one that an earlier manager began. */
export type UpgradeOutcome = Succeeded | Failed;

interface Ended {
  /** The operation's, which is a deployment of kind `upgrade`. */
  id: string;
  tenantId: string;
  previousVersion: string | null;
  /** What it was to become; null: a branch's head. */
  newVersion: string | null;
  /** One line for each step that ended. */
  details: string[];
  /** The backup's file, where one was asked for and made. */
  backupPath: string | null;
}

export interface Succeeded extends Ended {
  status: 'success';
  commit: string;
  /** Paths of scripts within the repository, in the order they were run. */
  migrationsRun: string[];
}

export interface Failed extends Ended {
  status: 'failed' | 'cancelled';
  /** What a request for it is answered with. */
  code: ErrorCode;
  /** The step and what it said, and what became of the tenant. For people. */
  reason: string;
  /** The same where tenant, version and record are shown beside it. */
  summary: string;
  /** Whether the tenant was touched at all, and, where it was, whether all of it is as before. */
  rollback: 'not_needed' | 'done' | 'failed';
}

/** Upgrades of tenants, one at a time each; the work is an operation that outlives whoever asked, and the manager. */
export interface UpgradeService {
  /**
   * Puts an upgrade into the queue; it is durable when this resolves. A refusal changes nothing.
   * @param options.id chosen (and written down) by the caller: asked again with the same one, after a crash, nothing new is begun
   * @throws AppError not_found, operation_in_progress, not_deployed, already_latest, downgrade_refused, validation_error without
   *   git_repo, git_error, insufficient_storage, runtime_unavailable
   */
  begin(tenantId: string, request: UpgradeRequest, actor: Actor, options?: { id?: string }): Promise<{ id: string }>;
  /**
   * Waits for the end of an upgrade that was begun, by this manager or an earlier one; to end it, cancel its deployment.
   * @throws AppError not_found; shutting_down where the manager stops before: the next one goes on with it
   */
  outcome(id: string): Promise<UpgradeOutcome>;
}

const version = z.object({ version: z.string().nullable(), commit: z.string() });

/** What an upgrade was asked to do, as kept in the journal; never changes. */
export const upgradeInput = z.object({
  backupDb: z.boolean(),
  runMigrations: z.boolean(),
  createdBy: z.string(),
  target: version,
  previous: version,
});
export type UpgradeInput = z.output<typeof upgradeInput>;

/** What its steps intend and did. Holds no secrets. `release` and `environment` are read as a deployment's are, too. */
export const upgradeState = z.object({
  release: liveRelease.optional(),
  /** How many migrations it has. */
  scripts: z.number().optional(),
  /** The tenant's status when its services were stopped: it ends in the same. */
  before: z.enum(tenantStatuses).optional(),
  environment: z.object({ path: z.string(), backup: z.string().nullable() }).optional(),
  /** The backup to go back to. */
  backup: z.object({ id: z.string(), path: z.string().nullable() }).optional(),
  /** The first migration is about to run: from now on going back means the backup's data. */
  migrating: z.boolean().optional(),
  /** The new version's services are about to be started: from now on people may write to it. */
  started: z.boolean().optional(),
  /** The backup of what they wrote, made before the data of before is put back. */
  written: z.string().optional(),
  /** The backup's data is about to be loaded; false: it is there, whole. */
  restoring: z.boolean().optional(),
  /** The tenant's database is about to be made by this upgrade. */
  madeDatabase: z.boolean().optional(),
  migrationsRun: z.array(z.string()).optional(),
  /** The engine did not answer in the middle of it. */
  engineAway: z.boolean().optional(),
  /** By step. */
  notes: z.record(z.string(), z.string()).optional(),
  /** The code of the business error that ended it before the tenant was touched. */
  refusal: z
    .string()
    .refine((code): code is ErrorCode => Object.hasOwn(statusOfCode, code))
    .optional(),
});
export type UpgradeState = z.output<typeof upgradeState>;
