import type { OwnedResource } from '../../runtime.ts';
import type { TransientNames } from './names.ts';
import { loadedUnits } from './systemctl/systemctl.ts';
import type { InstalledUnits } from './units/installed-units.ts';

/** Unit files with our mark, and jobs by their names, as they are now. */
export async function listOwned(installed: InstalledUnits, names: TransientNames): Promise<OwnedResource[]> {
  const jobs = (await loadedUnits(names.pattern)).flatMap((name): OwnedResource[] => {
    const tenantId = names.tenantOf(name);
    return tenantId === undefined ? [] : [{ kind: 'job', name, tenantId }];
  });
  return [...(await installed.list()), ...jobs];
}
