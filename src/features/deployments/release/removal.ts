import { mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import type { Actor } from '../../../adapters/events/journal-entry.ts';
import type { Runtime } from '../../../adapters/runtimes/runtime.ts';
import { AppError } from '../../../lib/errors.ts';
import { move } from '../../../lib/files/move.ts';
import type { OperationEngine } from '../../../lib/operations/engine.ts';
import type { Step, StepContext } from '../../../lib/operations/operation.ts';
import { type DatabaseKind, spaceOf, type Tenant } from '../../tenants/tenant.ts';
import type { DeploymentDatabase, Work } from '../dependencies.ts';
import { deploymentState } from '../operation.ts';
import type { DeploymentStore } from '../store.ts';

const removalInput = z.object({
  removeFiles: z.boolean(),
  removeProxy: z.boolean(),
  removeServices: z.boolean(),
  actor: z.object({ userId: z.string().nullable(), username: z.string() }),
});
type RemovalInput = z.output<typeof removalInput>;

/** What has really been removed so far. */
const removed = z.object({ files: z.boolean(), proxy: z.boolean(), services: z.boolean() });
type Removed = z.output<typeof removed>;

interface RemovalDependencies {
  store: Pick<DeploymentStore, 'list'>;
  engine: OperationEngine;
  runtime: Runtime;
  tenants: {
    get(id: string): Promise<Tenant>;
    remove(id: string, actor: Actor): Promise<unknown>;
  };
  databaseOf(tenant: Tenant, kind: DatabaseKind): Promise<DeploymentDatabase>;
  /** The tenant's two host names at the proxy. */
  sites: {
    /** @throws AppError proxy_unavailable where a site is in service and the proxy is not there to take it out */
    assertRemovable(tenantId: string): Promise<void>;
    /** @returns whether there was one */
    remove(tenant: Tenant, work: Work): Promise<boolean>;
  };
  backups: {
    /** Removes a tenant's backups, or moves their files to a directory; the catalogue's rows go with the tenant. */
    leave(tenantId: string, keptIn: string | null): Promise<void>;
  };
  /** Where the files of deleted tenants are kept, by the tenant's id. */
  keptDirectory: string;
}

/**
 * Registers the deletion of a tenant as an operation, so that one cut off by a crash is finished at the next start.
 * @returns runs it to its end; answers what was removed. @throws AppError operation_in_progress;
 * proxy_unavailable; runtime_unavailable with the reason when a step failed
 */
export function createRemoval(dependencies: RemovalDependencies) {
  const { store, engine, runtime, tenants, databaseOf, keptDirectory } = dependencies;
  type Context = StepContext<RemovalInput, Removed>;

  const steps: Step<RemovalInput, Removed>[] = [
    {
      // First: visitors are told that there is no such site, not that it is down.
      name: 'Remove proxy',
      skip: ({ input }) => (input.removeProxy ? undefined : 'remove_proxy=false'),
      async run(context) {
        const was = await dependencies.sites.remove(await tenants.get(context.subject), context);
        await context.save({ proxy: context.state.proxy || was });
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

  /** Where the tenant has data, or a first deployment that failed may have left some that its undo could not reach. */
  async function databaseKinds(tenant: Tenant): Promise<Set<DatabaseKind>> {
    const { items } = await store.list(tenant.id, { limit: 500, offset: 0 });
    const releases = items.map(({ state }) => deploymentState.safeParse(state).data?.release);
    const kinds = [tenant.deployed, ...releases].flatMap((release) => release?.database ?? []);
    return new Set(kinds);
  }

  async function removeFiles(context: Context): Promise<undefined> {
    const { directory, id } = await tenants.get(context.subject);
    const { removeFiles } = context.input;
    await dependencies.backups.leave(id, removeFiles ? null : join(keptDirectory, `${id}-backups`));
    if (removeFiles) {
      await rm(directory, { recursive: true, force: true });
      await context.save({ files: true });
      return;
    }
    // Out of the way of a new tenant with the same slug.
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

  async function assertReachable(): Promise<void> {
    const availability = await runtime.availability();
    if (!availability.available) throw new AppError('runtime_unavailable', availability.reason);
  }

  return async (tenant: Tenant, options: Omit<RemovalInput, 'actor'>, actor: Actor): Promise<Removed> => {
    const nothing: Removed = { files: false, proxy: false, services: false };
    const input: RemovalInput = { ...options, actor: { userId: actor.userId, username: actor.username } };
    engine.assertIdle(tenant.id);
    if (input.removeServices) await assertReachable();
    if (input.removeProxy) await dependencies.sites.assertRemovable(tenant.id);
    const { id } = await engine.submit('delete', tenant.id, input, nothing);
    const record = await engine.ended(id);
    if (record?.status !== 'success') {
      if (input.removeServices) await assertReachable();
      if (input.removeProxy) await dependencies.sites.assertRemovable(tenant.id);
      // What fails here is something outside (a database server, the disk); its reason belongs into the answer.
      const reason = record?.error?.message ?? 'the manager is stopping and goes on at its next start';
      throw new AppError('runtime_unavailable', `The tenant could not be removed: ${reason}`);
    }
    return removed.parse(record.state);
  };
}
