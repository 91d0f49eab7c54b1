import type { WriteAuditLog } from '../../adapters/events/audit-log-entry.ts';
import type { EventBus } from '../../adapters/events/bus.ts';
import type { Store } from '../../adapters/store/store.ts';
import type { Route } from '../../lib/http/routing/route.ts';
import { createFleetEvents } from './fleet/rollout/fleet-events.ts';
import { FleetRunner, type FleetRunnerDeps } from './fleet/rollout/runner.ts';
import { fleetRoutes } from './fleet/routes.ts';
import { createFleetService, type FleetService, type FleetServiceDeps } from './fleet/service.ts';
import { createFleetStore } from './fleet/store.ts';
import type { RehearsalOperationDeps } from './rehearsal/rehearsal-operation.ts';
import { createRehearsals, type RehearsalServiceDeps } from './rehearsal/rehearsal-service.ts';
import { upgradeRoutes } from './routes.ts';
import { type UpgradeOperationDeps, upgradeOperation } from './single/operation.ts';
import { createUpgradeService, type UpgradeService, type UpgradeServiceDeps } from './single/service.ts';
import { createFailureStore } from './store.ts';

export type UpgradesDeps = { store: Store } & UpgradeOperationDeps &
  UpgradeServiceDeps &
  RehearsalOperationDeps &
  RehearsalServiceDeps;

export interface Upgrades extends UpgradeService {
  routes: Route[];
}

/** Upgrades and rehearsals of single tenants. */
export function createUpgrades(deps: UpgradesDeps): Upgrades {
  const failures = createFailureStore(deps.store);
  deps.engine.register(upgradeOperation(failures, deps));
  const service = createUpgradeService(failures, deps);
  return { ...service, routes: upgradeRoutes(service, createRehearsals(deps)) };
}

export type FleetsDeps = { store: Store; writeAuditLog: WriteAuditLog; events: EventBus } & FleetRunnerDeps &
  FleetServiceDeps;

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
