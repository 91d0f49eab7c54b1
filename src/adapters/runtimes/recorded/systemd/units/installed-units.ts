import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { removeCutOffWrites, writeFileAtomic } from '../../../../../lib/files/atomic-file.ts';
import { rm } from '../../../../../lib/files/changes.ts';
import { type OwnedResource, type TenantSpace, type UnitRole, unitRoles } from '../../../runtime.ts';
import { serviceName } from '../names.ts';
import { showService } from '../systemctl/systemctl.ts';
import { readMark } from './unit-file.ts';

/** @param directory systemd's directory for the administrator's units, such as `/etc/systemd/system` */
export function createInstalledUnits(directory: string, instance: string) {
  const pathOf = (tenant: TenantSpace, role: UnitRole): string => join(directory, serviceName(tenant.slug, role));

  async function content(tenant: TenantSpace, role: UnitRole): Promise<string | undefined> {
    const text = await readFile(pathOf(tenant, role), 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    const mark = text === undefined ? undefined : readMark(text);
    return mark?.instance === instance && mark.tenantId === tenant.id ? text : undefined;
  }

  return {
    /** Our file of a tenant's unit; undefined if there is none, or it is not ours. */
    content,
    /** @throws Error that names the unit, when systemd has a foreign one of its name */
    async assertFree(tenant: TenantSpace, role: UnitRole) {
      if ((await content(tenant, role)) !== undefined) return;
      const { name, loadState, fragmentPath } = await showService(serviceName(tenant.slug, role));
      if (loadState !== 'not-found' || (await readFile(pathOf(tenant, role)).catch(() => undefined)))
        throw new Error(`systemd has a unit ${name} that is not this tenant's (${fragmentPath || loadState})`);
    },
    write: (tenant: TenantSpace, role: UnitRole, text: string) => writeFileAtomic(pathOf(tenant, role), text, 0o644),
    async remove(tenant: TenantSpace, role: UnitRole) {
      if ((await content(tenant, role)) !== undefined) await rm(pathOf(tenant, role), { force: true });
    },
    /** Removes a killed manager's temporary files of these tenants; another manager's are not touched. */
    async removeCutOff(tenants: readonly TenantSpace[]) {
      const ours = new Set(tenants.flatMap(({ slug }) => unitRoles.map((role) => serviceName(slug, role))));
      await removeCutOffWrites(directory, { of: (name) => ours.has(name) });
    },
    async list(): Promise<OwnedResource[]> {
      const names = (await readdir(directory)).filter((name) => /^[a-z].*-(api|frontend)\.service$/.test(name));
      const found = await Promise.all(
        names.map(async (name) => {
          const mark = readMark(await readFile(join(directory, name), 'utf8').catch(() => ''));
          return mark?.instance === instance
            ? [{ kind: 'unit' as const, name: name.slice(0, -'.service'.length), tenantId: mark.tenantId }]
            : [];
        }),
      );
      return found.flat();
    },
  };
}

export type InstalledUnits = ReturnType<typeof createInstalledUnits>;
