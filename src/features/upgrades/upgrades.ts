import type { Route } from '../../lib/http/routing/route.ts';
import type { UpgradeDependencies } from './dependencies.ts';
import type { FleetDependencies } from './fleet/dependencies.ts';
import { createFleetEvents } from './fleet/rollout/fleet-events.ts';
import { FleetRunner } from './fleet/rollout/runner.ts';
import { fleetRoutes } from './fleet/routes.ts';
import { createFleetService, type FleetService } from './fleet/service.ts';
import { createFleetStore } from './fleet/store.ts';
import type { RehearsalDependencies } from './rehearsal/rehearsal.ts';
import { createRehearsals } from './rehearsal/rehearsal-service.ts';
import { upgradeRoutes } from './routes.ts';
import { upgradeOperation } from './single/operation.ts';
import { createUpgradeService, type Upgrades } from './single/service.ts';
import { createFailureStore } from './store.ts';

/** Upgrades of tenants, and what they run. */
export function createUpgrades(
  dependencies: UpgradeDependencies & RehearsalDependencies,
): Upgrades & { routes: Route[] } {
  const failures = createFailureStore(dependencies.store);
  dependencies.engine.register(upgradeOperation(failures, dependencies));
  const service = createUpgradeService(failures, dependencies);
  return { ...service, routes: upgradeRoutes(service, createRehearsals(dependencies)) };
}

export interface Fleets extends FleetService {
  routes: Route[];
}

/** Fleet upgrades. */
export function createFleets(deps: FleetDependencies): Fleets {
  const rows = createFleetStore(deps.store);
  const news = createFleetEvents(deps.events, deps.journal);
  const runner = new FleetRunner(deps, rows, news);
  const service = createFleetService({ rows, runner, news }, deps);
  return { ...service, routes: fleetRoutes(service) };
}
