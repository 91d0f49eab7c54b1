import type { Route } from '../../lib/http/routing/route.ts';
import type { UpgradeDependencies } from './dependencies.ts';
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
