import { type OwnedResource, type UnitRole, unitRoles } from '../../../runtime.ts';
import { unitName } from '../../../unit-name.ts';
import type { Records } from '../records.ts';
import type { Marks } from '../units/unit-mark.ts';
import { listProcesses } from './process-table.ts';

/** Recorded units, and every process with a mark of ours, recorded or not. */
export async function listOwned({ records, marks }: { records: Records; marks: Marks }): Promise<OwnedResource[]> {
  const found = new Map<string, OwnedResource>();
  const add = (tenantId: string, slug: string, role: UnitRole | 'job'): void => {
    const kind = role === 'job' ? 'job' : 'process';
    found.set(`${tenantId}/${role}`, { kind, name: unitName(slug, role), tenantId });
  };
  for (const { tenant, units } of await records.readable())
    for (const role of unitRoles) {
      const { live, staged, previous } = units[role];
      if (live ?? staged ?? previous) add(tenant.id, tenant.slug, role);
    }
  for (const { mark: text } of listProcesses()) {
    const mark = marks.read(text);
    if (mark && mark.role !== 'release') add(mark.tenantId, mark.slug, mark.role);
  }
  return [...found.values()];
}
