import { messageOf } from '../../../../../lib/errors.ts';
import type { Logger } from '../../../../../lib/logger.ts';
import { type TenantSpace, unitRoles } from '../../../runtime.ts';
import { generationToRun } from '../../generations.ts';
import type { TenantRecords } from '../../records.ts';
import type { Jobs } from '../jobs.ts';
import { letGoOn } from '../pause.ts';
import type { InstalledUnits } from './installed-units.ts';
import type { Units } from './units.ts';

/**
 * Adopts what an earlier manager left. Units run independently; unfinished changes are completed, those that should run and
 * don't are started, jobs and installs are ended. A tenant with an unreadable record is skipped.
 */
export async function adoptUnits(options: {
  records: TenantRecords;
  units: Units;
  installed: Pick<InstalledUnits, 'removeCutOff'>;
  jobs: Jobs;
  installs: { removeLeftovers(): Promise<void> };
  logger: Logger;
}): Promise<void> {
  const { records, units, installed, jobs, installs, logger } = options;
  const tenants: TenantSpace[] = [];
  await jobs.endLeftovers();
  await installs.removeLeftovers();
  for (const tenantId of await records.tenantIds()) {
    try {
      const record = await records.read(tenantId);
      if (!record) continue;
      const { tenant } = record;
      tenants.push(tenant);
      await letGoOn(unitRoles.filter((role) => generationToRun(record, role)).map((role) => ({ tenant, role })));
      await units.follow(record, { start: 'as it is' });
    } catch (error) {
      logger.error({ tenantId, message: messageOf(error) }, 'The units of a tenant could not be adopted');
    }
  }
  await installed.removeCutOff(tenants);
}
