import { queryOptions } from '@tanstack/react-query';
import { api, dataOf } from '../../../api/client.ts';
import { queryClient } from '../../../api/queries.ts';
import type { components } from '../../../api/schema.ts';

export type AvailableVersion = components['schemas']['AvailableVersion'];
export type Rehearsed = components['schemas']['Rehearsed'];

/** Interval of checks for new releases while a page shows them. Milliseconds. */
export const releasesEvery = 60_000;

/** Maximum that the manager returns at once. */
export const maxOffered = 500;

/** The newest versions of a tenant's repository that are shown. */
export const versionsQuery = (id: string, limit: number) =>
  queryOptions({
    queryKey: ['version', id, 'all', limit],
    staleTime: releasesEvery,
    refetchInterval: releasesEvery,
    placeholderData: (before) => before,
    queryFn: () => dataOf(api.GET('/api/tenants/{id}/versions', { params: { path: { id }, query: { limit } } })),
  });

/** The result of an upgrade or rehearsal; part of its deployment. */
export const reportQuery = (id: string, deployment_id: string) =>
  queryOptions({
    queryKey: ['deployment', deployment_id, 'report'],
    queryFn: () =>
      dataOf(api.GET('/api/tenants/{id}/upgrade/{deployment_id}', { params: { path: { id, deployment_id } } })),
  });

interface Asked {
  version: string | null;
  backup?: boolean;
  migrations?: boolean;
  back?: boolean;
}

/** Starts an upgrade or its rehearsal; returns the deployment that shows its progress. @throws ApiError */
export async function begin(id: string, what: 'upgrade' | 'rehearsal', asked: Asked): Promise<string> {
  const { version, backup = true, migrations = true, back = false } = asked;
  const query = { wait: 'false', rehearse: what === 'rehearsal' ? 'true' : 'false' } as const;
  const body = { target_version: version, backup_db: backup, run_migrations: migrations, allow_downgrade: back };
  const answer = await dataOf(api.POST('/api/tenants/{id}/upgrade', { params: { path: { id }, query }, body }));
  void queryClient.invalidateQueries({ queryKey: ['deployments', id] });
  return 'deployment_id' in answer ? answer.deployment_id : '';
}
