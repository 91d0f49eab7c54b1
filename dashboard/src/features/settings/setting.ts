import type { components } from '../../api/schema.ts';
import { apiText } from '../../lib/api-text.ts';
import { listed, number } from '../../lib/figures.ts';
import { fold } from '../../lib/fold.ts';
import { settingsText } from './messages.ts';

export type Setting = components['schemas']['Setting'];

export const nameOf = (key: string): string => settingsText.names[key] ?? key;

export const descriptionOf = ({ key, description }: Pick<Setting, 'key' | 'description'>): string =>
  settingsText.descriptions[key] ?? description;

/** A rule that a value breaks, as the API names it, in the user's language. */
export const ruleText = (rule: string): string => apiText(settingsText.rules, rule);

/** Names of settings as a list in a sentence. */
export const namesOf = (settings: readonly Setting[]): string => listed(settings.map(({ key }) => nameOf(key)));

export const figure = (value: number): string => number(value, 15);

/** A value formatted with its unit. */
export function shownValue({ value_type, unit, is_secret }: Setting, value: string): string {
  if (is_secret) return value === '' ? settingsText.isNotSet : settingsText.isSet;
  if (value_type === 'boolean') return value === 'true' ? settingsText.on : settingsText.off;
  if (value === '') return settingsText.empty;
  if (value_type === 'string' || Number.isNaN(Number(value))) return value;
  return `${figure(Number(value))}${unit ? ` ${settingsText.unit(unit, Number(value))}` : ''}`;
}

/** The error of a value, as far as the dashboard can check it. */
export function problemOf({ value_type, minimum, maximum, max_length }: Setting, value: string): string | undefined {
  const { wrong } = settingsText;
  if (value_type === 'boolean') return undefined;
  if (value_type === 'string')
    return max_length !== null && value.length > max_length ? wrong.long(max_length) : undefined;
  if (!(value_type === 'integer' ? /^-?\d{1,15}$/ : /^-?\d{1,15}(\.\d{1,15})?$/).test(value)) return wrong[value_type];
  const [least, most] = [minimum ?? -Infinity, maximum ?? Infinity];
  return Number(value) < least || Number(value) > most ? wrong.between(figure(least), figure(most)) : undefined;
}

/** Whether a setting's name, key or description contains a word. */
export const fits = (setting: Setting, search: string): boolean =>
  [setting.key, nameOf(setting.key), descriptionOf(setting)].some((part) => fold(part).includes(fold(search)));
