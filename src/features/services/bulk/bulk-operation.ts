import { z } from 'zod';
import type { Actor, WriteAuditLog } from '../../../adapters/events/audit-log-entry.ts';
import { bulkActions } from '../../../adapters/events/messages.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { ErrorCode } from '../../../lib/errors.ts';
import type { Logger } from '../../../lib/logger.ts';
import type { OperationEngine } from '../../../lib/operations/engine.ts';
import type { OperationRecord } from '../../../lib/operations/operation.ts';
import type { Tenants } from '../../tenants/tenants.ts';
import { type BulkAction, type BulkParameters, bulkParameters, type GivenParameters } from './parameters.ts';

export const resultStatuses = ['pending', 'running', 'success', 'failed', 'skipped'] as const;
export type ResultStatus = (typeof resultStatuses)[number];

/** The result for one tenant; slug and name identify it after its deletion. */
export interface BulkResult {
  tenantId: string;
  slug: string;
  name: string;
  status: ResultStatus;
  /** Why it failed or was skipped; null for a tenant that was skipped because the operation was cancelled. */
  error: { code: ErrorCode; detail: string } | null;
  startedAt: Date | null;
  finishedAt: Date | null;
}

export type ResultCounts = Record<ResultStatus, number>;

export const countResults = (results: readonly { status: ResultStatus }[]): ResultCounts => {
  const counts = { pending: 0, running: 0, success: 0, failed: 0, skipped: 0 };
  for (const { status } of results) counts[status] += 1;
  return counts;
};

export const bulkInput = z.object({
  action: z.enum(bulkActions),
  /** The number of tenants processed at the same time. */
  concurrency: z.int(),
  actor: z.object({ userId: z.string().nullable(), username: z.string() }),
  parameters: bulkParameters.default({}),
});
export type BulkInput = z.output<typeof bulkInput>;

const count = z.int();
export const bulkState = z.object({
  /** A copy for the engine's messages; the results are authoritative. */
  counts: z.object({ pending: count, running: count, success: count, failed: count, skipped: count }),
});
export type BulkState = z.output<typeof bulkState>;

/** One action on many tenants. */
export interface BulkOperation {
  id: string;
  action: BulkAction;
  parameters: BulkParameters;
  status: OperationRecord['status'];
  concurrency: number;
  /** Why it ended before all tenants were processed. */
  error: string | null;
  createdBy: Actor;
  cancelRequestedAt: Date | null;
  createdAt: Date;
  startedAt: Date | null;
  finishedAt: Date | null;
}

export function bulkOperationOf(record: OperationRecord): BulkOperation {
  const { action, parameters, concurrency, actor } = bulkInput.parse(record.input);
  const { id, status, error, cancelRequestedAt, createdAt, startedAt, finishedAt } = record;
  return {
    id,
    action,
    parameters,
    status,
    concurrency,
    error: error?.message ?? null,
    createdBy: actor,
    cancelRequestedAt,
    createdAt,
    startedAt,
    finishedAt,
  };
}

/** The work on one tenant. */
interface BulkWork {
  /** It and the tenant's id identify the work: repeated after a crash, it is not started twice. */
  bulkId: string;
  tenantId: string;
  parameters: BulkParameters;
  actor: Actor;
}

/** The actions on one tenant, each by the feature that does it. */
export interface BulkActions {
  /** The parameters as the journal keeps them. @throws AppError validation_error for values that no tenant can have */
  prepare(parameters: GivenParameters): BulkParameters;
  run: Record<BulkAction, (work: BulkWork) => Promise<unknown>>;
}

/** What bulk operations use of the other features. */
export interface BulkDeps {
  /** The engine of bulk operations alone. It locks each tenant in turn. */
  engine: OperationEngine;
  actions: BulkActions;
  tenants: Pick<Tenants, 'find' | 'list'>;
  writeAuditLog: WriteAuditLog;
  clock: Clock;
  logger: Logger;
  /** How long to wait for a tenant that another operation works on, in ms. */
  busyTimeoutMs: number;
}
