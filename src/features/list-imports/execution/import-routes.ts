import { defineRoute, type Route } from '../../../lib/http/routing/route.ts';
import { noProgress } from '../job.ts';
import { cancelAnswer, executeAnswer, executeBody, shownStatus, statusAnswer, undoAnswer } from '../schema.ts';
import type { ListService } from '../service.ts';
import type { Execution } from './execution.ts';

const tag = 'List loader';

/** A list's import. */
export function importRoutes(lists: ListService, execution: Execution): Route[] {
  return [
    defineRoute(
      {
        method: 'post',
        path: '/api/tenants/{id}/list-loader/{job_id}/execute',
        tag,
        summary: 'Import a list into the tenant',
        description:
          'Runs in the background, part by part. A failed import can be run again. It reuses the same batch; persons already imported are left unchanged.',
        access: 'operate',
        body: executeBody,
        responses: { 202: { schema: executeAnswer } },
        errors: [
          'job_not_ready',
          'mapping_incomplete',
          'invalid_state',
          'not_deployed',
          'operation_in_progress',
          'tenant_unreachable',
        ],
      },
      async ({ params, body, principal }) => {
        const options = {
          skipDuplicates: body.skip_duplicates,
          updateExisting: body.update_existing,
          ...(body.duplicates_in_file ? { duplicatesInFile: body.duplicates_in_file } : {}),
          tags: body.tags,
          listName: body.list_name,
        };
        const { status, progress, rowCount } = await execution.execute(params.id, params.job_id, options, principal);
        return { status, progress: progress ?? noProgress(rowCount) };
      },
    ),
    defineRoute(
      {
        method: 'get',
        path: '/api/tenants/{id}/list-loader/{job_id}/status',
        tag,
        summary: 'How far an import has got, and how it ended',
        access: 'view',
        responses: { 200: { schema: statusAnswer } },
      },
      async ({ params }) => shownStatus(await lists.get(params.id, params.job_id)),
    ),
    defineRoute(
      {
        method: 'post',
        path: '/api/tenants/{id}/list-loader/{job_id}/cancel',
        tag,
        summary: 'End an import or an analysis',
        description: 'Persons imported so far stay in the tenant; remove them with `undo`. The list becomes `failed`.',
        access: 'operate',
        responses: { 202: { schema: cancelAnswer } },
        errors: ['invalid_state'],
      },
      async ({ params, principal }) => {
        const { id, status } = await execution.cancel(params.id, params.job_id, principal);
        return { job_id: id, status, message: 'Cancelling' };
      },
    ),
    defineRoute(
      {
        method: 'post',
        path: '/api/tenants/{id}/list-loader/{job_id}/undo',
        tag,
        summary: 'Undo the import of a list',
        description:
          'Removes the persons that it added, if the tenant’s application supports that; changes to existing persons stay. The list becomes `ready`.',
        access: 'operate',
        responses: { 200: { schema: undoAnswer } },
        errors: ['invalid_state', 'not_deployed', 'operation_in_progress', 'tenant_unreachable', 'tenant_error'],
      },
      async ({ params, principal }) => {
        const { job, removed, kept } = await execution.undo(params.id, params.job_id, principal);
        return { status: job.status, message: `${removed} persons taken out of the tenant`, removed, kept };
      },
    ),
  ];
}
