import type { Route } from '../../lib/http/routing/route.ts';
import type { Logger } from '../../lib/logger.ts';
import type { FleetsDeps } from './fleet/fleet.ts';
import { createFleetEvents } from './fleet/rollout/fleet-events.ts';
import { FleetRunner } from './fleet/rollout/runner.ts';
import { fleetRoutes } from './fleet/routes.ts';
import { createFleetService, type FleetService } from './fleet/service.ts';
import { createFleetStore } from './fleet/store.ts';
import type { MovesDeps } from './move/move.ts';
import { moveOperation } from './move/operation.ts';
import { moveRoutes } from './move/routes.ts';
import { createMoveService } from './move/service.ts';
import { createRehearsals } from './rehearsal/rehearsal-service.ts';
import { upgradeRoutes } from './routes.ts';
import { upgradeOperation } from './single/operation.ts';
import { createUpgradeService, type UpgradeService } from './single/service.ts';
import { createUpdateChecks, type UpdateChecks } from './single/update-checks.ts';
import type { UpgradesDeps } from './single/upgrade.ts';
import { createFailureStore } from './store.ts';

export type { FleetsDeps } from './fleet/fleet.ts';
export type { MovesDeps, Origin } from './move/move.ts';
export type { UpgradesDeps } from './single/upgrade.ts';

export interface Upgrades extends UpgradeService {
  updates: UpdateChecks;
  routes: Route[];
}

/** Upgrades and rehearsals of single tenants. */
export function createUpgrades(deps: UpgradesDeps & { logger: Logger }): Upgrades {
  const failures = createFailureStore(deps.store);
  deps.engine.register(upgradeOperation(failures, deps));
  const service = createUpgradeService(failures, deps);
  return { ...service, updates: createUpdateChecks(deps), routes: upgradeRoutes(service, createRehearsals(deps)) };
}

export interface Fleets extends FleetService {
  routes: Route[];
}

/** Upgrades of many tenants. */
export function createFleets(deps: FleetsDeps): Fleets {
  const rows = createFleetStore(deps.store);
  const fleetEvents = createFleetEvents(deps.events, deps.writeAuditLog);
  const runner = new FleetRunner(deps, rows, fleetEvents);
  const service = createFleetService({ rows, runner, fleetEvents }, deps);
  return { ...service, routes: fleetRoutes(service) };
}

/** Moves of tenants from a Docker engine to this manager's runtime, one at a time, with their data. */
export function createMoves(deps: MovesDeps): { routes: Route[] } {
  const { origin } = deps;
  if (origin) deps.engine.register(moveOperation({ ...deps, origin }));
  return { routes: moveRoutes(createMoveService(deps)) };
}
