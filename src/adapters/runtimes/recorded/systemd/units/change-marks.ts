import { access, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFileAtomic } from '../../../../../lib/files/atomic-file.ts';
import type { UnitRole } from '../../../runtime.ts';
import type { TenantRecords } from '../../records.ts';

/**
 * A mark stands beside the record while a unit's file has been replaced and the unit not yet started from it: what runs then may be of the
 * file before, which can't be told from outside. A manager that finds one starts the unit anew.
 */
export function createChangeMarks(records: TenantRecords) {
  const path = (tenantId: string, role: UnitRole): string => join(records.folder(tenantId), `${role}.changing`);
  return {
    set: (tenantId: string, role: UnitRole) => writeFileAtomic(path(tenantId, role), ''),
    isSet: (tenantId: string, role: UnitRole) =>
      access(path(tenantId, role)).then(
        () => true,
        () => false,
      ),
    clear: (tenantId: string, role: UnitRole) => rm(path(tenantId, role), { force: true }),
  };
}
