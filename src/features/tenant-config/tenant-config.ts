import type { Route } from '../../lib/http/routing/route.ts';
import type { Tenant } from '../tenants/tenants.ts';
import { configRoutes } from './routes.ts';
import {
  type ConfigServiceDeps,
  createConfigService,
  type EnvironmentFacts,
  type TenantConfigService,
} from './service.ts';
import { createConfigStore } from './store.ts';

export interface TenantConfigDeps extends ConfigServiceDeps {
  /** The deployment facts that regenerate-env needs. */
  environmentFacts(tenant: Tenant): Promise<EnvironmentFacts>;
}

export interface TenantConfigs extends TenantConfigService {
  routes: Route[];
}

/** Manages tenants' configurations and environment files. */
export function createTenantConfigs({ environmentFacts, ...deps }: TenantConfigDeps): TenantConfigs {
  const configs = createConfigService(createConfigStore(deps.store), deps);
  const routes = configRoutes({ configs, tenants: deps.tenants, writeAuditLog: deps.writeAuditLog, environmentFacts });
  return { ...configs, routes };
}
