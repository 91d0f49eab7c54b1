import type { WriteJournal } from '../../../adapters/events/journal-entry.ts';
import type { Runtime } from '../../../adapters/runtimes/runtime.ts';
import { messageOf } from '../../../lib/errors.ts';
import type { OperationEngine } from '../../../lib/operations/engine.ts';
import { spaceOf, type Tenant } from '../../tenants/tenant.ts';
import type { Work } from '../dependencies.ts';

interface PutBackDependencies {
  runtime: Runtime;
  engine: OperationEngine;
  tenants: { find(id: string): Promise<Tenant | undefined> };
  /** Lets the tenant's site at the proxy lead to the units that are live again. */
  sites: { align(tenant: Tenant, work: Work): Promise<unknown> };
  journal: WriteJournal;
}

/**
 * Puts tenants back that stand between two generations though nothing works on them: the manager was killed in the middle of
 * a start in a changed configuration, or the engine went away during a rollback. What served before is proven, the other is not.
 * @returns looks once, and answers how many were put back; to be called when unfinished operations have been taken up
 */
export function createInterruptedRollback({
  runtime,
  engine,
  tenants,
  sites,
  journal,
}: PutBackDependencies): () => Promise<number> {
  async function putBack(tenant: Tenant): Promise<void> {
    const work = { log: () => undefined, signal: new AbortController().signal };
    const entry = { category: 'system' as const, tenant };
    try {
      await engine.exclusive(tenant.id, 'put back', async () => {
        await runtime.rollback(spaceOf(tenant), work);
        await sites.align(tenant, work);
      });
      await journal({
        ...entry,
        level: 'warning',
        message: `${tenant.slug} was in the middle of a change that nobody finished; put back`,
      });
    } catch (error) {
      await journal({ ...entry, level: 'error', message: `${tenant.slug} could not be put back: ${messageOf(error)}` });
    }
  }

  return async () => {
    let count = 0;
    for (const id of await runtime.pendingChanges()) {
      const tenant = await tenants.find(id);
      if (!tenant || engine.isBusy(id)) continue;
      await putBack(tenant);
      count += 1;
    }
    return count;
  };
}
