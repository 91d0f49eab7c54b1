import { join } from 'node:path';
import { z } from 'zod';
import { type BoundDatabase, RefusedContent } from '../../../adapters/databases/tenant-database.ts';
import { AppError, messageOf } from '../../../lib/errors.ts';
import type { OperationDefinition, StepContext } from '../../../lib/operations/operation.ts';
import { deployedRelease } from '../../tenants/tenant.ts';
import { isFull } from '../archive/disk-space.ts';
import { contentsIn, partNames } from '../archive/manifest.ts';
import { DamagedBackup, manifestOf, readPart } from '../archive/read-archive.ts';
import { type BackupsDeps, verdictStep } from '../backup.ts';
import { failureState, keepingCode } from '../outcome.ts';
import type { Backup, BackupStore } from '../store.ts';
import { differingTables, type RestoreParts } from './restore-parts.ts';
import type { ScratchDatabases } from './scratch-databases.ts';

const drillInput = z.object({ backupId: z.string(), createdBy: z.string() });
type DrillInput = z.output<typeof drillInput>;

const checkTimeoutMs = 5_000;

const drillState = failureState.extend({
  /** ISO 8601. */
  began: z.string().optional(),
  /** The problems of the backup; empty: none. */
  differences: z.array(z.string()).optional(),
});
type DrillState = z.output<typeof drillState>;
type Context = StepContext<DrillInput, DrillState>;

/**
 * Restores a backup into a scratch database and compares rows and contents while the tenant keeps running. What differs is saved
 * with the backup, and fails the drill. If it can't judge the backup (the database is unavailable, a disk is full, the file can't be
 * downloaded or does not fit the tenant), it fails, too, and an earlier finding stays.
 */
export function drillOperation(
  { rows, parts, scratchDatabases }: { rows: BackupStore; parts: RestoreParts; scratchDatabases: ScratchDatabases },
  { tenants, databaseOf, directory, clock, writeAuditLog }: BackupsDeps,
): OperationDefinition<DrillInput, DrillState> {
  async function backupOf({ input }: Context): Promise<Backup> {
    const backup = await rows.find(input.backupId);
    if (!backup) throw new Error(`There is no backup ${input.backupId}`);
    return backup;
  }

  async function databaseFor(context: Context) {
    const tenant = await tenants.get(context.subject);
    const { database: kind } = deployedRelease(tenant);
    return { tenant, database: kind && (await databaseOf(tenant, kind)) };
  }

  async function load(context: Context): Promise<string[]> {
    const backup = await backupOf(context);
    const { tenant, database } = await databaseFor(context);
    if (!database) return [];
    await parts.assertFits(backup, tenant);
    return scratchDatabases.using(tenant, database, context, async (scratch, work) => {
      try {
        const path = join(directory, backup.file);
        await scratch.load(readPart(path, partNames[database.dumpFormat], context.signal), work);
        const wanted = contentsIn(backup.rowCounts, await manifestOf(path, context.signal));
        const found = await scratch.contents(work);
        if (wanted) return differingTables(found, wanted);
        // It could not be counted when it was made.
        const counts = Object.entries(found).map(([table, { rows: count }]) => [table, count]);
        await rows.update(backup.id, { rowCounts: Object.fromEntries(counts) });
        return [];
      } catch (error) {
        context.signal.throwIfAborted();
        return await rejectionOf(database, error);
      }
    });
  }

  /** Does a part of the drill and saves the problems that it finds. */
  const finding = (context: Context, look: () => Promise<string[]>): Promise<undefined> =>
    keepingCode(context, async () => {
      const differences = await look().catch((error: unknown) => {
        context.signal.throwIfAborted();
        throw inconclusive(error);
      });
      for (const difference of differences) context.log(difference);
      if (differences.length > 0) await context.save({ differences });
    });

  return {
    kind: 'drill',
    immediate: true,
    steps: [
      {
        name: 'Check backup',
        async run(context) {
          await context.save({ began: context.state.began ?? clock.now().toISOString() });
          return finding(context, async () => {
            const backup = await backupOf(context);
            return parts.verify(backup, context).then(() => [], damageIn);
          });
        },
      },
      {
        name: 'Load into a scratch database',
        async skip(context) {
          if (context.state.differences) return 'the file is not whole';
          const { database } = deployedRelease(await tenants.get(context.subject));
          return database && (await backupOf(context)).engine !== null ? undefined : 'there is no database in it';
        },
        run: (context) => finding(context, () => load(context)),
      },
      {
        name: verdictStep,
        run: (context) =>
          keepingCode(context, async () => {
            const { differences = [] } = context.state;
            if (differences.length > 0)
              throw new AppError('invalid_state', `The backup is not intact: ${differences.join('; ')}`);
          }),
      },
    ],
    parseInput: (value) => drillInput.parse(value),
    parseState: (value) => drillState.parse(value),
    async settle({ subject, input, state }, { outcome, error }) {
      const { began, differences = [] } = state;
      const now = clock.now();
      const ok = differences.length === 0;
      if (outcome === 'success' || !ok) {
        const durationMs = began === undefined ? 0 : now.getTime() - Date.parse(began);
        const drill = { ok, checkedAt: now.toISOString(), durationMs, differences };
        await rows.update(input.backupId, { drill, ...(ok ? { verifiedAt: now } : {}) });
      }
      const found = ok ? 'the backup is intact' : 'the backup is NOT intact';
      await writeAuditLog({
        level: outcome === 'failed' || !ok ? 'error' : 'info',
        category: 'system',
        message: `Restore drill: ${outcome === 'success' || !ok ? found : outcome}${error ? `, ${error.message}` : ''}`,
        tenant: await tenants.get(subject),
        details: { backup_id: input.backupId, outcome, differences, created_by: input.createdBy },
      });
    },
  };
}

/** The damage of the backup's file that an error reports. @throws the error if it reports none */
function damageIn(error: unknown): string[] {
  const damage = error instanceof AppError ? error.cause : error;
  if (damage instanceof DamagedBackup) return [damage.message];
  throw error;
}

/** Why the database rejects the backup. @throws AppError database_unavailable or the error, if the backup is not the cause */
async function rejectionOf(database: BoundDatabase, error: unknown): Promise<string[]> {
  if (isFull(error)) throw error;
  if (error instanceof RefusedContent || error instanceof DamagedBackup) return [error.message];
  if (error instanceof AppError) throw error;
  const { status, error: reason } = await database.check({ timeoutMs: checkTimeoutMs });
  if (status === 'healthy') throw error;
  throw new AppError('database_unavailable', `${messageOf(error)}; ${reason ?? status}`, { cause: error });
}

function inconclusive(error: unknown): AppError {
  if (error instanceof AppError) return error;
  const text = `The backup could not be tested: ${messageOf(error)}`;
  return new AppError(isFull(error) ? 'insufficient_storage' : 'database_unavailable', text, { cause: error });
}
