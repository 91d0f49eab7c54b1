import { dirname, join } from 'node:path';
import { z } from 'zod';
import type { DatabaseKind } from '../../../adapters/databases/tenant-database.ts';
import type { Actor } from '../../../adapters/events/audit-log-entry.ts';
import { AppError } from '../../../lib/errors.ts';
import { mkdir, rm } from '../../../lib/files/changes.ts';
import { move } from '../../../lib/files/move.ts';
import type { Step, StepContext } from '../../../lib/operations/operation.ts';
import type { Sites } from '../../sites/sites.ts';
import { spaceOf, type Tenant } from '../../tenants/tenant.ts';
import { type DeploymentsDeps, deploymentState } from '../operation.ts';
import type { DeploymentStore } from '../store.ts';

const removalInput = z.object({
  removeFiles: z.boolean(),
  removeProxy: z.boolean(),
  removeServices: z.boolean(),
  actor: z.object({ userId: z.string().nullable(), username: z.string() }),
});
type RemovalInput = z.output<typeof removalInput>;

/** People removed so far. */
const removed = z.object({ files: z.boolean(), proxy: z.boolean(), services: z.boolean() });
type Removed = z.output<typeof removed>;

/**
 * Registers the deletion of a tenant as an operation, so that the manager finishes it after a crash.
 * @returns runs a deletion to its end and returns what was removed. @throws AppError operation_in_progress;
 * proxy_unavailable; runtime_unavailable with the reason when a step failed
 */
export function createRemoval(
  store: DeploymentStore,
  deps: Pick<DeploymentsDeps, 'engine' | 'runtime' | 'tenants' | 'databaseOf'> & {
    sites: Sites;
    /** Whether there are such databases here; those of tenants that were moved may be elsewhere. */
    hasDatabase(kind: DatabaseKind): boolean;
    /** Backups are a later feature, so their part is declared here. */
    backups: {
      /** Removes a tenant's backups, or moves their files to a directory; the catalogue's rows are removed with the tenant. */
      leave(tenantId: string, keptIn: string | null): Promise<void>;
    };
    /** Where the files of deleted tenants are kept, by the tenant's id. */
    keptDirectory: string;
  },
) {
  const { engine, runtime, tenants, databaseOf, hasDatabase, sites, backups, keptDirectory } = deps;
  type Context = StepContext<RemovalInput, Removed>;

  const steps: Step<RemovalInput, Removed>[] = [
    {
      // First, so that visitors see that the site does not exist instead of an error.
      name: 'Remove proxy',
      skip: ({ input }) => (input.removeProxy ? undefined : 'remove_proxy=false'),
      async run(context) {
        const existed = await sites.remove(await tenants.get(context.subject), context);
        await context.save({ proxy: context.state.proxy || existed });
      },
    },
    {
      name: 'Remove services',
      skip: ({ input }) => (input.removeServices ? undefined : 'remove_services=false'),
      async run(context) {
        const tenant = await tenants.get(context.subject);
        for (const kind of await databaseKinds(tenant)) {
          await (await databaseOf(tenant, kind)).remove({ data: context.input.removeFiles });
        }
        await runtime.removeTenant(spaceOf(tenant), { data: context.input.removeFiles });
        await context.save({ services: tenant.deployed !== null });
      },
    },
    { name: 'Remove files', run: removeFiles },
  ];

  /** The databases of the tenant, including those that a failed first deployment may have left behind. */
  async function databaseKinds(tenant: Tenant): Promise<Set<DatabaseKind>> {
    const { items } = await store.list(tenant.id, { limit: 500, offset: 0 });
    const releases = items.map(({ state }) => deploymentState.safeParse(state).data?.release);
    const kinds = releases.flatMap((release) => release?.database ?? []).filter(hasDatabase);
    return new Set([...kinds, ...(tenant.deployed?.database ? [tenant.deployed.database] : [])]);
  }

  async function removeFiles(context: Context): Promise<undefined> {
    const { directory, id } = await tenants.get(context.subject);
    const { removeFiles } = context.input;
    await backups.leave(id, removeFiles ? null : join(keptDirectory, `${id}-backups`));
    if (removeFiles) {
      await rm(directory, { recursive: true, force: true });
      await context.save({ files: true });
      return;
    }
    // A new tenant may get the same slug and directory.
    await mkdir(dirname(join(keptDirectory, id)), { recursive: true, mode: 0o700 });
    await move(directory, join(keptDirectory, id));
  }

  engine.register<RemovalInput, Removed>({
    kind: 'delete',
    immediate: true,
    steps,
    parseInput: (value) => removalInput.parse(value),
    parseState: (value) => removed.parse(value),
    async settle(context, { outcome }) {
      if (outcome === 'success') await tenants.remove(context.subject, context.input.actor);
    },
  });

  async function assertRemovable(tenant: Tenant): Promise<void> {
    const availability = await runtime.availability();
    if (!availability.available) throw new AppError('runtime_unavailable', availability.reason);
    await runtime.assertRemovable?.(spaceOf(tenant));
  }

  return async (tenant: Tenant, options: Omit<RemovalInput, 'actor'>, actor: Actor): Promise<Removed> => {
    const nothing: Removed = { files: false, proxy: false, services: false };
    const input: RemovalInput = { ...options, actor: { userId: actor.userId, username: actor.username } };
    engine.assertIdle(tenant.id);
    if (input.removeServices) await assertRemovable(tenant);
    if (input.removeProxy) await sites.assertRemovable(tenant.id);
    const { id } = await engine.submit('delete', tenant.id, input, nothing);
    const record = await engine.ended(id);
    if (record?.status !== 'success') {
      if (input.removeServices) await assertRemovable(tenant);
      if (input.removeProxy) await sites.assertRemovable(tenant.id);
      // Something outside the manager failed (a database server, the disk), so the response includes the reason.
      const reason = record?.error?.message ?? 'the manager is stopping and resumes the deletion after its restart';
      throw new AppError('runtime_unavailable', `The tenant could not be removed: ${reason}`);
    }
    return removed.parse(record.state);
  };
}
