import { z } from 'zod';
import { timestamp } from '../../lib/http/routing/formats.ts';
import { settingGroups, valueTypes } from './definition.ts';

export const setting = z
  .object({
    key: z.string(),
    value: z.string().meta({ description: 'A secret that is set is shown as ***hidden***' }),
    value_type: z.enum(valueTypes),
    description: z.string(),
    is_secret: z.boolean(),
    updated_at: timestamp.nullable(),
    group: z.enum(settingGroups),
    default: z.string().meta({ description: 'The value used while the setting is not set' }),
    unit: z.string().nullable().meta({ description: 'The unit of a number' }),
    minimum: z.number().nullable(),
    maximum: z.number().nullable(),
    max_length: z.int().nullable().meta({ description: 'Maximum number of characters of a text' }),
  })
  .meta({ id: 'Setting' });

export const settingList = z.object({ settings: z.array(setting) }).meta({ id: 'SettingList' });

export const settingChange = z
  .strictObject({ value: z.union([z.string(), z.number(), z.boolean()], 'must be a string, number or boolean') })
  .meta({ id: 'SettingChange' });

const values = z.record(z.string(), settingChange.shape.value);
export const settingsCheck = z.strictObject({ values }).meta({ id: 'SettingsCheck' });
export const settingsChecked = z.object({ valid: z.literal(true) });

export const changedSetting = z
  .object({
    key: z.string(),
    value: z.string(),
    updated_at: timestamp,
    forgotten: z
      .array(z.string())
      .meta({ description: 'Secrets that this change cleared, if any. Set them again' })
      .optional(),
  })
  .meta({ id: 'ChangedSetting' });
