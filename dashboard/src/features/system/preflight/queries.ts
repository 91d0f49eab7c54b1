import { queryOptions } from '@tanstack/react-query';
import { api, dataOf } from '../../../api/client.ts';
import type { StreamMessage } from '../../../api/live.ts';
import { queryClient } from '../../../api/queries.ts';
import type { components } from '../../../api/schema.ts';

export type Preflight = components['schemas']['Preflight'];
export type PreflightCheck = components['schemas']['PreflightCheck'];

/** The last check of the host; null: there was none. */
export const preflightQuery = queryOptions({
  queryKey: ['preflight'],
  queryFn: async () => (await dataOf(api.GET('/api/system/preflight'))).preflight,
});

export const refreshPreflight = (): void => void queryClient.invalidateQueries(preflightQuery);

export const isInProgress = ({ status }: Pick<Preflight, 'status'>): boolean =>
  status === 'queued' || status === 'running';

/** @throws ApiError */
export async function startPreflight(baseImage: string): Promise<void> {
  const body = baseImage === '' ? {} : { base_image: baseImage };
  queryClient.setQueryData(preflightQuery.queryKey, await dataOf(api.POST('/api/system/preflight', { body })));
}

/** Applies a message of its stream: each names all checks. */
export function takePreflightMessage(message: StreamMessage<'preflight'>): void {
  if (message.type === 'log') return;
  const { preflight_id: id, status, checks } = message;
  queryClient.setQueryData(preflightQuery.queryKey, (known) =>
    known?.preflight_id === id && isInProgress(known) ? { ...known, status, checks } : known,
  );
  // The end has a time, and is a step of the set-up.
  if (message.type === 'complete') {
    refreshPreflight();
    void queryClient.invalidateQueries({ queryKey: ['setup-checklist'] });
  }
}
