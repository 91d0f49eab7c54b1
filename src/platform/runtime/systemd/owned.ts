import type { OwnedResource } from '../runtime.ts';
import type { InstalledUnits } from './installed-units.ts';
import type { TransientNames } from './names.ts';
import { loadedUnits } from './systemctl.ts';

/** Unit files with our mark, and jobs by their names, as they are now. */
export async function listOwned(installed: InstalledUnits, names: TransientNames): Promise<OwnedResource[]> {
  const jobs = (await loadedUnits(names.pattern)).flatMap((name): OwnedResource[] => {
    const tenantId = names.tenantOf(name);
    return tenantId === undefined ? [] : [{ kind: 'job', name, tenantId }];
  });
  return [...(await installed.list()), ...jobs];
}
