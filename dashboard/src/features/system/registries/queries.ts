import { queryOptions } from '@tanstack/react-query';
import { api, dataOf } from '../../../api/client.ts';
import { queryClient } from '../../../api/queries.ts';
import type { components } from '../../../api/schema.ts';

export type Registry = components['schemas']['Registry'];
export type RegistryInput = components['schemas']['RegistryInput'];

/** The API's most for one page. */
const limit = 500;

export const registriesQuery = queryOptions({
  queryKey: ['registries'],
  queryFn: async () => (await dataOf(api.GET('/api/system/registries', { params: { query: { limit } } }))).registries,
});

export const refreshRegistries = (): void => void queryClient.invalidateQueries(registriesQuery);

/** Creates a registry or changes the one with this id. @throws ApiError */
export const saveRegistry = (id: string | undefined, body: RegistryInput): Promise<Registry> =>
  id === undefined
    ? dataOf(api.POST('/api/system/registries', { body }))
    : dataOf(api.PUT('/api/system/registries/{id}', { params: { path: { id } }, body }));

/** @throws ApiError */
export const testRegistry = (id: string) =>
  dataOf(api.POST('/api/system/registries/{id}/test', { params: { path: { id } } }));

/** @throws ApiError */
export const deleteRegistry = (id: string) =>
  dataOf(api.DELETE('/api/system/registries/{id}', { params: { path: { id } } }));
