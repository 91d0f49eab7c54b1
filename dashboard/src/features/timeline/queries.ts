import { infiniteQueryOptions, keepPreviousData } from '@tanstack/react-query';
import { api, dataOf } from '../../api/client.ts';
import type { components } from '../../api/schema.ts';

export type Entry = components['schemas']['TimelineEntry'];
export type Kind = Entry['kind'];

const pageSize = 50;
const hourMs = 3_600_000;

/** What is shown, as the address of the page has it. */
export interface View {
  /** undefined: all tenants and the manager. */
  tenantId: string | undefined;
  /** Empty: all. */
  kinds: readonly Kind[];
  /** Only the hour before this time; undefined: all times. */
  hourBefore: string | undefined;
}

/** The page with what changed in the hour before a time, of a tenant or of all. */
export const hourBeforeLink = (at: string, tenantId?: string): string =>
  `${tenantId === undefined ? '' : `/tenants/${tenantId}`}/timeline?before=${encodeURIComponent(at)}`;

/** A timeline, page by page. */
export const timelineQuery = ({ tenantId, kinds, hourBefore }: View) =>
  infiniteQueryOptions({
    queryKey: ['timeline', tenantId, kinds, hourBefore],
    placeholderData: keepPreviousData,
    refetchInterval: 30_000,
    initialPageParam: undefined as string | undefined,
    queryFn({ pageParam: before }) {
      const query = {
        limit: pageSize,
        ...(kinds.length > 0 ? { kinds: kinds.join(',') } : {}),
        ...(hourBefore === undefined
          ? {}
          : { from: new Date(Date.parse(hourBefore) - hourMs).toISOString(), to: hourBefore }),
        ...(before === undefined ? {} : { before }),
      };
      return dataOf(
        tenantId === undefined
          ? api.GET('/api/timeline', { params: { query } })
          : api.GET('/api/tenants/{id}/timeline', { params: { path: { id: tenantId }, query } }),
      );
    },
    getNextPageParam: ({ next }) => next ?? undefined,
  });
