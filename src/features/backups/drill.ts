import { messageOf } from '../../kernel/errors.ts';
import { deployedRelease, type Tenant } from '../tenants/tenant.ts';
import type { Backup, DrillResult } from './backup.ts';
import type { BackupDependencies } from './dependencies.ts';
import { partNames } from './manifest.ts';
import { readPart } from './read-archive.ts';
import { differingTables, type RestoreParts } from './restore-parts.ts';

/** Restores a backup beside the tenant's database, looks, and removes it again; the tenant runs on. */
export type Drill = (tenant: Tenant, backup: Backup) => Promise<DrillResult>;

/** Longer than any load that is worth waiting for. */
const timeoutMs = 2 * 3_600_000;

export function createDrill(
  parts: RestoreParts,
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
    await database.ensure(work);
    await database.dropScratches();
    return parts.aside(backup.id, async (directory) => {
      const scratch = await database.scratch({ signal, directory });
      try {
        const content = readPart(pathOf(backup), partNames[database.dumpFormat], signal);
        await scratch.load(content, { signal, directory });
        return differingTables(await scratch.rowCounts({ signal, directory }), backup.rowCounts);
      } finally {
        await scratch.drop();
      }
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
