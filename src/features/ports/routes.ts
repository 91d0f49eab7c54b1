import { z } from 'zod';
import { timestamp, toTimestamp } from '../../lib/http/routing/formats.ts';
import { defineRoute, type Route } from '../../lib/http/routing/route.ts';
import type { PortService } from './service.ts';

const portAllocation = z
  .object({
    frontend_port: z.int(),
    backend_port: z.int(),
    tenant_id: z.string().nullable(),
    tenant_name: z.string().optional(),
    allocated_at: timestamp.optional(),
    status: z.enum(['in_use', 'available']),
  })
  .meta({ id: 'PortAllocation' });

const portOverview = z
  .object({
    allocations: z.array(portAllocation),
    available_count: z.int(),
    in_use_count: z.int(),
    pool_start: z.int(),
    pool_end: z.int().meta({ description: 'The last port of the pool' }),
  })
  .meta({ id: 'PortOverview' });

const portPair = z.object({ frontend_port: z.int(), backend_port: z.int() }).meta({ id: 'PortPair' });

/** Tenants are a later feature, so what is used of them is declared here. */
interface TenantNames {
  namesOf(ids: readonly string[]): Promise<ReadonlyMap<string, string>>;
}

export function portRoutes(ports: PortService, tenants: TenantNames): Route[] {
  return [
    defineRoute(
      {
        method: 'get',
        path: '/api/ports',
        tag: 'Ports',
        summary: 'List port allocations',
        description:
          'Pairs in use, ordered by port and including those outside the pool, then the next free pairs of the pool (at most 100) in ' +
          'allocation order: ports that the kernel may use for outgoing connections come last. ' +
          'Both counts are numbers of pairs: `available_count` covers the whole pool, `in_use_count` all tenants.',
        access: 'view',
        responses: { 200: { schema: portOverview } },
      },
      async () => {
        const { inUse, free, freeCount, pool } = await ports.overview();
        const names = await tenants.namesOf(inUse.map((allocation) => allocation.tenantId));
        return {
          allocations: [
            ...inUse.map((allocation) => ({
              frontend_port: allocation.frontend,
              backend_port: allocation.backend,
              tenant_id: allocation.tenantId,
              tenant_name: names.get(allocation.tenantId) ?? '',
              allocated_at: toTimestamp(allocation.allocatedAt),
              status: 'in_use' as const,
            })),
            ...free.map((pair) => ({
              frontend_port: pair.frontend,
              backend_port: pair.backend,
              tenant_id: null,
              status: 'available' as const,
            })),
          ],
          available_count: freeCount,
          in_use_count: inUse.length,
          pool_start: pool.start,
          pool_end: pool.end,
        };
      },
    ),
    defineRoute(
      {
        method: 'get',
        path: '/api/ports/next-available',
        tag: 'Ports',
        summary: 'Get the pair that a new tenant would get',
        description: 'The pair is not reserved. Pairs with a port that is in use on this machine are skipped.',
        access: 'view',
        responses: { 200: { schema: portPair } },
        errors: ['ports_exhausted'],
      },
      async () => {
        const pair = await ports.nextAvailable();
        return { frontend_port: pair.frontend, backend_port: pair.backend };
      },
    ),
  ];
}
