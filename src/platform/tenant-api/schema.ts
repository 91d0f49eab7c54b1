import { z } from 'zod';

const count = z.int().min(0);

/** What a tenant answers at `GET /api/stats`; further fields are left out. */
export const tenantStats = z.object({
  persons: count,
  events: count,
  tags: count,
  segments: count,
  communications: count,
  database_size_mb: count,
});
export type TenantStats = z.output<typeof tenantStats>;

/** What a tenant answers at `GET /api/persons/count`. */
export const tenantPersonsCount = z.object({
  total: count,
  by_status: z.object({ active: count, inactive: count }),
});
export type TenantPersonsCount = z.output<typeof tenantPersonsCount>;
