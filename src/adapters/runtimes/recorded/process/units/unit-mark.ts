import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import type { TenantSpace, UnitRole } from '../../../runtime.ts';

/**
 * The environment variable that every process we start bears, and hands down to its own children. By it a process is
 * found again when its number was never written down (the manager was killed at that moment) or it left its group.
 */
export const markVariable = 'TENANTRY_UNIT';

/** What a mark says. `launch` is different at every start. */
interface Mark {
  tenantId: string;
  slug: string;
  role: UnitRole | 'job' | 'release';
  launch: string;
}

const noTenant = '-';

/** Marks of one installation: two managers with directories of their own on one host never take each other's processes. */
export interface Marks {
  of(tenant: TenantSpace | undefined, role: Mark['role'], launch: string): string;
  /** What a mark says; undefined where it is not one of this installation. */
  read(mark: string | undefined): Mark | undefined;
}

/** @param directory the runtime's own directory, by which the installation is known */
export function createMarks(directory: string): Marks {
  const installation = createHash('sha256').update(resolve(directory)).digest('hex').slice(0, 16);
  return {
    of: (tenant, role, launch) =>
      [installation, tenant?.id ?? noTenant, tenant?.slug ?? noTenant, role, launch].join('/'),
    read(mark) {
      const [owner, tenantId, slug, role, launch] = mark?.split('/') ?? [];
      if (owner !== installation || tenantId === undefined || slug === undefined || launch === undefined)
        return undefined;
      if (role !== 'api' && role !== 'frontend' && role !== 'job' && role !== 'release') return undefined;
      return { tenantId, slug, role, launch };
    },
  };
}
