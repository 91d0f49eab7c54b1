import { z } from 'zod';
import { otherSlot } from '../../../adapters/databases/tenant-database.ts';
import { unitRoles } from '../../../adapters/runtimes/runtime.ts';
import { AppError, messageOf, notFound } from '../../../lib/errors.ts';
import { newId } from '../../../lib/ids.ts';
import type { OperationDefinition, StepContext } from '../../../lib/operations/operation.ts';
import { deployedRelease, spaceOf, type Tenant } from '../../tenants/tenant.ts';
import type { CreateBackup } from '../archive/create.ts';
import { type BackupsDeps, former, incoming, restoreDirectories } from '../backup.ts';
import { failureState, keepingCode } from '../outcome.ts';
import type { Backup, BackupStore } from '../store.ts';
import type { RestoreParts } from './restore-parts.ts';
import type { ScratchDatabases } from './scratch-databases.ts';

const restoreInput = z.object({
  backupId: z.string(),
  allowVersionMismatch: z.boolean(),
  withoutSafetyBackup: z.boolean(),
  createdBy: z.string(),
});
export type RestoreInput = z.output<typeof restoreInput>;

export const restoreState = failureState.extend({
  /** The backup of the previous data. */
  safetyId: z.string().optional(),
  /** Whether the services ran before and must run again. */
  ran: z.boolean().optional(),
  /** Which of the tenant's databases was its own. */
  formerSlot: z.union([z.literal(0), z.literal(1)]).optional(),
  /** The former files have left their place; all new ones have left it again. */
  filesAside: z.boolean().optional(),
  filesBack: z.boolean().optional(),
  environment: z.object({ path: z.string(), backup: z.string().nullable() }).optional(),
  /** The former data has its place again. */
  givenBack: z.boolean().optional(),
});
type RestoreState = z.output<typeof restoreState>;
type Context = StepContext<RestoreInput, RestoreState>;

/** Compares commits, because tags can be moved and repeated in another repository. */
const isSameVersion = (backup: Backup, tenant: Tenant): boolean => backup.commit === deployedRelease(tenant).commit;

/**
 * Checks that a backup is of the version that the tenant runs.
 * @throws AppError invalid_state if it is of another version
 */
export function assertSameVersion(backup: Backup, tenant: Tenant, allowed: boolean): void {
  if (allowed || isSameVersion(backup, tenant)) return;
  const { version, commit } = deployedRelease(tenant);
  const sameName = version !== null && backup.version === version;
  const shown = (tag: string | null, hash: string): string =>
    tag === null ? hash.slice(0, 12) : `${tag}${sameName ? ` (${hash.slice(0, 12)})` : ''}`;
  throw new AppError(
    'invalid_state',
    `The backup is of version ${shown(backup.version, backup.commit)}, but ${tenant.slug} runs ${shown(version, commit)}: deploy the backup’s version first, or set allow_version_mismatch`,
  );
}

/**
 * A restore: stops the services, makes a safety backup (unless the request says otherwise), loads data and files next to the
 * present ones, and puts them in their place when they match the backup. The former ones are removed at a good end, and take
 * their place again after a failure. The tenant's configuration and keys stay as they are.
 */
export function restoreOperation(
  given: { rows: BackupStore; create: CreateBackup; parts: RestoreParts; scratchDatabases: ScratchDatabases },
  deps: BackupsDeps,
): OperationDefinition<RestoreInput, RestoreState> {
  const { rows, create, parts, scratchDatabases } = given;
  const { tenants, runtime, deployments, databaseFiles, proveHealthy, writeAuditLog, healthTimeoutMs } = deps;
  const notMoved = [...databaseFiles, ...restoreDirectories];
  const tenantOf = (context: Context): Promise<Tenant> => tenants.get(context.subject);

  async function find(id: string): Promise<Backup> {
    const backup = await rows.find(id);
    if (!backup) throw notFound('backup', id);
    return backup;
  }

  async function stop(tenant: Tenant): Promise<void> {
    for (const role of ['frontend', 'api'] as const) await runtime.stop({ tenant: spaceOf(tenant), role });
  }

  async function prove(context: Context): Promise<void> {
    const tenant = await tenantOf(context);
    await proveHealthy(tenant, deployedRelease(tenant), context, healthTimeoutMs(deployedRelease(tenant)));
  }

  /** Where a tenant's volumes or units were removed, its files have no place: its units are prepared, which need them, too. */
  async function makePlace(tenant: Tenant, context: Context): Promise<void> {
    const space = spaceOf(tenant);
    const release = deployedRelease(tenant);
    const { commit } = await runtime.inspect({ tenant: space, role: 'api' });
    if (commit !== null && (await runtime.data.missing([space])).size === 0) return;
    if (!(await runtime.hasRelease(release.key))) await deployments.rebuild(tenant, release, context);
    await deployments.parts.stage(tenant, release, context);
  }

  /** Puts the new files and the new database in the place of the former ones. */
  async function takeOver(context: Context): Promise<void> {
    const tenant = await tenantOf(context);
    const space = spaceOf(tenant);
    const formerSlot = context.state.formerSlot ?? tenant.databaseSlot;
    await context.save({ formerSlot });
    if (!context.state.filesAside) {
      await runtime.data.move(space, { into: former, except: notMoved }, context.signal);
      await context.save({ filesAside: true });
    }
    await runtime.data.move(space, { from: incoming }, context.signal);
    if (deployedRelease(tenant).database === null) return;
    await tenants.setDatabaseSlot(tenant.id, otherSlot(formerSlot));
    // If the step runs again after a crash, the first saved copy is the one from before this restore.
    await deployments.parts.writeEnvironment(await tenantOf(context), deployedRelease(tenant), async (kept) =>
      context.save({ environment: context.state.environment ?? kept }),
    );
  }

  /** Puts the former files and the former database back in their place. */
  async function giveBack(context: Context): Promise<void> {
    const { formerSlot, environment } = context.state;
    if (formerSlot === undefined) return;
    const tenant = await tenantOf(context);
    const space = spaceOf(tenant);
    await tenants.setDatabaseSlot(tenant.id, formerSlot);
    if (environment) await deployments.parts.restoreEnvironment(environment);
    if (context.state.filesAside && !context.state.filesBack) {
      await runtime.data.move(space, { into: incoming, except: notMoved }, context.signal);
      await context.save({ filesBack: true });
    }
    await runtime.data.move(space, { from: former }, context.signal);
    await context.save({ givenBack: true });
  }

  /** Whether the spare database and files are the backup's: the former ones have not taken their place, or have left it again. */
  const isSpareOurs = ({ state }: Context): boolean => state.formerSlot === undefined || state.givenBack === true;

  return {
    kind: 'restore',
    immediate: true,
    steps: [
      {
        name: 'Check backup',
        run: (context) =>
          keepingCode(context, async () => {
            const tenant = await tenantOf(context);
            const backup = await find(context.input.backupId);
            assertSameVersion(backup, tenant, context.input.allowVersionMismatch);
            await parts.assertFits(backup, tenant);
            const manifest = await parts.verify(backup, context);
            await parts.assertRoom(tenant, manifest);
            context.log(`The backup of ${backup.createdAt.toISOString()} is intact`);
            const [gone] = (await deployments.lostData.missing([tenant], context.signal)).values();
            if (gone !== undefined) await tenants.setLostData(tenant.id, gone);
          }),
      },
      {
        name: 'Stop services',
        async run(context) {
          const tenant = await tenantOf(context);
          if (context.state.ran === undefined) {
            const units = unitRoles.map((role) => runtime.inspect({ tenant: spaceOf(tenant), role }));
            await context.save({ ran: (await Promise.all(units)).some(({ state }) => state === 'active') });
          }
          await stop(tenant);
          return undefined;
        },
        async undo(context) {
          if (!context.state.ran) return;
          const tenant = await tenantOf(context);
          for (const role of unitRoles) await runtime.start({ tenant: spaceOf(tenant), role });
          await prove(context);
        },
      },
      {
        name: 'Safety backup',
        skip: ({ input }) => (input.withoutSafetyBackup ? 'as requested' : undefined),
        run: (context) =>
          keepingCode(context, async () => {
            const tenant = await tenantOf(context);
            if (tenant.lostData !== null) {
              context.log(`Nothing is backed up, because ${tenant.lostData} does not exist`);
              return;
            }
            const id = context.state.safetyId ?? newId();
            await context.save({ safetyId: id });
            const options = { kind: 'safety', id, createdBy: context.input.createdBy } as const;
            try {
              await create(tenant, options, context);
            } catch (error) {
              if (error instanceof AppError || context.signal.aborted) throw error;
              throw new Error(
                `The current data can’t be backed up: ${messageOf(error)}. If it is damaged and may be lost, restore with without_safety_backup`,
                { cause: error },
              );
            }
          }),
      },
      {
        name: 'Restore database',
        async run(context) {
          await parts.loadSpareDatabase(await tenantOf(context), await find(context.input.backupId), context);
          return undefined;
        },
        async undo(context) {
          if (isSpareOurs(context)) await scratchDatabases.drop(await tenantOf(context));
        },
      },
      {
        name: 'Restore files',
        async run(context) {
          const tenant = await tenantOf(context);
          await makePlace(tenant, context);
          await parts.writeSpareFiles(tenant, await find(context.input.backupId), context);
          return undefined;
        },
        async undo(context) {
          if (!isSpareOurs(context)) return;
          const space = spaceOf(await tenantOf(context));
          await runtime.data.remove(space, { only: restoreDirectories }, context.signal);
          await runtime.rollback(space, context);
        },
      },
      {
        name: 'Put into place',
        async run(context) {
          await takeOver(context);
          return undefined;
        },
        undo: giveBack,
      },
      {
        name: 'Run migrations',
        async skip(context) {
          const same = isSameVersion(await find(context.input.backupId), await tenantOf(context));
          return same ? 'the backup is of the running version' : undefined;
        },
        async run(context) {
          await deployments.migrate(await tenantOf(context), context);
          return undefined;
        },
      },
      {
        name: 'Start services',
        skip: ({ state }) => (state.ran ? undefined : 'the services were stopped before'),
        async run(context) {
          const tenant = await tenantOf(context);
          await deployments.parts.bringBack(tenant, deployedRelease(tenant), context);
          return undefined;
        },
        async undo(context) {
          const tenant = await tenantOf(context);
          await runtime.rollback(spaceOf(tenant), context);
          await stop(tenant);
        },
      },
      {
        name: 'Health check',
        skip: ({ state }) => (state.ran ? undefined : 'the services were stopped before'),
        async run(context) {
          await prove(context);
          return undefined;
        },
      },
    ],
    parseInput: (value) => restoreInput.parse(value),
    parseState: (value) => restoreState.parse(value),
    async settle(context, { outcome, error }) {
      const tenant = await tenantOf(context);
      if (outcome === 'success') {
        await tenants.setLostData(tenant.id, null);
        await runtime.commit(spaceOf(tenant));
        await scratchDatabases.drop(tenant);
        // What can't be removed now is removed by the next restore, and is in no backup.
        const { signal } = new AbortController();
        await runtime.data.remove(spaceOf(tenant), { only: restoreDirectories }, signal).catch(() => undefined);
      }
      // Incomplete rollback: the services may be down, or their data incomplete.
      if (error?.notPutBack) {
        await scratchDatabases.keep(tenant);
        await tenants.setStatus(tenant.id, 'error');
      } else if (context.state.ran) await tenants.setStatus(tenant.id, 'running');
      await writeAuditLog({
        level: outcome === 'failed' ? 'error' : 'info',
        category: 'system',
        message: `Restore: ${outcome}${error ? `, ${error.message}` : ''}`,
        tenant,
        details: {
          backup_id: context.input.backupId,
          safety_backup_id: context.state.safetyId ?? null,
          outcome,
          created_by: context.input.createdBy,
        },
      });
    },
  };
}
