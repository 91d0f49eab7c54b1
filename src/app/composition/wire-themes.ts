import { join } from 'node:path';
import type { Runtime } from '../../adapters/runtimes/runtime.ts';
import type { Deployments } from '../../features/deployments/deployments.ts';
import type { Services } from '../../features/services/services.ts';
import type { TenantService } from '../../features/tenants/service.ts';
import { deployedRelease } from '../../features/tenants/tenant.ts';
import type { ThemeDeps } from '../../features/themes/service.ts';
import { createThemes, type Themes } from '../../features/themes/themes.ts';
import { AppError } from '../../lib/errors.ts';
import type { OperationEngine } from '../../lib/operations/engine.ts';
import type { wireTenantData } from './wire-tenant-data.ts';

type TenantData = ReturnType<typeof wireTenantData>;

interface Parts extends Pick<ThemeDeps, 'store' | 'clock' | 'journal' | 'events' | 'logger'> {
  engine: OperationEngine;
  runtime: Pick<Runtime, 'isLive'>;
  dataDirectory: string;
  /** Made after the themes, which a new tenant is given. */
  later(): {
    tenants: Pick<TenantService, 'get'>;
    configs: Pick<TenantData['configs'], 'writeEnvFile'>;
    environmentOf: TenantData['environmentOf'];
    deployments: Pick<Deployments, 'specsOf'>;
    services: Pick<Services, 'restart'>;
  };
}

/** Tenants' themes, and how they reach the units. */
export function wireThemes({ engine, runtime, dataDirectory, later, ...deps }: Parts): Themes {
  return createThemes({
    ...deps,
    directory: join(dataDirectory, 'themes'),
    tenants: { get: (id) => later().tenants.get(id) },
    units: {
      assertIdle: (id) => engine.assertIdle(id),
      async writeEnvironment({ id }) {
        const { tenants, configs, environmentOf } = later();
        const written = engine.exclusive(id, 'theme', async () => {
          const tenant = await tenants.get(id);
          await configs.writeEnvFile(tenant, await environmentOf(tenant, deployedRelease(tenant)));
        });
        await written.catch((error: unknown) => {
          if (!(error instanceof AppError && error.code === 'operation_in_progress')) throw error;
        });
      },
      async areCurrent(tenant) {
        const specs = await later().deployments.specsOf(tenant);
        const live = await Promise.all(specs.map((spec) => runtime.isLive(spec)));
        return live.every(Boolean);
      },
      restart: (id, actor) => later().services.restart(id, actor),
    },
  });
}
