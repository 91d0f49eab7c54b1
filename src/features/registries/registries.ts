import { parseRepositoryAddress } from '../../adapters/git/address.ts';
import type { ImageAccess } from '../../adapters/runtimes/image-access.ts';
import type { Route } from '../../lib/http/routing/route.ts';
import type { Tenant } from '../tenants/tenants.ts';
import { registryRoutes } from './routes.ts';
import { createRegistryService, type RegistriesDeps } from './service.ts';

export interface Registries {
  /** The registries as a tenant's builds may use them. */
  accessOf(tenant: Pick<Tenant, 'id' | 'gitRepo'>): ImageAccess;
  /** The registries for images that the operator names. */
  operatorAccess: ImageAccess;
  routes: Route[];
}

/** Registries of images: who may use which credentials. */
export function createRegistries(deps: RegistriesDeps): Registries {
  const service = createRegistryService(deps);
  return {
    accessOf({ id, gitRepo }) {
      const key = gitRepo === null ? undefined : parseRepositoryAddress(gitRepo).key;
      const isIts = (address: string): boolean => parseRepositoryAddress(address).key === key;
      return service.access(({ tenantIds, repositories }) => tenantIds.includes(id) || repositories.some(isIts));
    },
    operatorAccess: service.access(() => true),
    routes: registryRoutes(service),
  };
}
