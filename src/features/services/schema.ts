import { z } from 'zod';
import { queryBoolean, timestamp } from '../../lib/http/routing/formats.ts';

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

const serviceDetails = z.object({
  state: serviceState,
  started_at: timestamp.nullable().meta({ description: 'null where it does not run' }),
  reason: z.string().nullable().meta({ description: 'Why it is inactive, where nobody stopped it' }),
  gave_up: z.boolean().meta({ description: 'The runtime has stopped starting it again' }),
  commit: z.string().nullable(),
  cpu_percent: z
    .number()
    .min(0)
    .nullable()
    .meta({ description: 'Of one processor, during half a second; null where it can’t be known' }),
  memory_bytes: z.number().min(0).nullable().meta({ description: 'null where it can’t be known' }),
  memory_limit_bytes: z.number().min(0).nullable().meta({ description: 'null: it may use all there is' }),
});

const appliedStates = ['not_deployed', 'pending_restart', 'current'] as const;

export const detailsAnswer = z
  .object({
    tenant_id: z.uuid(),
    applied: z.enum(appliedStates).meta({
      description:
        '`pending_restart`: what runs is not what configuration, theme, ports and limits say by now, or was changed from outside; the next start, restart or deployment puts that right',
    }),
    services: z.object({ frontend: serviceDetails, backend: serviceDetails }),
  })
  .meta({ id: 'ServiceDetails' });
export type DetailsAnswer = z.output<typeof detailsAnswer>;

export const logsQuery = z.object({
  service: z
    .enum(serviceNames)
    .optional()
    .meta({ description: 'Both when omitted: by time, each line with `[frontend]` or `[backend]` before the message' }),
  lines: z.coerce.number().int().min(1).max(10_000).default(100),
  timestamps: queryBoolean(true).meta({
    description:
      'Each line begins with its time (ISO 8601 UTC), where it is known: `2026-11-22T08:00:00.123Z [backend] message`',
  }),
  follow: queryBoolean(false).meta({ description: 'Server-sent events: the last 100 lines, then those that come' }),
  since: z.coerce.number().int().min(0).optional().meta({ description: 'With follow: the last message seen' }),
});

export const logsAnswer = z.object({
  tenant_id: z.uuid(),
  service: z.enum(serviceNames).nullable().meta({ description: 'null: both' }),
  logs: z.string(),
});
