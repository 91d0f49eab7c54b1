import type { Backups } from '../../features/backups/backups.ts';
import type { Deployments } from '../../features/deployments/deployments.ts';
import { deployedRelease } from '../../features/tenants/tenant.ts';
import type { UpgradeDependencies } from '../../features/upgrades/dependencies.ts';
import { createUpgrades } from '../../features/upgrades/upgrades.ts';
import type { wireTenantData } from './wire-tenant-data.ts';

interface UpgradeParts
  extends Omit<UpgradeDependencies, 'deployments' | 'environment' | 'backups' | 'databaseOf'>,
    Pick<ReturnType<typeof wireTenantData>, 'configs' | 'environmentOf' | 'databaseOf'> {
  deployments: Deployments;
  backups: Backups;
}

/** Upgrades, made of parts of deployments and of backups. */
export function wireUpgrades({ configs, environmentOf, backups, databaseOf, ...deps }: UpgradeParts) {
  return createUpgrades({
    ...deps,
    databaseOf,
    async withScratch(tenant, work, use) {
      const { database: kind } = deployedRelease(tenant);
      if (!kind) throw new Error('The tenant has no database');
      const database = await databaseOf(tenant, kind);
      return backups.scratches.using(tenant, database, work, (scratch, dumpWork) => use(database, scratch, dumpWork));
    },
    environment: {
      of: environmentOf,
      write: (tenant, environment, onKept) => configs.writeEnvFile(tenant, environment, onKept),
      restore: (written) => configs.restoreEnvFile(written),
    },
    backups: {
      async create(tenant, options, work) {
        return { path: backups.pathOf(await backups.createBackup(tenant, options, work)) };
      },
      restoreDatabase: (tenant, backup, work) => backups.restoreDatabase(tenant, backup, work),
    },
  });
}
