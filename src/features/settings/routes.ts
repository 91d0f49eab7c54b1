import { toTimestamp, toTimestampOrNull } from '../../lib/http/routing/formats.ts';
import { defineRoute, type Route } from '../../lib/http/routing/route.ts';
import type { SettingDefinition } from './definition.ts';
import { settingDefinitions } from './definitions.ts';
import { changedSetting, setting, settingChange, settingList, settingsCheck, settingsChecked } from './schema.ts';
import type { SettingService, SettingView } from './service.ts';

const toResponse = (shown: SettingView) => ({
  key: shown.key,
  value: shown.value,
  value_type: shown.valueType,
  description: shown.description,
  is_secret: shown.isSecret,
  updated_at: toTimestampOrNull(shown.updatedAt),
  ...boundsOf(settingDefinitions[shown.key]),
});

/** The limits that forms need to validate a value. */
const boundsOf = (definition: SettingDefinition) => ({
  group: definition.group,
  default: String(definition.default),
  unit: 'unit' in definition ? (definition.unit ?? null) : null,
  minimum: 'min' in definition ? definition.min : null,
  maximum: 'max' in definition ? definition.max : null,
  max_length: 'maxLength' in definition ? definition.maxLength : null,
});

export function settingRoutes(settings: SettingService): Route[] {
  return [
    defineRoute(
      {
        method: 'get',
        path: '/api/settings',
        tag: 'Settings',
        summary: 'List settings',
        access: 'operate',
        responses: { 200: { schema: settingList } },
      },
      async () => ({ settings: (await settings.list()).map(toResponse) }),
    ),
    defineRoute(
      {
        method: 'post',
        path: '/api/settings/check',
        tag: 'Settings',
        summary: 'Validate several settings',
        description: 'Reports all invalid values, each at `values.<key>`. Changes nothing.',
        access: 'administer',
        body: settingsCheck,
        responses: { 200: { schema: settingsChecked } },
      },
      async ({ body }) => {
        settings.check(body.values);
        return { valid: true } as const;
      },
    ),
    defineRoute(
      {
        method: 'get',
        path: '/api/settings/{key}',
        tag: 'Settings',
        summary: 'Get a setting',
        access: 'operate',
        responses: { 200: { schema: setting } },
        errors: ['not_found'],
      },
      async ({ params }) => toResponse(await settings.show(params.key)),
    ),
    defineRoute(
      {
        method: 'put',
        path: '/api/settings/{key}',
        tag: 'Settings',
        summary: 'Change a setting',
        description:
          'Send the value as a string, or as a JSON number or boolean that matches `value_type`. The change takes effect immediately unless the description says otherwise. Changing an address clears the secrets of the old address; `forgotten` lists them.',
        access: 'administer',
        body: settingChange,
        responses: { 200: { schema: changedSetting } },
        errors: ['not_found'],
      },
      async ({ params, body, principal }) => {
        const changed = await settings.write(params.key, body.value, principal);
        const { key, value, updatedAt, cleared } = changed;
        return {
          key,
          value,
          updated_at: toTimestamp(updatedAt),
          ...(cleared.length > 0 ? { forgotten: cleared } : {}),
        };
      },
    ),
  ];
}
