import { queryOptions } from '@tanstack/react-query';
import { api, dataOf } from '../../api/client.ts';
import { queryClient } from '../../api/queries.ts';
import type { components, paths } from '../../api/schema.ts';

export type ListJob = components['schemas']['ImportJob'];
export type Mapping = ListJob['mappings'][number];
export type Catalogue = components['schemas']['MappingCatalogue'];
export type ImportResult = NonNullable<ListJob['import_result']>;
type Answer<Path extends keyof paths> = paths[Path] extends {
  get: { responses: { 200: { content: { 'application/json': infer Body } } } };
}
  ? Body
  : never;
export type Preview = Answer<'/api/tenants/{id}/list-loader/{job_id}/preview'>;
export type Findings = Answer<'/api/tenants/{id}/list-loader/{job_id}/findings'>;
export type Finding = Findings['errors'][number];
export type Correction = components['schemas']['ListCorrection'];
export type KeptCorrection = Answer<'/api/tenants/{id}/list-loader/{job_id}/corrections'>['corrections'][number];
export type ImportStatus = Answer<'/api/tenants/{id}/list-loader/{job_id}/status'>;

/** A list's query keys. */
export interface ListKey {
  tenantId: string;
  jobId: string;
}

export const pathOf = ({ tenantId, jobId }: ListKey) => ({ path: { id: tenantId, job_id: jobId } });

export const historyPageSize = 25;

export const historyQuery = (tenantId: string, offset: number) =>
  queryOptions({
    queryKey: ['lists', tenantId, 'history', offset],
    queryFn: () =>
      dataOf(
        api.GET('/api/tenants/{id}/list-loader/history', {
          params: { path: { id: tenantId }, query: { limit: historyPageSize, offset } },
        }),
      ),
  });

const keyOf = ({ tenantId, jobId }: ListKey, what: string) => ['lists', tenantId, jobId, what];

export const listQuery = (key: ListKey) =>
  queryOptions({
    queryKey: keyOf(key, 'job'),
    queryFn: () => dataOf(api.GET('/api/tenants/{id}/list-loader/{job_id}', { params: pathOf(key) })),
  });

/** Rows that are read to show them and to take sample values from. */
const previewRows = 30;

export const previewQuery = (key: ListKey) =>
  queryOptions({
    queryKey: keyOf(key, 'preview'),
    queryFn: () =>
      dataOf(
        api.GET('/api/tenants/{id}/list-loader/{job_id}/preview', {
          params: { ...pathOf(key), query: { rows: previewRows } },
        }),
      ),
  });

export const mappingsQuery = (key: ListKey) =>
  queryOptions({
    queryKey: keyOf(key, 'mappings'),
    queryFn: () => dataOf(api.GET('/api/tenants/{id}/list-loader/{job_id}/mappings', { params: pathOf(key) })),
  });

export const findingsQuery = (key: ListKey) =>
  queryOptions({
    queryKey: keyOf(key, 'findings'),
    queryFn: () => dataOf(api.GET('/api/tenants/{id}/list-loader/{job_id}/findings', { params: pathOf(key) })),
  });

export const correctionsQuery = (key: ListKey) =>
  queryOptions({
    queryKey: keyOf(key, 'corrections'),
    queryFn: async () =>
      (await dataOf(api.GET('/api/tenants/{id}/list-loader/{job_id}/corrections', { params: pathOf(key) })))
        .corrections,
  });

export const statusQuery = (key: ListKey) =>
  queryOptions({
    queryKey: keyOf(key, 'status'),
    queryFn: () => dataOf(api.GET('/api/tenants/{id}/list-loader/{job_id}/status', { params: pathOf(key) })),
  });

export const templatesQuery = queryOptions({
  queryKey: ['import-templates'],
  queryFn: () => dataOf(api.GET('/api/import-templates', { params: { query: { limit: 500 } } })),
});

/** Marks the cached lists of a tenant as stale. */
export const refreshLists = (tenantId: string): Promise<void> =>
  queryClient.invalidateQueries({ queryKey: ['lists', tenantId] });

/** Starts the analysis of the columns; the list's stream reports its start and end. @throws ApiError */
export const analyze = (key: ListKey) =>
  dataOf(api.POST('/api/tenants/{id}/list-loader/{job_id}/analyze', { params: pathOf(key) }));
