import { messageOf } from '../../../lib/errors.ts';
import { newId } from '../../../lib/ids.ts';
import { deployedRelease, type Tenant } from '../../tenants/tenant.ts';
import type { UpgradeDependencies } from '../dependencies.ts';
import { createServices, isToRun, nameOf, note, type UpgradeContext } from './context.ts';

/** Under which is noted what the rollback kept, and how it was not reached. */
export const rollbackNote = 'Rollback';
export const proxyNote = 'Rollback at the proxy';
/** How long the old version may take to be reached through the proxy again, in ms. */
const backAtProxyMs = 10_000;

/** The ways back of the steps that touch what people have; each may be called again after a crash. */
export function createRollback(dependencies: UpgradeDependencies) {
  const { tenants, runtime, backups, sites, healthTimeoutMs } = dependencies;
  const { stop, start } = createServices(runtime);

  /** What people wrote to the new version while it was proven; that it can't be had is no reason to leave the tenant down. */
  async function keepWhatWasWritten(context: UpgradeContext, tenant: Tenant): Promise<void> {
    const { started, release, written } = context.state;
    if (!started || !release) return;
    const id = written ?? newId();
    await context.save({ written: id });
    try {
      const { createdBy } = context.input;
      await backups.create({ ...tenant, deployed: release }, { kind: 'safety', id, createdBy }, context);
      await note(context, rollbackNote, `what was written to ${nameOf(release)} is kept in backup ${id}`);
    } catch (error) {
      context.signal.throwIfAborted();
      context.log(`What was written to ${nameOf(release)} could not be kept: ${messageOf(error)}`);
    }
  }

  return {
    /** The data of before, where a migration may have changed it. */
    async takeDataBack(context: UpgradeContext): Promise<void> {
      const { migrating, madeDatabase, backup, restoring } = context.state;
      const tenant = await tenants.get(context.subject);
      // A database that was made for this upgrade goes as a whole.
      if (!migrating || madeDatabase || !deployedRelease(tenant).database) return;
      // Done before a crash: the old version may have served since, and what people wrote then must stay.
      if (restoring === false) return;
      if (!backup) throw new Error('There is no backup to go back to');
      await stop(tenant);
      if (restoring === undefined) await keepWhatWasWritten(context, tenant);
      await context.save({ restoring: true });
      await backups.restoreDatabase(tenant, backup, context);
      await context.save({ restoring: false });
    },

    /** The services as they were when they were stopped: those that served must prove it. */
    async startAgain(context: UpgradeContext): Promise<void> {
      const { before, restoring, backup } = context.state;
      if (restoring)
        throw new Error(`not started, as the database does not hold the data of before: restore backup ${backup?.id}`);
      if (!isToRun(context)) return;
      const tenant = await tenants.get(context.subject);
      const release = deployedRelease(tenant);
      if (release.database) await (await dependencies.databaseOf(tenant, release.database)).ensure(context);
      await start(tenant);
      // What was broken before the upgrade can't be proven whole after it.
      if (before !== 'running') return;
      await dependencies.prove(tenant, release, context, healthTimeoutMs);
      // A proxy that is away is what went wrong, perhaps; the site leads where it did.
      const unreached = await sites
        .prove(tenant, release, context, Math.min(healthTimeoutMs, backAtProxyMs))
        .then(() => undefined, messageOf);
      context.signal.throwIfAborted();
      if (unreached !== undefined) await note(context, proxyNote, unreached);
    },
  };
}
