import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import type { TenantSpace, UnitRole } from '../../../runtime.ts';

/**
 * The environment variable of every process we start, inherited by its children. It identifies a process whose number was never
 * recorded (the manager was killed at that moment) or that left its group.
 */
export const markVariable = 'TENANTRY_UNIT';

/** The content of a mark. `launch` differs at every start. */
interface Mark {
  tenantId: string;
  slug: string;
  role: UnitRole | 'job' | 'release';
  launch: string;
}

const noTenant = '-';

/** @param directory the runtime's own directory, which identifies the installation */
export function createMarks(directory: string) {
  const installation = createHash('sha256').update(resolve(directory)).digest('hex').slice(0, 16);
  return {
    of: (tenant: TenantSpace | undefined, role: Mark['role'], launch: string) =>
      [installation, tenant?.id ?? noTenant, tenant?.slug ?? noTenant, role, launch].join('/'),
    /** The content of a mark; undefined if it is not of this installation. */
    read(mark: string | undefined): Mark | undefined {
      const [owner, tenantId, slug, role, launch] = mark?.split('/') ?? [];
      if (owner !== installation || tenantId === undefined || slug === undefined || launch === undefined)
        return undefined;
      if (role !== 'api' && role !== 'frontend' && role !== 'job' && role !== 'release') return undefined;
      return { tenantId, slug, role, launch };
    },
  };
}

export type Marks = ReturnType<typeof createMarks>;
