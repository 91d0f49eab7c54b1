import { z } from 'zod';
import { queryBoolean, timestamp } from '../../lib/http/routing/formats.ts';

export const serviceNames = ['frontend', 'backend'] as const;
export type ServiceName = (typeof serviceNames)[number];

const serviceState = z.enum(['active', 'inactive']);

/** The response of start, stop and restart: the resulting states. */
export const actionAnswer = z
  .object({ message: z.string(), services: z.object({ frontend: serviceState, backend: serviceState }) })
  .meta({ id: 'ServiceAction' });
export type ActionAnswer = z.output<typeof actionAnswer>;

export const statusAnswer = z.object({ api: serviceState, frontend: serviceState }).meta({ id: 'ServiceStatus' });
export type StatusAnswer = z.output<typeof statusAnswer>;

const serviceDetails = z.object({
  state: serviceState,
  started_at: timestamp.nullable().meta({ description: 'null: not running' }),
  reason: z.string().nullable().meta({ description: 'Why it is inactive, unless a user stopped it' }),
  gave_up: z.boolean().meta({ description: 'The runtime no longer restarts it' }),
  commit: z.string().nullable(),
  cpu_percent: z
    .number()
    .min(0)
    .nullable()
    .meta({ description: 'Percent of one CPU core, measured over half a second; null: unknown' }),
  memory_bytes: z.number().min(0).nullable().meta({ description: 'null: unknown' }),
  memory_limit_bytes: z.number().min(0).nullable().meta({ description: 'null: no limit' }),
});

const appliedStates = ['not_deployed', 'pending_restart', 'current'] as const;

export const detailsAnswer = z
  .object({
    tenant_id: z.uuid(),
    applied: z.enum(appliedStates).meta({
      description:
        '`pending_restart`: the running services differ from the current configuration, theme, ports or limits, or were changed from outside; the next start, restart or deployment applies them',
    }),
    services: z.object({ frontend: serviceDetails, backend: serviceDetails }),
  })
  .meta({ id: 'ServiceDetails' });
export type DetailsAnswer = z.output<typeof detailsAnswer>;

export const logsQuery = z.object({
  service: z.enum(serviceNames).optional().meta({
    description:
      'If omitted, both services merged by time, with `[frontend]` or `[backend]` before each message. With `RUNTIME=swarm` the host name of the node follows: `[backend] [node-2] message`',
  }),
  lines: z.coerce.number().int().min(1).max(10_000).default(100),
  timestamps: queryBoolean(true).meta({
    description: 'Start each line with its time (ISO 8601 UTC), if known: `2026-11-22T08:00:00.123Z [backend] message`',
  }),
  follow: queryBoolean(false).meta({ description: 'Send server-sent events: the last 100 lines, then new lines' }),
  since: z.coerce
    .number()
    .int()
    .min(0)
    .optional()
    .meta({ description: 'With `follow`: the sequence number of the last message received' }),
});

export const logsAnswer = z.object({
  tenant_id: z.uuid(),
  service: z.enum(serviceNames).nullable().meta({ description: 'null: both' }),
  logs: z.string(),
});

/** The messages of the stream of a tenant's logs. */
export const tenantLogStream = {
  log: z.object({
    type: z.literal('log'),
    service: z.enum(serviceNames),
    message: z.string(),
    stream: z.enum(['stdout', 'stderr']),
    timestamp: timestamp.nullable(),
    node: z.string().optional().meta({ description: 'With `RUNTIME=swarm`: the host name of the node that wrote it' }),
  }),
};
