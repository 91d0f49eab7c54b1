import { z } from 'zod';
import { unitRoles } from '../../../adapters/runtimes/runtime.ts';
import { AppError, messageOf, notFound } from '../../../lib/errors.ts';
import { newId } from '../../../lib/ids.ts';
import type { OperationDefinition, StepContext } from '../../../lib/operations/operation.ts';
import { deployedRelease, spaceOf, type Tenant } from '../../tenants/tenant.ts';
import type { CreateBackup } from '../archive/create.ts';
import type { BackupsDeps } from '../backup.ts';
import { failureState, keepingCode } from '../outcome.ts';
import type { Backup, BackupStore } from '../store.ts';
import type { RestoreParts } from './restore-parts.ts';

const restoreInput = z.object({
  backupId: z.string(),
  allowVersionMismatch: z.boolean(),
  /** Missing in records of earlier versions. */
  withoutSafetyBackup: z.boolean().default(false),
  createdBy: z.string(),
});
export type RestoreInput = z.output<typeof restoreInput>;

export const restoreState = failureState.extend({
  /** The backup of the previous data. */
  safetyId: z.string().optional(),
  /** Whether the services ran before and must run again. */
  ran: z.boolean().optional(),
  /** The data was being replaced when the restore failed. */
  replacing: z.boolean().optional(),
  /** Rolled back already: the services may have run since, and what users wrote then must stay. */
  databaseBack: z.boolean().optional(),
  filesBack: z.boolean().optional(),
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
 * A restore: stops the services, makes a safety backup (unless the request says otherwise) and replaces data and files with the
 * backup's; a later failure restores the safety backup. The tenant's configuration and keys stay as they are.
 */
export function restoreOperation(
  { rows, create, parts }: { rows: BackupStore; create: CreateBackup; parts: RestoreParts },
  { tenants, runtime, proveHealthy, migrate, writeAuditLog, healthTimeoutMs }: BackupsDeps,
): OperationDefinition<RestoreInput, RestoreState> {
  const tenantOf = (context: Context): Promise<Tenant> => tenants.get(context.subject);

  async function find(id: string): Promise<Backup> {
    const backup = await rows.find(id);
    if (!backup) throw notFound('backup', id);
    return backup;
  }

  async function safetyOf({ state: { safetyId } }: Context): Promise<Backup> {
    if (safetyId === undefined) throw new Error('no safety backup was made, as requested');
    return find(safetyId);
  }

  async function stop(tenant: Tenant): Promise<void> {
    for (const role of ['frontend', 'api'] as const) await runtime.stop({ tenant: spaceOf(tenant), role });
  }

  async function start(tenant: Tenant): Promise<void> {
    for (const role of unitRoles) await runtime.start({ tenant: spaceOf(tenant), role });
  }

  async function startAndProve(context: Context): Promise<void> {
    const tenant = await tenantOf(context);
    await start(tenant);
    await proveHealthy(tenant, deployedRelease(tenant), context, healthTimeoutMs(deployedRelease(tenant)));
  }

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
            await parts.verify(backup, context);
            context.log(`The backup of ${backup.createdAt.toISOString()} is intact`);
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
          const { input, state } = context;
          // The data may be incomplete: the services must not write to it.
          const isBroken = input.withoutSafetyBackup && state.replacing;
          if (state.ran && !isBroken) await startAndProve(context);
        },
      },
      {
        name: 'Safety backup',
        skip: ({ input }) => (input.withoutSafetyBackup ? 'as requested' : undefined),
        run: (context) =>
          keepingCode(context, async () => {
            const id = context.state.safetyId ?? newId();
            await context.save({ safetyId: id });
            const options = { kind: 'safety', id, createdBy: context.input.createdBy } as const;
            try {
              await create(await tenantOf(context), options, context);
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
          await context.save({ replacing: true });
          await parts.database(await tenantOf(context), await find(context.input.backupId), context);
          return undefined;
        },
        async undo(context) {
          if (context.state.databaseBack) return;
          const tenant = await tenantOf(context);
          await stop(tenant);
          await parts.database(tenant, await safetyOf(context), context);
          await context.save({ databaseBack: true });
        },
      },
      {
        name: 'Restore files',
        async run(context) {
          await parts.files(await tenantOf(context), await find(context.input.backupId), context);
          return undefined;
        },
        async undo(context) {
          if (context.state.filesBack) return;
          const tenant = await tenantOf(context);
          await stop(tenant);
          await parts.files(tenant, await safetyOf(context), context);
          await context.save({ filesBack: true });
        },
      },
      {
        name: 'Run migrations',
        async skip(context) {
          const same = isSameVersion(await find(context.input.backupId), await tenantOf(context));
          return same ? 'the backup is of the running version' : undefined;
        },
        async run(context) {
          await migrate(await tenantOf(context), context);
          return undefined;
        },
      },
      {
        name: 'Start services',
        skip: ({ state }) => (state.ran ? undefined : 'the services were stopped before'),
        async run(context) {
          await start(await tenantOf(context));
          return undefined;
        },
      },
      {
        name: 'Health check',
        skip: ({ state }) => (state.ran ? undefined : 'the services were stopped before'),
        async run(context) {
          const tenant = await tenantOf(context);
          await proveHealthy(tenant, deployedRelease(tenant), context, healthTimeoutMs(deployedRelease(tenant)));
          return undefined;
        },
      },
    ],
    parseInput: (value) => restoreInput.parse(value),
    parseState: (value) => restoreState.parse(value),
    async settle(context, { outcome, error }) {
      const tenant = await tenantOf(context);
      // Incomplete rollback: the services may be down, or their data incomplete.
      if (error?.notPutBack) await tenants.setStatus(tenant.id, 'error');
      else if (context.state.ran) await tenants.setStatus(tenant.id, 'running');
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
