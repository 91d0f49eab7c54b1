import { queryOptions, useQuery } from '@tanstack/react-query';
import { api, dataOf } from '../../../api/client.ts';
import type { components } from '../../../api/schema.ts';
import { useSettled } from '../../../hooks/use-settled.ts';
import { apiText } from '../../../lib/api-text.ts';
import { tenantsText } from '../messages.ts';
import { Found, type FoundTone } from './found.tsx';

const words = tenantsText.form.dns;
type Result = components['schemas']['DnsCheck']['results'][number];

const dnsQuery = (names: readonly string[]) =>
  queryOptions({
    queryKey: ['dns-check', names],
    retry: false,
    staleTime: 30_000,
    queryFn: async ({ signal }) =>
      (await dataOf(api.POST('/api/dns-check', { body: { names: [...names] }, signal }))).results,
  });

const tones: Record<Result['state'], FoundTone> = {
  correct: 'good',
  resolves: 'plain',
  elsewhere: 'warn',
  missing: 'warn',
  unknown: 'plain',
};

/** What the manager takes for a host name; others are the form's concern. */
const hostName = /^(?=.{4,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9]$/;

/** Whether host names lead to the reverse proxy, checked while they are typed. */
export function DnsCheck({ names }: { names: readonly string[] }) {
  const typed = names.map((name) => name.trim().toLowerCase()).filter((name) => hostName.test(name));
  const settled = useSettled(typed.join(' '));
  const isSettled = settled === typed.join(' ');
  const { data, isFetching } = useQuery({
    ...dnsQuery(settled.split(' ')),
    enabled: settled !== '' && isSettled,
  });
  if (typed.length === 0) return null;
  if (!isSettled || isFetching) return <Found tone="plain">{words.checking}</Found>;
  return data?.map((result) => (
    <Found key={result.name} tone={tones[result.state]}>
      {words.states[result.state](result.name, result.addresses.join(', '))}{' '}
      {apiText(words.advice, result.advice ?? '')}
    </Found>
  ));
}
