import type { DatabaseEngine, DatabaseKind } from '../../../adapters/databases/tenant-database.ts';
import type { Runtime, RuntimeKind } from '../../../adapters/runtimes/runtime.ts';
import type { DatabaseOf, LiveRelease, LostData } from '../../tenants/tenant.ts';
import type { UpgradesDeps } from '../single/upgrade.ts';

/** Where tenants run that have not been moved yet. */
export interface Origin {
  runtime: Runtime;
  databaseOf: DatabaseOf;
  lostData: LostData;
  proveHealthy: UpgradesDeps['proveHealthy'];
}

/** What moves need of the rest of the manager. */
export interface MovesDeps extends Omit<UpgradesDeps, 'store' | 'source' | 'proveUserSteps'> {
  /** undefined: MOVE_FROM_ENGINE is not set. */
  origin: Origin | undefined;
  /** @throws Error with the reason if none of the engines is available */
  chooseDatabase(engines: readonly DatabaseEngine[], current: DatabaseKind | null): DatabaseKind | null;
}

/** What a move would do. */
export interface MovePlan {
  from: RuntimeKind;
  to: RuntimeKind;
  version: string | null;
  commit: string;
  /** Whether the services run at the origin, and will run here. */
  running: boolean;
  /** `copied`: false for data on a server that both runtimes use; null: the application has no database. */
  database: { from: DatabaseKind; to: DatabaseKind | null; copied: boolean; sizeMb: number | null } | null;
  /** Whether services, data or a database of the tenant are at the origin, also stopped ones. */
  atOrigin: boolean;
  /** Why the tenant can't be moved now. */
  problems: string[];
}

/** Whether the data stays where it is: on a server that both runtimes use. */
export const staysOnSharedServer = (from: LiveRelease['database'], to: LiveRelease['database']): boolean =>
  from === to && to === 'mariadb-shared';
