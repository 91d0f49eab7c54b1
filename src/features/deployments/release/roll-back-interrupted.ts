import { messageOf } from '../../../lib/errors.ts';
import { spaceOf, type Tenant } from '../../tenants/tenant.ts';
import type { DeploymentsDeps } from '../operation.ts';

/**
 * Rolls back tenants with an interrupted change of units and no operation: the manager was killed while it applied a changed
 * configuration, or the engine became unavailable during a rollback. Only the previous units are proven healthy.
 * @returns checks all tenants once and returns how many it rolled back; call it after unfinished operations were resumed
 */
export function createInterruptedRollback({
  runtime,
  engine,
  tenants,
  sites,
  writeAuditLog,
}: Pick<DeploymentsDeps, 'runtime' | 'engine' | 'tenants' | 'sites' | 'writeAuditLog'>): () => Promise<number> {
  async function rollBack(tenant: Tenant): Promise<void> {
    const work = { log: () => undefined, signal: new AbortController().signal };
    const entry = { category: 'system', topic: 'deployment', tenant } as const;
    try {
      await engine.exclusive(tenant.id, 'rollback', async () => {
        await runtime.rollback(spaceOf(tenant), work);
        await sites.align(tenant, work);
      });
      await writeAuditLog({
        ...entry,
        level: 'warning',
        message: `Rolled ${tenant.slug} back: an interrupted change was found`,
      });
    } catch (error) {
      const message = `Could not roll ${tenant.slug} back after an interrupted change: ${messageOf(error)}`;
      await writeAuditLog({ ...entry, level: 'error', message });
    }
  }

  return async () => {
    let count = 0;
    for (const id of await runtime.pendingChanges()) {
      const tenant = await tenants.find(id);
      if (!tenant || engine.isBusy(id)) continue;
      await rollBack(tenant);
      count += 1;
    }
    return count;
  };
}
