import { z } from 'zod';
import { timestamp } from '../../lib/http/routing/formats.ts';

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

export const portOverview = z
  .object({
    allocations: z.array(portAllocation),
    available_count: z.int(),
    in_use_count: z.int(),
    pool_start: z.int(),
    pool_end: z.int().meta({ description: 'The last port of the pool' }),
  })
  .meta({ id: 'PortOverview' });

export const portPair = z.object({ frontend_port: z.int(), backend_port: z.int() }).meta({ id: 'PortPair' });
