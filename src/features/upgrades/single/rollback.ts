import { messageOf } from '../../../lib/errors.ts';
import { newId } from '../../../lib/ids.ts';
import { deployedRelease, type Tenant } from '../../tenants/tenant.ts';
import { createUnitControl, nameOf, note, shouldRun, stateAt, type UpgradeContext } from './context.ts';
import type { UpgradesDeps } from './upgrade.ts';

/** Keys of the notes about data that the rollback saved and about an unreachable proxy. */
export const rollbackNote = 'Rollback';
export const proxyNote = 'Rollback at the proxy';
/** How long the old version may take to answer through the proxy again, in ms. */
const proxyTimeoutMs = 10_000;

/** The undo functions of the steps that touch data and services; each may be called again after a crash. */
export function createRollback(deps: UpgradesDeps) {
  const { tenants, runtime, backups, sites, healthTimeoutMs } = deps;
  const { stop, start } = createUnitControl(runtime);

  /** Backs up what users wrote to the new version during its health check; a failure must not keep the tenant down. */
  async function backUpNewData(context: UpgradeContext, tenant: Tenant): Promise<void> {
    const { release, written: id } = stateAt(context, 'saving');
    try {
      const { createdBy } = context.input;
      await backups.createBackup({ ...tenant, deployed: release }, { kind: 'safety', id, createdBy }, context);
      await note(context, rollbackNote, `data written to ${nameOf(release)} is saved in backup ${id}`);
    } catch (error) {
      context.signal.throwIfAborted();
      context.log(`Data written to ${nameOf(release)} could not be saved: ${messageOf(error)}`);
    }
  }

  return {
    /** Restores the previous data if a migration may have changed it. */
    async restoreData(context: UpgradeContext): Promise<void> {
      const { state } = context;
      // Restored before a crash: the old version may have run since, and what users wrote to it must stay.
      if (!('restores' in state) || !state.restores || state.stage === 'restored') return;
      const { restores } = state;
      const tenant = await tenants.get(context.subject);
      await stop(tenant);
      if (state.stage === 'started') await context.save({ ...state, stage: 'saving', restores, written: newId() });
      if (context.state.stage === 'saving') await backUpNewData(context, tenant);
      const saved = stateAt(context, 'migrating', 'migrated', 'saving', 'restoring');
      await context.save({ ...saved, stage: 'restoring', restores });
      await backups.replaceDatabase(tenant, restores, context);
      await context.save({ ...stateAt(context, 'restoring'), stage: 'restored' });
    },

    /** Starts the services if they ran before the upgrade, and proves those that were healthy. */
    async restartServices(context: UpgradeContext): Promise<void> {
      const { state } = context;
      if (state.stage === 'restoring')
        throw new Error(`not started, because the database is not restored yet: restore backup ${state.restores.id}`);
      if (!('before' in state) || !shouldRun(state)) return;
      const tenant = await tenants.get(context.subject);
      const release = deployedRelease(tenant);
      if (release.database) await (await deps.databaseOf(tenant, release.database)).ensure(context);
      await start(tenant);
      // A tenant that was unhealthy before the upgrade can't be proven healthy after it.
      if (state.before !== 'running') return;
      await deps.proveHealthy(tenant, release, context, healthTimeoutMs(release));
      // An unavailable proxy may be why the upgrade failed; the site's upstreams are the previous ones.
      const unreached = await sites
        .prove(tenant, release, context, Math.min(healthTimeoutMs(release), proxyTimeoutMs))
        .then(() => undefined, messageOf);
      context.signal.throwIfAborted();
      if (unreached !== undefined) await note(context, proxyNote, unreached);
    },
  };
}
