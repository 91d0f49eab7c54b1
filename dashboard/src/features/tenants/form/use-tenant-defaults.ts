import { useQuery } from '@tanstack/react-query';
import { queryClient, tenantsQuery } from '../../../api/queries.ts';
import { settingsQuery } from '../../settings/queries.ts';

interface TenantDefaults {
  repository: string;
  /** The domain of a tenant with this short name. */
  domainOf(slug: string): string;
}

/** What to propose for a new tenant, by the manager's settings. */
export function useTenantDefaults(enabled: boolean): TenantDefaults {
  const { data: settings } = useQuery({ ...settingsQuery, enabled });
  const setTo = (key: string): string => settings?.find((setting) => setting.key === key)?.value ?? '';
  const pattern = setTo('new_tenant_domain') || patternOf(queryClient.getQueryData(tenantsQuery.queryKey)?.[0]);
  return { repository: setTo('new_tenant_git_repo'), domainOf: (slug) => pattern.replace('{slug}', slug) };
}

/** The domain pattern of the newest tenant: the suggestion for the next one. */
function patternOf({ slug, domain }: { slug: string; domain: string } | undefined = { slug: '', domain: '' }): string {
  return slug !== '' && domain.startsWith(`${slug}.`) ? `{slug}${domain.slice(slug.length)}` : '{slug}.example.org';
}
