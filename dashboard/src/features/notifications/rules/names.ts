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

/** What a rule can choose. */
export interface Choices {
  channels: readonly Option[];
  users: readonly Option[];
  tenants: readonly Option[];
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

/** All tenants as options. */
export function useTenantOptions(): readonly Option[] {
  const { data = [] } = useQuery(tenantsQuery);
  return data.map(({ id, name }) => ({ value: id, label: name }));
}

export function useChoices(): Choices {
  const { data: channels = [] } = useQuery(channelsQuery);
  const { data: users } = useQuery(usersQuery);
  return {
    channels: channels.map(({ id, name }) => ({ value: id, label: name })),
    users: (users?.users ?? [])
      .filter(({ disabled }) => !disabled)
      .map(({ id, username }) => ({ value: id, label: username })),
    tenants: useTenantOptions(),
    tags: useTagOptions(),
  };
}

const labelsOf = (values: readonly string[], options: readonly Option[]): string[] =>
  values.map((value) => options.find((option) => option.value === value)?.label ?? missingLabel(options));

/** Of what is no option: it was deleted or disabled, or the options are not loaded yet. */
export const missingLabel = (options: readonly Option[]): string => (options.length === 0 ? '…' : rulesText.missing);

/** A rule in one sentence. */
export function sentenceOf(rule: Rule, { channels, users, tenants }: Choices): string {
  const { events, severities } = notificationsText;
  return rulesText.sentence(
    listed(rule.events.map((event: AlertEvent) => events[event])),
    severities[rule.severity],
    listed([...rule.tags, ...labelsOf(rule.tenant_ids, tenants)]),
    listed([...labelsOf(rule.channel_ids, channels), ...labelsOf(rule.user_ids, users)]),
  );
}
