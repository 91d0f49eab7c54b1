import { useQuery } from '@tanstack/react-query';
import { tenantsQuery } from '../../../api/queries.ts';
import type { Option } from '../../../components/form/select.tsx';
import { listed } from '../../../lib/figures.ts';
import { usersQuery } from '../../accounts/users/queries.ts';
import { tagsQuery } from '../../tenants/list/tags.tsx';
import { channelsQuery } from '../channels/queries.ts';
import { notificationsText } from '../messages.ts';
import { rulesText } from './messages.ts';
import type { AlertEvent, Rule } from './queries.ts';

interface Choice extends Option {
  /** A user who cannot sign in is no choice, except of rules that already name the user. */
  disabled?: boolean;
}

/** undefined: not loaded yet. */
type ChoiceList = readonly Choice[] | undefined;

/** What a rule can choose. */
export interface Choices {
  channels: ChoiceList;
  users: ChoiceList;
  tenants: ChoiceList;
  tags: readonly Option[];
}

export const eventOptions: readonly Option[] = Object.entries(notificationsText.events).map(([value, label]) => ({
  value,
  label,
}));

/** The tags of tenants as options. */
export function useTagOptions(): readonly Option[] {
  const { data = [] } = useQuery(tagsQuery);
  return data.map(({ name }) => ({ value: name, label: name }));
}

/** All tenants as options; undefined: not loaded yet. */
export function useTenantOptions(): readonly Option[] | undefined {
  return useQuery(tenantsQuery).data?.map(({ id, name }) => ({ value: id, label: name }));
}

export function useChoices(): Choices {
  const { data: channels } = useQuery(channelsQuery);
  const { data: users } = useQuery(usersQuery);
  return {
    channels: channels?.map(({ id, name, enabled }) => ({
      value: id,
      label: enabled ? name : rulesText.disabled(name),
    })),
    users: users?.users.map(({ id, username, disabled }) => ({
      value: id,
      label: disabled ? rulesText.disabled(username) : username,
      disabled,
    })),
    tenants: useTenantOptions(),
    tags: useTagOptions(),
  };
}

const labelOf = (value: string, choices: ChoiceList): string =>
  choices ? (choices.find((choice) => choice.value === value)?.label ?? rulesText.deleted) : '…';

/** The choices, and what a rule names although it was disabled or deleted. */
export const optionsOf = (choices: ChoiceList, named: readonly string[]): readonly Option[] => [
  ...(choices ?? []).filter(({ value, disabled }) => !disabled || named.includes(value)),
  ...named
    .filter((value) => !choices?.some((choice) => choice.value === value))
    .map((value) => ({ value, label: labelOf(value, choices) })),
];

/** A rule in one sentence. */
export function sentenceOf(rule: Rule, { channels, users, tenants }: Choices): string {
  const { events, severities } = notificationsText;
  const names = (values: readonly string[], choices: ChoiceList): string[] =>
    values.map((value) => labelOf(value, choices));
  return rulesText.sentence(
    listed(rule.events.map((event: AlertEvent) => events[event])),
    severities[rule.severity],
    listed([...rule.tags, ...names(rule.tenant_ids, tenants)]),
    listed([...names(rule.channel_ids, channels), ...names(rule.user_ids, users)]),
  );
}
