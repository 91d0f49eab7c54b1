import { stat } from 'node:fs/promises';
import { z } from 'zod';
import { AppError } from '../../kernel/errors.ts';
import { listOf } from '../../platform/http/paging.ts';
import { defineRoute, type Route } from '../../platform/http/route.ts';
import { sendFile } from '../../platform/http/send-file.ts';
import { unmappedOf } from './check-mappings.ts';
import type { ImportJob } from './job.ts';
import {
  analyzeAnswer,
  historyQuery,
  jobBody,
  mappingsAnswer,
  mappingsBody,
  previewAnswer,
  previewQuery,
  shownJob,
  templateChoice,
  uploadAnswer,
  uploadForm,
  uploadQuery,
  validateAnswer,
} from './schema.ts';
import type { ListService } from './service.ts';
import type { TakeUpload } from './upload.ts';
import type { ValidateJob } from './validation.ts';

const tag = 'List loader';

interface Parts {
  lists: ListService;
  takeUpload: TakeUpload;
  validate: ValidateJob;
}

/** A list's way up to its import. */
export function listRoutes({ lists, takeUpload, validate }: Parts): Route[] {
  return [
    defineRoute(
      {
        method: 'post',
        path: '/api/tenants/{id}/list-loader/upload',
        tag,
        summary: 'Upload a list',
        description:
          'CSV (comma, semicolon, tab, pipe), .xlsx, .xls or .ods in the form’s field `file`; what it is shows by its content. `sheet`, in the form or the query, picks one of a workbook’s sheets: the first that is not empty unless said. The setting `import_max_upload_mb` bounds its size.',
        access: 'operator',
        status: 201,
        query: uploadQuery,
        body: uploadForm,
        bodyType: 'multipart',
        response: { schema: uploadAnswer },
        errors: ['unsupported_file', 'insufficient_storage'],
      },
      async ({ params, query, request, response, principal }) => {
        const { job, warnings } = await takeUpload(params.id, { request, response, sheet: query.sheet }, principal);
        const { sheet, sheets } = job.layout;
        const { id, filename, status, rowCount } = job;
        return { job_id: id, filename, status, row_count: rowCount, sheet, sheets, warnings };
      },
    ),
    defineRoute(
      {
        method: 'get',
        path: '/api/tenants/{id}/list-loader/history',
        tag,
        summary: 'Lists of a tenant, newest first',
        access: 'viewer',
        query: historyQuery,
        response: { schema: listOf('jobs', jobBody) },
      },
      async ({ params, query }) => {
        const { items, total } = await lists.list(params.id, query);
        return { jobs: items.map(shownJob), total, ...query };
      },
    ),
    defineRoute(
      {
        method: 'get',
        path: '/api/tenants/{id}/list-loader/{job_id}',
        tag,
        summary: 'One list',
        access: 'viewer',
        response: { schema: jobBody },
      },
      async ({ params }) => shownJob(await lists.get(params.id, params.job_id)),
    ),
    defineRoute(
      {
        method: 'delete',
        path: '/api/tenants/{id}/list-loader/{job_id}',
        tag,
        summary: 'Delete a list and its file',
        description: 'What was imported stays in the tenant.',
        access: 'operator',
        response: { schema: z.object({ message: z.string() }) },
        errors: ['invalid_state'],
      },
      async ({ params, principal }) => {
        await lists.remove(params.id, params.job_id, principal);
        return { message: 'List deleted' };
      },
    ),
    defineRoute(
      {
        method: 'get',
        path: '/api/tenants/{id}/list-loader/{job_id}/preview',
        tag,
        summary: 'A list’s headers and first rows',
        access: 'viewer',
        query: previewQuery,
        response: { schema: previewAnswer },
        errors: ['invalid_state'],
      },
      async ({ params, query }) => {
        const { job, rows } = await lists.preview(params.id, params.job_id, query.rows);
        const { headers, headerRow, sheet, sheets } = job.layout;
        const keyed = rows.map((cells) => Object.fromEntries(headers.map((header, at) => [header, cells[at] ?? ''])));
        return { headers, sample_rows: keyed, total_rows: job.rowCount, header_row: headerRow, sheet, sheets };
      },
    ),
    defineRoute(
      {
        method: 'post',
        path: '/api/tenants/{id}/list-loader/{job_id}/analyze',
        tag,
        summary: 'Look for mappings of a list’s columns',
        description:
          'In the background; the status is `ready` when they are there. A list of a layout that there is a template for gets the template’s. Mappings that are set meanwhile stay.',
        access: 'operator',
        status: 202,
        response: { schema: analyzeAnswer },
        errors: ['invalid_state', 'operation_in_progress'],
      },
      async ({ params, principal }) => {
        const { status } = await lists.analyze(params.id, params.job_id, principal);
        return { status, message: 'Looking for mappings' };
      },
    ),
    defineRoute(
      {
        method: 'get',
        path: '/api/tenants/{id}/list-loader/{job_id}/mappings',
        tag,
        summary: 'The mappings of a list’s columns',
        access: 'viewer',
        response: { schema: mappingsAnswer },
      },
      async ({ params }) => shownMappings(await lists.get(params.id, params.job_id)),
    ),
    defineRoute(
      {
        method: 'put',
        path: '/api/tenants/{id}/list-loader/{job_id}/mappings',
        tag,
        summary: 'Set the mappings of a list’s columns',
        description:
          'All of them: a column that is not named is skipped. first_name and last_name must be filled. Two columns may fill one field only where both have the transform `join`.',
        access: 'operator',
        body: mappingsBody,
        response: { schema: mappingsAnswer },
        errors: ['mapping_incomplete', 'invalid_state'],
      },
      async ({ params, body, principal }) =>
        shownMappings(await lists.setMappings(params.id, params.job_id, body.mappings, principal)),
    ),
    defineRoute(
      {
        method: 'post',
        path: '/api/tenants/{id}/list-loader/{job_id}/apply-template',
        tag,
        summary: 'Set the mappings of a list’s columns by a template',
        description: 'Columns are found by headers that are alike; others keep what they had.',
        access: 'operator',
        body: templateChoice,
        response: { schema: mappingsAnswer },
        errors: ['invalid_state'],
      },
      async ({ params, body, principal }) =>
        shownMappings(await lists.applyTemplate(params.id, params.job_id, body.template_id, principal)),
    ),
    defineRoute(
      {
        method: 'post',
        path: '/api/tenants/{id}/list-loader/{job_id}/validate',
        tag,
        summary: 'Check every row of a list',
        description:
          'Row 1 is the first data row. Rows with errors are not imported, rows with warnings are. Where the tenant’s application can tell, it is asked how many of the first 50,000 persons it knows already.',
        access: 'operator',
        response: { schema: validateAnswer },
        errors: ['job_not_ready', 'mapping_incomplete', 'invalid_state', 'unsupported_file', 'insufficient_storage'],
      },
      async ({ params, principal, response }) => {
        const job = await lists.get(params.id, params.job_id);
        const gone = new AbortController();
        response.once('close', () =>
          gone.abort(new AppError('invalid_state', 'Nobody waits for the validation any more')),
        );
        const found = await validate(job, principal, gone.signal);
        const { status } = await lists.get(params.id, params.job_id);
        return { status, ...found };
      },
    ),
    defineRoute(
      {
        method: 'get',
        path: '/api/tenants/{id}/list-loader/{job_id}/errors.csv',
        tag,
        summary: 'The rows that were rejected, with the reasons',
        description:
          'Of the last validation; after an import also those that the tenant refused. Cells that a spreadsheet would take for formulas begin with an apostrophe.',
        access: 'viewer',
        queryToken: true,
        response: { mediaType: 'text/csv', description: 'The file' },
        errors: ['job_not_ready', 'invalid_state'],
      },
      async ({ params, response }) => {
        const { job, path } = await lists.errorsFile(params.id, params.job_id);
        const { mtimeMs, size } = await stat(path);
        await sendFile(response, path, {
          mediaType: 'text/csv; charset=utf-8',
          name: `errors-${job.id}.csv`,
          etag: `${Math.round(mtimeMs).toString(36)}-${size.toString(36)}`,
        });
        return undefined;
      },
    ),
  ];
}

const shownMappings = ({ status, mappings, mappingWarnings, templateId }: ImportJob) => ({
  status,
  mappings: mappings ?? [],
  unmapped: unmappedOf(mappings ?? []),
  warnings: mappingWarnings ?? [],
  template_id: templateId,
});
