import { AppError, messageOf } from '../../kernel/errors.ts';
import { deployedRelease, type Tenant } from '../tenants/tenant.ts';
import type { Backup, DrillResult } from './backup.ts';
import type { BackupDatabase, BackupDependencies } from './dependencies.ts';
import { partNames } from './manifest.ts';
import { DamagedBackup, readPart } from './read-archive.ts';
import { differingTables, type RestoreParts } from './restore-parts.ts';
import { isFull } from './room.ts';
import type { Scratches } from './scratches.ts';

/**
 * Restores a backup beside the tenant's database, looks, and removes it again; the tenant runs on. The result speaks of the backup alone.
 * @throws AppError where nothing can be said of it: runtime_unavailable or database_unavailable while its database is away,
 * insufficient_storage, invalid_state where its file can't be fetched back or does not fit the tenant
 */
export type Drill = (tenant: Tenant, backup: Backup) => Promise<DrillResult>;

/** Longer than any load that is worth waiting for. */
const timeoutMs = 2 * 3_600_000;
const checkTimeoutMs = 5_000;

export function createDrill(
  parts: RestoreParts,
  scratches: Scratches,
  { databaseOf, clock }: Pick<BackupDependencies, 'databaseOf' | 'clock'>,
  pathOf: (backup: Backup) => string,
): Drill {
  /** What is wrong with the backup; nothing: it is whole. */
  async function findings(tenant: Tenant, backup: Backup): Promise<string[]> {
    const signal = AbortSignal.timeout(timeoutMs);
    const work = { signal, log: () => undefined };
    try {
      await parts.verify(backup, work);
    } catch (error) {
      return damageIn(error);
    }
    const { database: kind } = deployedRelease(tenant);
    const database = kind && (await databaseOf(tenant, kind));
    if (!database || backup.engine === null) return [];
    await parts.assertFits(backup, tenant);
    return scratches.using(tenant, database, work, async (scratch, dumpWork) => {
      try {
        await scratch.load(readPart(pathOf(backup), partNames[database.dumpFormat], signal), dumpWork);
        return differingTables(await scratch.rowCounts(dumpWork), backup.rowCounts);
      } catch (error) {
        signal.throwIfAborted();
        return await refusalOf(database, error);
      }
    });
  }

  return async (tenant, backup) => {
    const began = performance.now();
    const differences = await findings(tenant, backup).catch((error: unknown) => {
      throw inconclusive(error);
    });
    return {
      ok: differences.length === 0,
      checkedAt: clock.now().toISOString(),
      durationMs: Math.round(performance.now() - began),
      differences,
    };
  };
}

/** What an error says of the backup's file. @throws the error where it says nothing of it */
function damageIn(error: unknown): string[] {
  const damage = error instanceof AppError ? error.cause : error;
  if (damage instanceof DamagedBackup) return [damage.message];
  throw error;
}

/** Why the database does not take the backup. @throws the error, or that the database is away, where that is no fault of the backup's */
async function refusalOf(database: BackupDatabase, error: unknown): Promise<string[]> {
  if (error instanceof AppError || isFull(error)) throw error;
  if (database.engine === 'sqlite') return [messageOf(error)];
  // A server that went while it was loading looks like one that refuses what it is given.
  const { status, error: reason } = await database.check({ timeoutMs: checkTimeoutMs });
  if (status === 'healthy') return [messageOf(error)];
  throw new AppError('database_unavailable', `${messageOf(error)}; ${reason ?? status}`, { cause: error });
}

function inconclusive(error: unknown): AppError {
  if (error instanceof AppError) return error;
  const text = `The backup could not be tested: ${messageOf(error)}`;
  return new AppError(isFull(error) ? 'insufficient_storage' : 'database_unavailable', text, { cause: error });
}
