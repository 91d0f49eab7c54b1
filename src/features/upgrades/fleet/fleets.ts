import type { Route } from '../../../platform/http/route.ts';
import type { FleetDependencies } from './dependencies.ts';
import { createNews } from './news.ts';
import { fleetRoutes } from './routes.ts';
import { FleetRunner } from './runner.ts';
import { createFleetService, type FleetService } from './service.ts';
import { createFleetStore } from './store.ts';

export interface Fleets extends FleetService {
  routes: Route[];
}

/** Fleet upgrades. */
export function createFleets(deps: FleetDependencies): Fleets {
  const rows = createFleetStore(deps.store);
  const news = createNews(deps.events, deps.journal);
  const runner = new FleetRunner(deps, rows, news);
  const service = createFleetService({ rows, runner, news }, deps);
  return { ...service, routes: fleetRoutes(service) };
}
