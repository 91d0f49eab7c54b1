import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, dataOf } from '../../api/client.ts';
import { isoOf, spanOf, type View } from './view.ts';

const pageSize = 50;
/** Interval of checks for new entries. Milliseconds. */
const newsEvery = 5_000;

const filterOf = ({ search, user, category, level, tenant }: View) => ({
  ...(search.trim() ? { search: search.trim() } : {}),
  ...(user.trim() ? { username: user.trim() } : {}),
  ...(category ? { category } : {}),
  ...(level ? { level } : {}),
  ...(tenant ? { tenant_id: tenant } : {}),
});

/** The audit log, page by page: of entries up to the newest of the first page, as later ones would shift the others. */
export const auditLogQuery = (view: View) =>
  infiniteQueryOptions({
    queryKey: ['journal', view],
    placeholderData: keepPreviousData,
    // New entries are announced, not inserted.
    refetchOnWindowFocus: false,
    initialPageParam: { offset: 0 } as { offset: number; until?: string | undefined },
    queryFn({ pageParam: { offset, until } }) {
      const query = { ...filterOf(view), ...spanOf(view), ...(until ? { until } : {}), limit: pageSize, offset };
      return dataOf(api.GET('/api/logs', { params: { query } }));
    },
    getNextPageParam({ logs, total }, pages) {
      const offset = pages.length * pageSize;
      return logs.length > 0 && offset < total ? { offset, until: pages[0]?.logs[0]?.created_at } : undefined;
    },
  });

/** Number of entries after a time. */
export const newEntriesQuery = (view: View, after: string | undefined) =>
  queryOptions({
    queryKey: ['journal-news', view, after],
    enabled: after !== undefined,
    staleTime: 0,
    refetchInterval: newsEvery,
    async queryFn() {
      // The next millisecond: entries of the same one are already shown.
      const since = isoOf(Date.parse(after ?? '') + 1);
      const { until } = spanOf(view);
      const query = { ...filterOf(view), since, ...(until ? { until } : {}), limit: 1 };
      return (await dataOf(api.GET('/api/logs', { params: { query } }))).total;
    },
  });
