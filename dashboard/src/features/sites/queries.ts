import { queryOptions } from '@tanstack/react-query';
import { api, dataOf } from '../../api/client.ts';
import type { components } from '../../api/schema.ts';

export type ProxyState = components['schemas']['ProxyState'];
export type TenantProxy = components['schemas']['TenantProxy'];
type ProxyConfig = components['schemas']['ProxyConfig'];

/** A file at the proxy: a tenant's two host names. */
export type Site = ProxyConfig & { apiDomain: string; soonest: ProxyConfig['certificate'] };

export const proxyQuery = queryOptions({
  queryKey: ['proxy'],
  queryFn: () => dataOf(api.GET('/api/proxy')),
  refetchInterval: 30_000,
});

const pageSize = 500;

/** Every site: a tenant's two entries in one. */
export const sitesQuery = queryOptions({
  queryKey: ['proxy', 'sites'],
  async queryFn() {
    const entries: ProxyConfig[] = [];
    for (;;) {
      const query = { limit: pageSize, offset: entries.length };
      const page = await dataOf(api.GET('/api/proxy/configs', { params: { query } }));
      entries.push(...page.configs);
      if (page.configs.length < pageSize || entries.length >= page.total) return sitesOf(entries);
    }
  },
});

function sitesOf(entries: readonly ProxyConfig[]): Site[] {
  const apis = new Map(entries.filter(({ type }) => type === 'api').map((entry) => [entry.path, entry]));
  return entries
    .filter(({ type }) => type === 'frontend')
    .map((entry) => {
      const ofApi = apis.get(entry.path);
      return {
        ...entry,
        apiDomain: ofApi?.domain ?? '',
        soonest: sooner(entry.certificate, ofApi?.certificate ?? null),
      };
    });
}

function sooner(a: ProxyConfig['certificate'], b: ProxyConfig['certificate']): ProxyConfig['certificate'] {
  if (!a || !b) return a ?? b;
  return a.days_left <= b.days_left ? a : b;
}

export const siteQuery = (tenantId: string) =>
  queryOptions({
    queryKey: ['proxy', 'sites', tenantId],
    queryFn: () => dataOf(api.GET('/api/tenants/{id}/proxy', { params: { path: { id: tenantId } } })),
  });

/** Whether a user must act: the manager does not repair it automatically. */
export const hasProblem = ({ state, soonest, certificate_error }: Site): boolean =>
  (state !== 'in_sync' && state !== 'outdated') ||
  certificate_error !== null ||
  (soonest?.days_left ?? soonDays) < soonDays;

/** A certificate with fewer days should have been renewed long since. */
export const soonDays = 7;
