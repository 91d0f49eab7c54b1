import { queryOptions, useQuery } from '@tanstack/react-query';
import { ApiError } from '../../../api/api-error.ts';
import { api, dataOf } from '../../../api/client.ts';
import type { components } from '../../../api/schema.ts';
import { SelectField } from '../../../components/form/select-field.tsx';
import { useSettled } from '../../../hooks/use-settled.ts';
import { text } from '../../../lib/messages.ts';
import { tenantsText } from '../messages.ts';
import { Found } from './found.tsx';

const words = tenantsText.form.check;
type Check = components['schemas']['RepositoryCheck'];

const checkQuery = (git_repo: string) =>
  queryOptions({
    queryKey: ['repository-check', git_repo],
    enabled: git_repo !== '',
    retry: false,
    staleTime: 60_000,
    // The address may contain credentials.
    gcTime: 0,
    // Aborted when the user types on: the manager then ends its request, too.
    queryFn: ({ signal }) => dataOf(api.POST('/api/tenants/repository-check', { body: { git_repo }, signal })),
  });

/** What to deploy right after the tenant is created: `version:v1.0.0`, `branch:main`, or nothing. */
export type FirstDeployment = string;

interface RepositoryCheckProps {
  address: string;
  chosen: FirstDeployment;
  onChoose(chosen: FirstDeployment): void;
}

/** Checks a repository while its address is typed, and offers what it has for a first deployment. */
export function RepositoryCheck({ address, chosen, onChoose }: RepositoryCheckProps) {
  const typed = address.trim();
  const settled = useSettled(typed);
  const { data, error, isFetching } = useQuery(checkQuery(settled));
  if (typed === '') return null;
  if (settled !== typed || isFetching) return <Found tone="plain">{words.checking}</Found>;
  if (error) return <Found tone="warn">{error instanceof ApiError ? error.words : text.errors.unexpected}</Found>;
  if (!data) return null;
  if (!data.reachable) return <Found tone="bad">{words.unusable(data.reason ?? '')}</Found>;
  return (
    <>
      <Found tone={data.default_branch === null ? 'warn' : 'good'}>{summaryOf(data)}</Found>
      {data.default_branch !== null && (
        <SelectField
          label={words.first}
          hint={words.firstHint}
          value={chosen}
          options={optionsOf(data, data.default_branch)}
          onChange={onChoose}
        />
      )}
    </>
  );
}

function summaryOf({ default_branch, latest, versions, version_count }: Check): string {
  if (default_branch === null) return words.empty;
  if (version_count === 0) return words.noVersions(default_branch);
  return words.versions(version_count, latest ?? versions[0] ?? '');
}

const optionsOf = ({ versions, latest }: Check, branch: string): Record<FirstDeployment, string> => ({
  '': words.later,
  ...Object.fromEntries(
    versions.map((version) => [`version:${version}`, version === latest ? words.latest(version) : version]),
  ),
  [`branch:${branch}`]: words.branch(branch),
});

/** Starts the first deployment of a new tenant. @throws ApiError */
export async function deployFirst(id: string, chosen: FirstDeployment): Promise<void> {
  const name = chosen.slice(chosen.indexOf(':') + 1);
  const body = chosen.startsWith('branch:') ? { target_ref: name } : { target_version: name };
  await dataOf(api.POST('/api/tenants/{id}/deploy', { params: { path: { id } }, body }));
}
