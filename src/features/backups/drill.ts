import { messageOf } from '../../kernel/errors.ts';
import { deployedRelease, type Tenant } from '../tenants/tenant.ts';
import type { Backup, DrillResult } from './backup.ts';
import type { BackupDependencies } from './dependencies.ts';
import { partNames } from './manifest.ts';
import { readPart } from './read-archive.ts';
import { differingTables, type RestoreParts } from './restore-parts.ts';
import type { Scratches } from './scratches.ts';

/** Restores a backup beside the tenant's database, looks, and removes it again; the tenant runs on. */
export type Drill = (tenant: Tenant, backup: Backup) => Promise<DrillResult>;

/** Longer than any load that is worth waiting for. */
const timeoutMs = 2 * 3_600_000;

export function createDrill(
  parts: RestoreParts,
  scratches: Scratches,
  { databaseOf, clock }: Pick<BackupDependencies, 'databaseOf' | 'clock'>,
  pathOf: (backup: Backup) => string,
): Drill {
  async function load(tenant: Tenant, backup: Backup): Promise<string[]> {
    const signal = AbortSignal.timeout(timeoutMs);
    const work = { signal, log: () => undefined };
    await parts.verify(backup, work);
    const { database: kind } = deployedRelease(tenant);
    const database = kind && (await databaseOf(tenant, kind));
    if (!database || backup.engine === null) return [];
    await parts.assertFits(backup, tenant);
    return scratches.using(tenant, database, work, async (scratch, dumpWork) => {
      await scratch.load(readPart(pathOf(backup), partNames[database.dumpFormat], signal), dumpWork);
      return differingTables(await scratch.rowCounts(dumpWork), backup.rowCounts);
    });
  }

  return async (tenant, backup) => {
    const began = performance.now();
    const differences = await load(tenant, backup).catch((error: unknown) => [messageOf(error)]);
    return {
      ok: differences.length === 0,
      checkedAt: clock.now().toISOString(),
      durationMs: Math.round(performance.now() - began),
      differences,
    };
  };
}
