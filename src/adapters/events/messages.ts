import { z } from 'zod';
import { operationStatuses } from '../../lib/operations/operation.ts';

/** What can be done to many tenants at once. */
export const bulkActions = [
  'start',
  'stop',
  'restart',
  'deploy',
  'upgrade',
  'rollback',
  'backup',
  'check',
  'tag',
  'configure',
] as const;

/** The events of `/ws/events`, which features also listen to, by `type`. */
export const domainEvents = {
  tenant_status: z.object({
    type: z.literal('tenant_status'),
    tenant_id: z.string(),
    status: z.enum(['pending', 'running', 'stopped', 'error', 'deleted']),
  }),
  tenant_health: z.object({
    type: z.literal('tenant_health'),
    tenant_id: z.string(),
    overall_status: z.enum(['unknown', 'healthy', 'degraded', 'unhealthy']),
  }),
  /** The first run, a change of the result, or a run that a user requested. */
  synthetic_checks: z.object({
    type: z.literal('synthetic_checks'),
    tenant_id: z.string(),
    status: z.enum(['passed', 'failed']),
  }),
  deployment: z.object({
    type: z.literal('deployment'),
    tenant_id: z.string(),
    deployment_id: z.string(),
    kind: z.string(),
    status: z.enum(operationStatuses),
    current_step: z.string().nullable(),
  }),
  import: z.object({
    type: z.literal('import'),
    tenant_id: z.string(),
    job_id: z.string(),
    status: z.enum(['pending', 'analyzing', 'ready', 'importing', 'completed', 'failed']),
  }),
  /** In a fleet upgrade: of one tenant, or, where `tenant_id` is null, of the fleet upgrade itself. */
  upgrade: z.object({
    type: z.literal('upgrade'),
    tenant_id: z.string().nullable(),
    fleet_id: z.string(),
    fleet_status: z.enum(['pending', 'running', 'paused', 'halted', 'cancelled', 'completed']),
    status: z.enum(['waiting', 'upgrading', 'succeeded', 'failed', 'skipped']).nullable(),
    reason: z.string().nullable(),
  }),
  /** An incident was opened, changed, acknowledged or resolved. */
  incident: z.object({
    type: z.literal('incident'),
    tenant_id: z.null(),
    incident_id: z.string(),
    status: z.enum(['open', 'acknowledged', 'resolved']),
  }),
  /** Of a bulk operation. Each tenant's result comes on the operation's own stream. */
  bulk: z.object({
    type: z.literal('bulk'),
    tenant_id: z.null(),
    bulk_id: z.string(),
    action: z.enum(bulkActions),
    status: z.enum(operationStatuses),
    counts: z.object({ pending: z.int(), running: z.int(), success: z.int(), failed: z.int(), skipped: z.int() }),
  }),
  /** Some users' inboxes changed. Each reads its own. */
  inbox: z.object({ type: z.literal('inbox'), tenant_id: z.null() }),
};

export type DomainEvent = {
  [Type in keyof typeof domainEvents]: z.output<(typeof domainEvents)[Type]>;
}[keyof typeof domainEvents];
