import type { Deployments } from '../../features/deployments/deployments.ts';
import type { Health } from '../../features/health/health.ts';
import { createServices, type ServicesDeps } from '../../features/services/services.ts';
import type { Sites } from '../../features/sites/sites.ts';
import type { OperationEngine } from '../../lib/operations/engine.ts';
import { wireBulk } from './wire-bulk.ts';
import type { wireTenantData } from './wire-tenant-data.ts';

interface ServicesParts
  extends Pick<ServicesDeps, 'journal' | 'runtime' | 'events' | 'logger'>,
    Pick<Parameters<typeof wireBulk>[0], 'store' | 'clock' | 'dataDirectory'>,
    ReturnType<typeof wireTenantData> {
  tenants: ServicesDeps['tenants'] & Parameters<typeof wireBulk>[0]['tenants'];
  engine: OperationEngine;
  deployments: Deployments;
  health: Health;
  proxying: Sites;
}

/** Control of tenants' services: what a start needs beside the runtime. */
export function wireServices(parts: ServicesParts) {
  const { configs, databaseOf, environmentOf, engine, deployments, health, proxying, ...deps } = parts;
  const services = createServices({
    ...deps,
    specsOf: deployments.specsOf,
    async bringUpDatabase(tenant, { database }, work) {
      if (database === 'mariadb-container') await (await databaseOf(tenant, database)).ensure(work);
    },
    async writeEnvironment(tenant, release) {
      const written = await configs.writeEnvFile(tenant, await environmentOf(tenant, release));
      return () => configs.restoreEnvFile(written);
    },
    async proveHealthy(tenant, release, work, timeoutMs) {
      await health.proveHealthy(tenant, release, work, timeoutMs);
      await proxying.steps.follow(tenant, release, work, timeoutMs);
    },
    exclusive: (id, name, work) => engine.exclusive(id, name, work),
    recheck: health.recheck,
  });
  const bulk = wireBulk({ ...deps, control: services });
  return { ...services, bulk, routes: [...services.routes, ...bulk.routes] };
}
