import { z } from 'zod';
import type { WriteAuditLog } from '../../../adapters/events/audit-log-entry.ts';
import type { Source } from '../../../adapters/git/source.ts';
import type { Runtime } from '../../../adapters/runtimes/runtime.ts';
import type { Store } from '../../../adapters/store/store.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { ErrorCode } from '../../../lib/errors.ts';
import type { OperationEngine } from '../../../lib/operations/engine.ts';
import type { Backups } from '../../backups/backups.ts';
import type { Deployments } from '../../deployments/deployments.ts';
import type { Health } from '../../health/health.ts';
import type { Sites } from '../../sites/sites.ts';
import type { SyntheticChecks } from '../../synthetic-checks/synthetic-checks.ts';
import type { TenantConfigs } from '../../tenant-config/tenant-config.ts';
import type { DatabaseOf, EnvironmentOf, LiveRelease } from '../../tenants/tenant.ts';
import type { Tenants } from '../../tenants/tenants.ts';

/** The upgrade of one tenant that a user or a fleet upgrade requests. */
export interface UpgradeRequest {
  /** A version tag; missing or null: the latest release. */
  targetVersion?: string | null | undefined;
  backupDb: boolean;
  runMigrations: boolean;
  allowDowngrade: boolean;
}

/** How an upgrade ended. */
export type UpgradeOutcome = Succeeded | Failed;

interface Ended {
  /** The operation's, which is a deployment of kind `upgrade`. */
  id: string;
  tenantId: string;
  previousVersion: string | null;
  /** The target version; null: a branch's head. */
  newVersion: string | null;
  /** One line for each step that ended. */
  details: string[];
  /** The backup's file, if one was requested and made. */
  backupPath: string | null;
}

export interface Succeeded extends Ended {
  status: 'success';
  commit: string;
  /** Paths of scripts in the repository, in the order they ran. */
  migrationsRun: string[];
}

export interface Failed extends Ended {
  status: 'failed' | 'cancelled';
  /** The error code of the response. */
  code: ErrorCode;
  /** The failed step, its error and the tenant's state, for people. */
  reason: string;
  /** The same without tenant, version and record, for places that show these separately. */
  summary: string;
  /** Whether the upgrade changed the tenant and, if so, whether all changes were rolled back. */
  rollback: 'not_needed' | 'done' | 'failed';
}

const version = z.object({ version: z.string().nullable(), commit: z.string() });

/** An upgrade's request as kept in the journal; never changes. */
export const upgradeInput = z.object({
  backupDb: z.boolean(),
  runMigrations: z.boolean(),
  createdBy: z.string(),
  target: version,
  previous: version,
});
export type UpgradeInput = z.output<typeof upgradeInput>;

/** What upgrades and rehearsals need of the rest of the manager. */
export interface UpgradesDeps {
  store: Store;
  engine: OperationEngine;
  clock: Clock;
  writeAuditLog: WriteAuditLog;
  runtime: Runtime;
  source: Source;
  tenants: Tenants;
  configs: TenantConfigs;
  environmentOf: EnvironmentOf;
  databaseOf: DatabaseOf;
  deployments: Deployments;
  backups: Backups;
  sites: Sites['steps'];
  proveHealthy: Health['proveHealthy'];
  proveUserSteps: SyntheticChecks['prove'];
  /** How long the units of a release may take to become healthy. */
  healthTimeoutMs(release: Pick<LiveRelease, 'startTimeout'>): number;
}
