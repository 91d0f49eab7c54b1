import type { DatabaseEngine, DatabaseKind } from '../../adapters/databases/tenant-database.ts';
import type { WriteAuditLog } from '../../adapters/events/audit-log-entry.ts';
import type { Runtime } from '../../adapters/runtimes/runtime.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Route } from '../../lib/http/routing/route.ts';
import type { OperationEngine } from '../../lib/operations/engine.ts';
import type { Backups } from '../backups/backups.ts';
import type { Deployments } from '../deployments/deployments.ts';
import type { Health } from '../health/health.ts';
import type { Sites } from '../sites/sites.ts';
import type { TenantConfigs } from '../tenant-config/tenant-config.ts';
import type { DatabaseOf, EnvironmentOf } from '../tenants/tenant.ts';
import type { Tenants } from '../tenants/tenants.ts';
import { moveOperation } from './operation.ts';
import { moveRoutes } from './routes.ts';
import { createMoveService } from './service.ts';

/** Where tenants run that have not been moved yet. */
export interface Origin {
  runtime: Runtime;
  databaseOf: DatabaseOf;
}

/** What moves need of the rest of the manager. */
export interface MovesDeps {
  engine: OperationEngine;
  clock: Clock;
  writeAuditLog: WriteAuditLog;
  /** undefined: MOVE_FROM_ENGINE is not set. */
  origin: Origin | undefined;
  runtime: Runtime;
  tenants: Tenants;
  configs: TenantConfigs;
  environmentOf: EnvironmentOf;
  databaseOf: DatabaseOf;
  /** @throws Error with the reason if none of the engines is available */
  chooseDatabase(engines: readonly DatabaseEngine[], current: DatabaseKind | null): DatabaseKind | null;
  deployments: Pick<Deployments, 'parts'>;
  backups: Pick<Backups, 'backUpFrom' | 'restoreDatabase' | 'restoreFiles'>;
  sites: Sites['steps'];
  proveHealthy: Health['proveHealthy'];
  healthTimeoutMs: number;
}

/** Moves tenants of a Docker engine to this manager's runtime, one at a time, with their data. */
export function createMoves(deps: MovesDeps): { routes: Route[] } {
  const { origin } = deps;
  if (origin) deps.engine.register(moveOperation({ ...deps, origin }));
  return { routes: moveRoutes(createMoveService(deps)) };
}
