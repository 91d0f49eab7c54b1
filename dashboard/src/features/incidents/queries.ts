import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, dataOf } from '../../api/client.ts';
import { queryClient } from '../../api/queries.ts';
import type { components } from '../../api/schema.ts';

export type IncidentSummary = components['schemas']['IncidentSummary'];
export type Incident = components['schemas']['Incident'];
export type IncidentEntry = Incident['timeline'][number];

/** Page size of the list. */
export const perPage = 50;

/** Those that are not resolved; the manager's events refresh it sooner. */
export const openIncidentsQuery = queryOptions({
  queryKey: ['incidents', 'open'],
  refetchInterval: 60_000,
  queryFn: () => dataOf(api.GET('/api/incidents', { params: { query: { status: 'unresolved', limit: 500 } } })),
});

/** Resolved ones, newest first; pages count from 1. */
export const resolvedIncidentsQuery = (page: number) =>
  queryOptions({
    queryKey: ['incidents', 'resolved', page],
    placeholderData: keepPreviousData,
    queryFn: () => {
      const query = { status: 'resolved', limit: perPage, offset: (page - 1) * perPage } as const;
      return dataOf(api.GET('/api/incidents', { params: { query } }));
    },
  });

/** The latest of a tenant, newest first. */
export const tenantIncidentsQuery = (tenantId: string) =>
  queryOptions({
    queryKey: ['incidents', 'tenant', tenantId],
    queryFn: () => dataOf(api.GET('/api/incidents', { params: { query: { tenant_id: tenantId, limit: 500 } } })),
  });

/** The latest of what tenants share, newest first. */
export const hostIncidentsQuery = queryOptions({
  queryKey: ['incidents', 'host'],
  queryFn: () =>
    dataOf(
      api.GET('/api/incidents', { params: { query: { scope: 'engine,node,proxy,disk,database_server', limit: 500 } } }),
    ),
});

export const incidentQuery = (id: string) =>
  queryOptions({
    queryKey: ['incident', id],
    queryFn: () => dataOf(api.GET('/api/incidents/{id}', { params: { path: { id } } })),
  });

/** @throws ApiError */
export async function acknowledge(id: string): Promise<void> {
  takeIncident(await dataOf(api.POST('/api/incidents/{id}/acknowledge', { params: { path: { id } } })));
}

/** @throws ApiError */
export async function addNote(id: string, text: string): Promise<void> {
  takeIncident(await dataOf(api.POST('/api/incidents/{id}/notes', { params: { path: { id } }, body: { text } })));
}

function takeIncident(incident: Incident): void {
  queryClient.setQueryData(incidentQuery(incident.id).queryKey, incident);
  void queryClient.invalidateQueries({ queryKey: ['incidents'] });
}
