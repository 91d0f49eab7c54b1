import { queryOptions } from '@tanstack/react-query';
import { api, dataOf } from '../../api/client.ts';
import type { components } from '../../api/schema.ts';

export type Config = components['schemas']['TenantConfig'];
export type ConfigChange = components['schemas']['TenantConfigPlan']['changes'][number];

export type Revision = components['schemas']['TenantConfigRevision'];

/** Secrets never reach the page: the manager returns a marker instead. */
export const asked = (id: string) => ({ params: { path: { id }, query: { hide_secrets: 'true' as const } } });

export const configQuery = (id: string) =>
  queryOptions({ queryKey: ['config', id], queryFn: () => dataOf(api.GET('/api/tenants/{id}/config', asked(id))) });

/** @param current the revision of the configuration: a new one is a new history */
export const historyQuery = (id: string, limit: number, current: number) =>
  queryOptions({
    queryKey: ['config', id, 'history', limit, current],
    placeholderData: (before) => before,
    queryFn: () => dataOf(api.GET('/api/tenants/{id}/config/history', { params: { path: { id }, query: { limit } } })),
  });
