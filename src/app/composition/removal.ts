import { createRemoval } from '../../features/deployments/release/removal.ts';
import { createInterruptedRollback } from '../../features/deployments/release/roll-back-interrupted.ts';
import type { DeploymentStore } from '../../features/deployments/store.ts';
import type { Sites } from '../../features/sites/sites.ts';

type RemovalDeps = Parameters<typeof createRemoval>[1];
type RollbackDeps = Parameters<typeof createInterruptedRollback>[0];

/** What removes a tenant’s resources, and what a killed manager left of its last change. */
export function composeRemoval({
  deploymentStore,
  engine,
  runtime,
  tenants,
  databaseOf,
  hasDatabase,
  sites,
  backups,
  writeAuditLog,
  keptDirectory,
}: Omit<RemovalDeps, 'sites'> &
  Omit<RollbackDeps, 'sites'> & {
    deploymentStore: DeploymentStore;
    sites: Pick<Sites, 'steps'> & RemovalDeps['sites'];
  }) {
  return {
    rollBackInterrupted: createInterruptedRollback({ runtime, engine, tenants, sites: sites.steps, writeAuditLog }),
    removeResources: createRemoval(deploymentStore, {
      engine,
      runtime,
      tenants,
      databaseOf,
      hasDatabase,
      sites,
      backups,
      keptDirectory,
    }),
  };
}
