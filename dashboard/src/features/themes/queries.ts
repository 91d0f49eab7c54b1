import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, dataOf } from '../../api/client.ts';
import type { Colours } from './colours.ts';

/** Polling interval for work without a stream. Milliseconds. */
const pollInterval = 1_000;
const goesOn = ({ status }: { status: string }): boolean => status === 'processing';

const path = (id: string) => ({ params: { path: { id } } });

export const themeQuery = (id: string) =>
  queryOptions({ queryKey: ['theme', id], queryFn: () => dataOf(api.GET('/api/tenants/{id}/theme', path(id))) });

export const contrastQuery = (colours: Colours) =>
  queryOptions({
    queryKey: ['contrast', colours],
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: keepPreviousData,
    queryFn: () => dataOf(api.GET('/api/theme/contrast', { params: { query: colours } })),
  });

export const analysesQuery = (id: string) =>
  queryOptions({
    queryKey: ['analyses', id],
    queryFn: () =>
      dataOf(api.GET('/api/tenants/{id}/theme/analyses', { params: { path: { id }, query: { limit: 20 } } })),
    refetchInterval: ({ state }) => (state.data?.analyses.some(goesOn) ? pollInterval : false),
  });

/** An analysis with its suggestions; polled while it runs. */
export const analysisQuery = (id: string, analysis_id: string) =>
  queryOptions({
    queryKey: ['analysis', id, analysis_id],
    queryFn: () =>
      dataOf(api.GET('/api/tenants/{id}/theme/suggestions', { params: { path: { id }, query: { analysis_id } } })),
    refetchInterval: ({ state }) => (state.data && goesOn(state.data) ? pollInterval : false),
  });

/**
 * A picture that the manager serves: a link to it can't carry the session's proof.
 * @param place its path, as in the API's responses
 */
export const pictureQuery = (place: string) =>
  queryOptions({
    queryKey: ['picture', place],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: () =>
      dataOf(
        // The path is complete: it has no parameters to fill in.
        api.GET(place as '/api/tenants/{id}/theme/assets/{name}', {
          params: { path: { id: '', name: '' } },
          parseAs: 'blob',
        }),
      ),
  });
