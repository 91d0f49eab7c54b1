import { stat } from 'node:fs/promises';
import { disconnectSignal } from '../../../lib/http/requests/client-disconnected.ts';
import { sendFile } from '../../../lib/http/responses/send-file.ts';
import { defineRoute, type Route } from '../../../lib/http/routing/route.ts';
import { duplicateCount } from '../job.ts';
import { findingsAnswer, validateAnswer } from '../schema.ts';
import type { ListService } from '../service.ts';
import type { ValidateJob } from './validation.ts';

const tag = 'List loader';

/** Findings on a list's rows. */
export function checkRoutes(lists: ListService, validate: ValidateJob): Route[] {
  return [
    defineRoute(
      {
        method: 'post',
        path: '/api/tenants/{id}/list-loader/{job_id}/validate',
        tag,
        summary: 'Check every row of a list',
        description:
          'Row 1 is the first data row. Rows with errors are not imported, rows with warnings are. Of several rows for one person (`duplicate_in_file`), an import that skips duplicates adds the first. If the tenant’s application supports it, the manager asks how many of the first 50,000 persons it already has.',
        access: 'operate',
        responses: { 200: { schema: validateAnswer } },
        errors: ['job_not_ready', 'mapping_incomplete', 'invalid_state', 'unsupported_file', 'insufficient_storage'],
      },
      async ({ params, principal, response }) => {
        const job = await lists.get(params.id, params.job_id);
        const found = await validate(job, principal, disconnectSignal(response));
        const { status } = await lists.get(params.id, params.job_id);
        const { cells: _, ...shown } = found;
        return { status, ...shown, duplicate_count: duplicateCount(found) };
      },
    ),
    defineRoute(
      {
        method: 'get',
        path: '/api/tenants/{id}/list-loader/{job_id}/findings',
        tag,
        summary: 'The findings of the last validation',
        description: 'The first 1,000 errors and warnings, and the cells of their rows; removed with the file.',
        access: 'operate',
        responses: { 200: { schema: findingsAnswer } },
        errors: ['job_not_ready', 'invalid_state'],
      },
      async ({ params }) => {
        const { job, validation, errors, warnings, cells } = await lists.findings(params.id, params.job_id);
        return {
          status: job.status,
          ...validation,
          duplicate_count: duplicateCount(validation),
          errors,
          warnings,
          cells,
        };
      },
    ),
    defineRoute(
      {
        method: 'get',
        path: '/api/tenants/{id}/list-loader/{job_id}/errors.csv',
        tag,
        summary: 'The rejected rows, with reasons',
        description:
          'Of the last validation; after an import also those that the tenant refused. Cells that a spreadsheet would take for formulas begin with an apostrophe.',
        access: 'operate',
        ticket: true,
        responses: { 200: { mediaType: 'text/csv', description: 'The file' } },
        errors: ['job_not_ready', 'invalid_state'],
      },
      async ({ params, response }) => {
        const { job, path } = await lists.errorsFile(params.id, params.job_id);
        const { mtimeMs, size } = await stat(path);
        await sendFile(response, path, {
          mediaType: 'text/csv; charset=utf-8',
          name: `${nameOf(job.filename)}, rows left out.csv`,
          etag: `${Math.round(mtimeMs).toString(36)}-${size.toString(36)}`,
        });
        return undefined;
      },
    ),
  ];
}

/** A file's name without its ending, and without characters that show it as another one. */
const nameOf = (filename: string): string => filename.replaceAll(/\p{C}/gu, '').replace(/\.\w{1,5}$/, '');
