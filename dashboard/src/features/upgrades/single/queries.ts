import { queryOptions } from '@tanstack/react-query';
import { api, dataOf } from '../../../api/client.ts';
import { queryClient } from '../../../api/queries.ts';
import type { components } from '../../../api/schema.ts';

export type AvailableVersion = components['schemas']['AvailableVersion'];
export type Rehearsed = components['schemas']['Rehearsed'];

/** How often the repository is asked for a new release while a page shows them. Milliseconds. */
export const releasesEvery = 60_000;

/** The newest versions of a tenant's repository, as many as are shown. */
export const versionsQuery = (id: string, limit: number) =>
  queryOptions({
    queryKey: ['version', id, 'all', limit],
    staleTime: releasesEvery,
    refetchInterval: releasesEvery,
    placeholderData: (before) => before,
    queryFn: () => dataOf(api.GET('/api/tenants/{id}/versions', { params: { path: { id }, query: { limit } } })),
  });

/** What became of an upgrade or a rehearsal; part of what is known of its deployment. */
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

/** Begins an upgrade or its rehearsal; answers the deployment to watch it by. @throws ApiError */
export async function begin(id: string, what: 'upgrade' | 'rehearsal', asked: Asked): Promise<string> {
  const { version, backup = true, migrations = true, back = false } = asked;
  const query = { wait: 'false', rehearse: what === 'rehearsal' ? 'true' : 'false' } as const;
  const body = { target_version: version, backup_db: backup, run_migrations: migrations, allow_downgrade: back };
  const answer = await dataOf(api.POST('/api/tenants/{id}/upgrade', { params: { path: { id }, query }, body }));
  void queryClient.invalidateQueries({ queryKey: ['deployments', id] });
  return 'deployment_id' in answer ? answer.deployment_id : '';
}
