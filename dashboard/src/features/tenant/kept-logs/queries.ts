import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, dataOf } from '../../../api/client.ts';
import type { components } from '../../../api/schema.ts';
import { momentOf } from '../../../lib/figures.ts';

export type LogSearch = components['schemas']['LogSearch'];
export type Hit = LogSearch['hits'][number];
export type KeptLine = Hit['before'][number];
export type Generation = components['schemas']['LogArchive']['generations'][number];

/** What is searched for; `''`: everything. */
export interface KeptFilter {
  text: string;
  level: string;
  service: string;
  generation: string;
  /** The age of lines, or `between` for those from `from` to `to`. */
  minutes: string;
  /** Times in the user's zone, as written by the browser's date-time field. */
  from: string;
  to: string;
}

const pageSize = 50;
const contextLines = 2;
const aroundLines = 50;
const levels = ['error', 'warning'] as const;
const units = ['frontend', 'backend'] as const;

/** The kept lines that match, page by page from the newest. */
export const keptLogsQuery = (id: string, filter: KeptFilter) =>
  infiniteQueryOptions({
    queryKey: ['kept-logs', id, filter],
    placeholderData: keepPreviousData,
    refetchOnWindowFocus: false,
    initialPageParam: undefined as string | undefined,
    queryFn({ pageParam: cursor, signal }) {
      const { text, generation } = filter;
      const level = levels.find((one) => one === filter.level);
      const unit = units.find((one) => one === filter.service);
      const isFiltered = text !== '' || level !== undefined;
      const query = {
        limit: pageSize,
        // Without a filter, the lines around each are its neighbours in the list.
        context: isFiltered ? contextLines : 0,
        ...(text ? { text } : {}),
        ...(level ? { level } : {}),
        ...(unit ? { unit } : {}),
        ...(generation ? { generation } : {}),
        ...timesOf(filter),
        ...(cursor ? { cursor } : {}),
      };
      return dataOf(api.GET('/api/tenants/{id}/logs/search', { params: { path: { id }, query }, signal }));
    },
    getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
  });

function timesOf({ minutes, from, to }: KeptFilter): { since?: string; until?: string } {
  if (minutes !== 'between')
    return minutes ? { since: new Date(Date.now() - Number(minutes) * 60_000).toISOString() } : {};
  const [since, until] = [momentOf(from)?.toISOString(), momentOf(to)?.toISOString()];
  return { ...(since ? { since } : {}), ...(until ? { until } : {}) };
}

/** The generations whose logs are kept. */
export const logArchiveQuery = (id: string) =>
  queryOptions({
    queryKey: ['log-archive', id],
    queryFn: () => dataOf(api.GET('/api/tenants/{id}/logs/archive', { params: { path: { id } } })),
  });

/** The kept lines around one. */
export const keptLinesQuery = (id: string, line: string) =>
  queryOptions({
    queryKey: ['kept-lines', id, line],
    queryFn() {
      const query = { line, before: aroundLines, after: aroundLines };
      return dataOf(api.GET('/api/tenants/{id}/logs/lines', { params: { path: { id }, query } }));
    },
  });
