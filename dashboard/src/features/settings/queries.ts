import { queryOptions } from '@tanstack/react-query';
import { ApiError } from '../../api/api-error.ts';
import { api, dataOf } from '../../api/client.ts';
import { queryClient } from '../../api/queries.ts';
import { ruleText, type Setting } from './setting.ts';

export const settingsQuery = queryOptions({
  queryKey: ['settings'],
  queryFn: async () => (await dataOf(api.GET('/api/settings'))).settings,
});

/** The manager's validation errors, by the settings' keys. @throws ApiError if it does not answer */
export async function refusedSettings(values: Record<string, string>): Promise<Record<string, string>> {
  try {
    await dataOf(api.POST('/api/settings/check', { body: { values } }));
    return {};
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 400) throw error;
    return Object.fromEntries(
      Object.entries(error.fields).map(([path, rule]) => [path.replace('values.', ''), ruleText(rule)]),
    );
  }
}

/** Changes a setting and the cached copy. @returns the saved value, a mask for a secret @throws ApiError */
export async function saveSetting(key: Setting['key'], value: string): Promise<string> {
  const { forgotten = [], ...saved } = await dataOf(
    api.PUT('/api/settings/{key}', { params: { path: { key } }, body: { value } }),
  );
  queryClient.setQueryData(settingsQuery.queryKey, (known) =>
    known?.map((setting) => {
      if (setting.key === key) return { ...setting, ...saved };
      return forgotten.includes(setting.key) ? { ...setting, value: '' } : setting;
    }),
  );
  return saved.value;
}
