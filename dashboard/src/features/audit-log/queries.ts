import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, dataOf } from '../../api/client.ts';
import { isoOf, spanOf, type View } from './view.ts';

export const pageSize = 50;
/** Interval of checks for new entries. Milliseconds. */
const newsEvery = 5_000;

const filterOf = ({ search, user, category, level, tenant }: View) => ({
  ...(search.trim() ? { search: search.trim() } : {}),
  ...(user.trim() ? { username: user.trim() } : {}),
  ...(category ? { category } : {}),
  ...(level ? { level } : {}),
  ...(tenant ? { tenant_id: tenant } : {}),
});

/** A page of the audit log. */
export const auditLogQuery = (view: View) =>
  queryOptions({
    queryKey: ['journal', view],
    placeholderData: keepPreviousData,
    queryFn() {
      const query = { ...filterOf(view), ...spanOf(view), limit: pageSize, offset: (view.page - 1) * pageSize };
      return dataOf(api.GET('/api/logs', { params: { query } }));
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
      const { until } = spanOf({ ...view, at: '' });
      const query = { ...filterOf(view), since, ...(until ? { until } : {}), limit: 1 };
      return (await dataOf(api.GET('/api/logs', { params: { query } }))).total;
    },
  });
