import type { Logger } from '../../../../../lib/logger.ts';
import { unitRoles } from '../../../runtime.ts';
import { generationToRun, type TenantRecord } from '../../generations.ts';
import { endProcesses } from '../processes/end-processes.ts';
import type { Records } from '../records.ts';
import type { Marks } from './unit-mark.ts';
import type { Units } from './units.ts';

/**
 * Adopts an earlier manager's running units, starts units that should run and don't, and ends every other process with a mark
 * of ours (a job or an install of the earlier manager, an unrecorded unit, a replaced version). A tenant with an unreadable
 * record is skipped.
 */
export async function adoptUnits(options: {
  records: Records;
  marks: Marks;
  units: Units;
  logger: Logger;
}): Promise<void> {
  const { records, marks, units, logger } = options;
  const unreadable = new Set<string>();
  const readable = await records.readable((tenantId, error) => {
    unreadable.add(tenantId);
    logger.error({ tenantId, err: error }, 'A tenant’s record cannot be read; its units are left alone');
  });

  const adopted = new Set<string>();
  for (const record of readable) for (const launch of await adoptTenant(record, options)) adopted.add(launch);

  const isOrphan = (text: string): boolean => {
    const mark = marks.read(text);
    return mark !== undefined && !adopted.has(mark.launch) && !unreadable.has(mark.tenantId);
  };
  await endProcesses({ marked: isOrphan }).catch((error: unknown) =>
    logger.error({ err: error }, 'Processes of an earlier manager could not be ended'),
  );

  await Promise.all(
    readable.map((record) =>
      units
        .follow(record)
        .catch((error: unknown) =>
          logger.error({ tenant: record.tenant.slug, err: error }, 'A unit could not be started'),
        ),
    ),
  );
}

/** Returns the launches whose processes continue under this manager. */
async function adoptTenant(
  record: TenantRecord,
  { records, units, logger }: Parameters<typeof adoptUnits>[0],
): Promise<string[]> {
  const launches: string[] = [];
  for (const role of unitRoles) {
    const target = generationToRun(record, role);
    const process = await records.readProcess(record.tenant.id, role).catch((error: unknown) => {
      logger.error({ tenant: record.tenant.slug, role, err: error }, 'The process of a unit cannot be read');
      return undefined;
    });
    if (!target || !process || !(await units.of(record.tenant, role).adopt(target, process))) continue;
    launches.push(process.launch);
    logger.info({ tenant: record.tenant.slug, role, pid: process.pid }, 'A running unit was adopted');
  }
  return launches;
}
