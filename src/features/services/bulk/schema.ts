import { z } from 'zod';
import { bulkActions } from '../../../adapters/events/messages.ts';
import { type ErrorCode, statusOfCode } from '../../../lib/errors.ts';
import { timestamp, toTimestamp, toTimestampOrNull } from '../../../lib/http/routing/formats.ts';
import { listOf } from '../../../lib/http/routing/paging.ts';
import { operationStatuses } from '../../../lib/operations/operation.ts';
import { tagNames, tenantFilter, tenantIds } from '../../tenants/tenants.ts';
import { type BulkOperation, type BulkResult, type ResultCounts, resultStatuses } from './bulk-operation.ts';
import { givenConfig, wrongParameter } from './parameters.ts';

export const bulkBody = z
  .strictObject({
    action: z.enum(bulkActions),
    parameters: z
      .strictObject({
        target_version: z.string().trim().min(1).max(100).nullish().meta({
          description:
            'A version tag, for `deploy`, `upgrade` and `rollback`. Without it: the deployed version, the latest release, or the last deployed version that is older',
        }),
        target_ref: z.string().trim().min(1).max(255).nullish().meta({
          description: 'A branch or a commit, for `deploy`',
        }),
        add_tags: tagNames.optional().meta({ description: 'For `tag`' }),
        remove_tags: tagNames.optional().meta({ description: 'For `tag`' }),
        config: givenConfig.optional().meta({
          description:
            'For `configure`: fields as in `PUT /api/tenants/{id}/config`. Entries of `custom_env` are added to those of the tenant; null removes one. Secrets are rejected',
        }),
      })
      .prefault({}),
    tenant_ids: tenantIds.optional().meta({ description: 'The tenants, in processing order' }),
    filter: z.strictObject(tenantFilter).optional().meta({
      description:
        'Selects tenants like `GET /api/tenants`, ordered by slug; `{}`: all. Resolved once, when the operation is created.',
    }),
    options: z
      .strictObject({
        concurrency: z
          .int()
          .min(1)
          .max(20)
          .default(4)
          .meta({ description: 'Number of tenants processed at the same time' }),
      })
      .prefault({}),
  })
  .check(({ value, issues }) => {
    const wrong = wrongParameter(value.action, value.parameters);
    if (wrong) issues.push({ code: 'custom', path: ['parameters', wrong.path], message: wrong.message, input: value });
    if (value.filter?.search?.trim() === '')
      issues.push({ code: 'custom', path: ['filter', 'search'], message: 'Must not be blank', input: value });
    if ((value.tenant_ids === undefined) === (value.filter === undefined))
      issues.push({
        code: 'custom',
        path: ['tenant_ids'],
        message: 'Give either tenant_ids or filter ({"filter": {}}: all tenants)',
        input: value,
      });
  })
  .meta({ id: 'NewBulkOperation' });

const counts = z.object({
  pending: z.int(),
  running: z.int(),
  success: z.int(),
  failed: z.int(),
  skipped: z.int(),
} satisfies Record<keyof ResultCounts, z.ZodInt>);

const summary = z
  .object({
    id: z.uuid(),
    action: z.enum(bulkActions),
    status: z.enum(operationStatuses).meta({ description: '`failed`: at least one tenant failed' }),
    error: z.string().nullable().meta({ description: 'The number of failures, or why the operation ended early' }),
    total: z.int(),
    counts,
    options: z.object({ concurrency: z.int() }),
    created_by: z.string(),
    cancel_requested_at: timestamp.nullable(),
    created_at: timestamp,
    started_at: timestamp.nullable(),
    finished_at: timestamp.nullable(),
  })
  .meta({ id: 'BulkOperationSummary' });

export const bulkList = listOf('bulk_operations', summary).meta({ id: 'BulkOperationList' });

const result = z
  .object({
    tenant_id: z.uuid(),
    slug: z.string(),
    name: z.string(),
    status: z.enum(resultStatuses),
    error: z
      .object({ code: z.enum(Object.keys(statusOfCode) as [ErrorCode, ...ErrorCode[]]), detail: z.string() })
      .nullable()
      .meta({ description: 'Why it failed or was skipped; null for a tenant skipped because of a cancel' }),
    started_at: timestamp.nullable(),
    finished_at: timestamp.nullable(),
  })
  .meta({ id: 'BulkResult' });

export const bulkAnswer = summary.extend({ results: z.array(result) }).meta({ id: 'BulkOperation' });

const bulkProgress = z.object({ bulk_id: z.string(), status: z.enum(operationStatuses), counts });
/** The messages of a bulk operation's stream. */
export const bulkStream = {
  progress: bulkProgress.extend({ type: z.literal('progress'), result: result.nullable() }),
  complete: bulkProgress.extend({ type: z.literal('complete'), error: z.string().nullable() }),
};

export function shownSummary(operation: BulkOperation, counted: ResultCounts): z.input<typeof summary> {
  return {
    id: operation.id,
    action: operation.action,
    status: operation.status,
    error: operation.error,
    total: Object.values(counted).reduce((sum, count) => sum + count, 0),
    counts: counted,
    options: { concurrency: operation.concurrency },
    created_by: operation.createdBy.username,
    cancel_requested_at: toTimestampOrNull(operation.cancelRequestedAt),
    created_at: toTimestamp(operation.createdAt),
    started_at: toTimestampOrNull(operation.startedAt),
    finished_at: toTimestampOrNull(operation.finishedAt),
  };
}

export const shownResult = (row: BulkResult): z.input<typeof result> => ({
  tenant_id: row.tenantId,
  slug: row.slug,
  name: row.name,
  status: row.status,
  error: row.error,
  started_at: toTimestampOrNull(row.startedAt),
  finished_at: toTimestampOrNull(row.finishedAt),
});
