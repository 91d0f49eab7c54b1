import { createConfigService, type TenantConfigDeps, type TenantConfigs } from './service.ts';
import { createConfigStore, createRevisionStore } from './store.ts';

export { createMasking } from './masking.ts';
export { configRoutes } from './routes.ts';
export type { EnvironmentChanges, TenantConfigs } from './service.ts';

/** Manages tenants' configurations and environment files. */
export const createTenantConfigs = (deps: TenantConfigDeps): TenantConfigs =>
  createConfigService(createConfigStore(deps.store), createRevisionStore(deps.store), deps);
