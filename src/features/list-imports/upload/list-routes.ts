import { z } from 'zod';
import { disconnectSignal } from '../../../lib/http/requests/client-disconnected.ts';
import { listOf } from '../../../lib/http/routing/paging.ts';
import { defineRoute, type Route } from '../../../lib/http/routing/route.ts';
import {
  historyQuery,
  jobBody,
  previewAnswer,
  previewQuery,
  readingBody,
  shownJob,
  shownPreview,
  uploadAnswer,
  uploadForm,
  uploadQuery,
} from '../schema.ts';
import type { ListService } from '../service.ts';
import type { Reparse } from './reparse.ts';
import type { TakeUpload } from './upload.ts';

const tag = 'List loader';
/** After a list was read again with other options. */
const shownRows = 10;

/** Uploading lists and changing how they are read. */
export function listRoutes({
  lists,
  takeUpload,
  reparse,
}: {
  lists: ListService;
  takeUpload: TakeUpload;
  reparse: Reparse;
}): Route[] {
  return [
    defineRoute(
      {
        method: 'post',
        path: '/api/tenants/{id}/list-loader/upload',
        tag,
        summary: 'Upload a list',
        description:
          'CSV (comma, semicolon, tab, pipe), .xlsx, .xls or .ods in the form field `file`; the format is detected from the content. `sheet`, in the form or the query, selects a sheet of a workbook (default: the first that is not empty). The setting `import_max_upload_mb` limits the size.',
        access: 'operate',
        query: uploadQuery,
        body: uploadForm,
        bodyType: 'multipart',
        responses: { 201: { schema: uploadAnswer } },
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
        access: 'view',
        query: historyQuery,
        responses: { 200: { schema: listOf('jobs', jobBody) } },
      },
      async ({ params, query, principal }) => {
        const { items, total } = await lists.list(params.id, query);
        return { jobs: items.map((job) => shownJob(job, principal.role)), total, ...query };
      },
    ),
    defineRoute(
      {
        method: 'get',
        path: '/api/tenants/{id}/list-loader/{job_id}',
        tag,
        summary: 'One list',
        access: 'view',
        responses: { 200: { schema: jobBody } },
      },
      async ({ params, principal }) => shownJob(await lists.get(params.id, params.job_id), principal.role),
    ),
    defineRoute(
      {
        method: 'delete',
        path: '/api/tenants/{id}/list-loader/{job_id}',
        tag,
        summary: 'Delete a list and its file',
        description: 'Imported persons stay in the tenant.',
        access: 'operate',
        responses: { 200: { schema: z.object({ message: z.string() }) } },
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
        access: 'operate',
        query: previewQuery,
        responses: { 200: { schema: previewAnswer } },
        errors: ['invalid_state'],
      },
      async ({ params, query }) => {
        const { job, sample } = await lists.preview(params.id, params.job_id);
        return shownPreview(job, sample, query.rows);
      },
    ),
    defineRoute(
      {
        method: 'put',
        path: '/api/tenants/{id}/list-loader/{job_id}/layout',
        tag,
        summary: 'Change how a list is read',
        description:
          'Selects another sheet, or another header row (as a spreadsheet counts; null: no headers; omitted: detected). The list becomes `pending` and loses its mappings; corrections apply to the reading that they were made with.',
        access: 'operate',
        body: readingBody,
        responses: { 200: { schema: previewAnswer } },
        errors: ['invalid_state', 'unsupported_file', 'insufficient_storage'],
      },
      async ({ params, body, principal, response }) => {
        const reading = { sheet: body.sheet, headerRow: body.header_row };
        await reparse(params.id, params.job_id, reading, principal, disconnectSignal(response));
        const { job, sample } = await lists.preview(params.id, params.job_id);
        return shownPreview(job, sample, shownRows);
      },
    ),
  ];
}
