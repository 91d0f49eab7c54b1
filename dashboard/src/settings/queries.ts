import { queryOptions } from '@tanstack/react-query';
import { api, dataOf } from '../api/client.ts';
import { queryClient } from '../api/queries.ts';
import type { Setting } from './setting.ts';

export const settingsQuery = queryOptions({
  queryKey: ['settings'],
  queryFn: async () => (await dataOf(api.GET('/api/settings'))).settings,
});

/** Changes one setting, and what is known of it. @throws ApiError */
export async function saveSetting(key: Setting['key'], value: string): Promise<void> {
  const { forgotten = [], ...saved } = await dataOf(
    api.PUT('/api/settings/{key}', { params: { path: { key } }, body: { value } }),
  );
  queryClient.setQueryData(settingsQuery.queryKey, (known) =>
    known?.map((setting) => {
      if (setting.key === key) return { ...setting, ...saved };
      return forgotten.includes(setting.key) ? { ...setting, value: '' } : setting;
    }),
  );
}
