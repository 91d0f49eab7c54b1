import { type Runtime, unitRoles } from '../../adapters/runtimes/runtime.ts';
import { spaceOf, type Tenant } from '../tenants/tenant.ts';

/** Both units of a tenant at a time; one that is so already is fine. */
export function createServices(runtime: Pick<Runtime, 'start' | 'stop'>) {
  return {
    async stop(tenant: Tenant): Promise<void> {
      for (const role of ['frontend', 'api'] as const) await runtime.stop({ tenant: spaceOf(tenant), role });
    },
    async start(tenant: Tenant): Promise<void> {
      for (const role of unitRoles) await runtime.start({ tenant: spaceOf(tenant), role });
    },
  };
}
