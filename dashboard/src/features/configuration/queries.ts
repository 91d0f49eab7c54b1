import { queryOptions } from '@tanstack/react-query';
import { api, dataOf } from '../../api/client.ts';
import type { components } from '../../api/schema.ts';

export type Config = components['schemas']['TenantConfig'];
export type ConfigChange = components['schemas']['TenantConfigPlan']['changes'][number];

/** Secrets never reach the page: the manager returns a marker instead. */
export const asked = (id: string) => ({ params: { path: { id }, query: { hide_secrets: 'true' as const } } });

export const configQuery = (id: string) =>
  queryOptions({ queryKey: ['config', id], queryFn: () => dataOf(api.GET('/api/tenants/{id}/config', asked(id))) });
