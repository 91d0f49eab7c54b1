import { z } from 'zod';
import { queryBoolean } from '../../platform/http/formats.ts';

export const serviceNames = ['frontend', 'backend'] as const;
export type ServiceName = (typeof serviceNames)[number];

const serviceState = z.enum(['active', 'inactive']);

/** What start, stop and restart answer: the states as they were found afterwards. */
export const actionAnswer = z
  .object({ message: z.string(), services: z.object({ frontend: serviceState, backend: serviceState }) })
  .meta({ id: 'ServiceAction' });
export type ActionAnswer = z.output<typeof actionAnswer>;

export const statusAnswer = z.object({ api: serviceState, frontend: serviceState }).meta({ id: 'ServiceStatus' });
export type StatusAnswer = z.output<typeof statusAnswer>;

export const logsQuery = z.object({
  service: z
    .enum(serviceNames)
    .optional()
    .meta({ description: 'Both when omitted, each line with its service before it' }),
  lines: z.coerce.number().int().min(1).max(10_000).default(100),
  follow: queryBoolean(false).meta({ description: 'Server-sent events: the last 100 lines, then those that come' }),
  since: z.coerce.number().int().min(0).optional().meta({ description: 'With follow: the last message seen' }),
});

export const logsAnswer = z.object({
  tenant_id: z.uuid(),
  service: z.enum(serviceNames).nullable().meta({ description: 'null: both' }),
  logs: z.string(),
});
