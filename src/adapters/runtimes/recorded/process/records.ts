import { join } from 'node:path';
import { z } from 'zod';
import { writeFileAtomic } from '../../../../lib/files/atomic-file.ts';
import { rm } from '../../../../lib/files/changes.ts';
import type { UnitRole } from '../../runtime.ts';
import { createTenantRecords, readJson, type TenantRecords } from '../records.ts';

/** A unit's process as recorded: before the start without its number, after it with number and identity. */
export const ProcessRecord = z.object({
  launch: z.string(),
  generation: z.string(),
  pid: z.number().int().positive().nullable(),
  identity: z.string().nullable(),
  startedAt: z.string(),
});
export type ProcessRecord = z.infer<typeof ProcessRecord>;

/** The runtime's records: `<role>.process.json` next to each tenant's generations. */
export interface Records extends TenantRecords {
  readProcess(tenantId: string, role: UnitRole): Promise<ProcessRecord | undefined>;
  writeProcess(tenantId: string, role: UnitRole, record: ProcessRecord): Promise<void>;
  removeProcess(tenantId: string, role: UnitRole): Promise<void>;
}

export function createRecords(directory: string): Records {
  const records = createTenantRecords(directory);
  const file = (tenantId: string, role: UnitRole): string => join(records.folder(tenantId), `${role}.process.json`);
  return {
    ...records,
    readProcess: (tenantId, role) => readJson(file(tenantId, role), ProcessRecord),
    writeProcess: (tenantId, role, record) => writeFileAtomic(file(tenantId, role), JSON.stringify(record)),
    removeProcess: (tenantId, role) => rm(file(tenantId, role), { force: true }),
  };
}
