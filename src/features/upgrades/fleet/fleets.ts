import type { Route } from '../../../lib/http/routing/route.ts';
import type { FleetDependencies } from './dependencies.ts';
import { createFleetEvents } from './rollout/fleet-events.ts';
import { FleetRunner } from './rollout/runner.ts';
import { fleetRoutes } from './routes.ts';
import { createFleetService, type FleetService } from './service.ts';
import { createFleetStore } from './store.ts';

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
