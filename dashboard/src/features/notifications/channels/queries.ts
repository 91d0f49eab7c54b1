import { queryOptions } from '@tanstack/react-query';
import { api, dataOf } from '../../../api/client.ts';
import { queryClient } from '../../../api/queries.ts';
import type { components } from '../../../api/schema.ts';

export type Channel = components['schemas']['NotificationChannel'];
export type ChannelInput = components['schemas']['NotificationChannelInput'];
export type ChannelKind = Channel['kind'];
export type Delivery = components['schemas']['NotificationDelivery'];

/** Often enough to see a delivery arrive. Milliseconds. */
const refreshMs = 10_000;

export const channelsQuery = queryOptions({
  queryKey: ['notifications', 'channels'],
  queryFn: async () => (await dataOf(api.GET('/api/notifications/channels'))).channels,
  refetchInterval: refreshMs,
});

/** The newest deliveries. */
export const deliveriesQuery = (limit: number) =>
  queryOptions({
    queryKey: ['notifications', 'deliveries', limit],
    queryFn: () => dataOf(api.GET('/api/notifications/deliveries', { params: { query: { limit } } })),
    refetchInterval: refreshMs,
  });

export const refreshChannels = (): void => {
  for (const name of ['channels', 'deliveries'])
    void queryClient.invalidateQueries({ queryKey: ['notifications', name] });
};

/** Creates a channel or changes the one with this id. @throws ApiError */
export const saveChannel = (id: string | undefined, body: ChannelInput): Promise<Channel> =>
  id === undefined
    ? dataOf(api.POST('/api/notifications/channels', { body }))
    : dataOf(api.PUT('/api/notifications/channels/{id}', { params: { path: { id } }, body }));

/** @throws ApiError */
export const testChannel = (id: string) =>
  dataOf(api.POST('/api/notifications/channels/{id}/test', { params: { path: { id } } }));

/** @throws ApiError */
export const deleteChannel = (id: string) =>
  dataOf(api.DELETE('/api/notifications/channels/{id}', { params: { path: { id } } }));

/** @throws ApiError */
export const retryDelivery = (id: string) =>
  dataOf(api.POST('/api/notifications/deliveries/{id}/retry', { params: { path: { id } } }));
