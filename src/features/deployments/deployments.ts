import type { Route } from '../../lib/http/routing/route.ts';
import type { Tenants } from '../tenants/tenants.ts';
import { deploymentRoutes } from './routes.ts';
import { createDeploymentService, type DeploymentService, type DeploymentServiceDeps } from './service.ts';

export interface Deployments extends DeploymentService {
  routes: Route[];
}

/** Deployments of tenants, their steps and their records. */
export function createDeployments(deps: DeploymentServiceDeps & { tenants: Pick<Tenants, 'get'> }): Deployments {
  const service = createDeploymentService(deps);
  return { ...service, routes: deploymentRoutes(service, deps) };
}
