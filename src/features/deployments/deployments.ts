import type { Route } from '../../lib/http/routing/route.ts';
import type { DeploymentsDeps } from './operation.ts';
import { deploymentRoutes } from './routes.ts';
import { createDeploymentService, type DeploymentService } from './service.ts';
import type { DeploymentStore } from './store.ts';

export interface Deployments extends DeploymentService {
  routes: Route[];
}

/** Deployments of tenants, their steps and their records. */
export function createDeployments(store: DeploymentStore, deps: DeploymentsDeps): Deployments {
  const service = createDeploymentService(store, deps);
  return { ...service, routes: deploymentRoutes(service, deps) };
}
