import type { Tenant } from '../../api/client.ts';
import { fold } from '../../lib/fold.ts';

export const statuses = ['running', 'stopped', 'error', 'pending'] as const satisfies readonly Tenant['status'][];
const healths = ['healthy', 'degraded', 'unhealthy', 'unknown'] as const satisfies readonly Tenant['health_status'][];
const sortKeys = ['name', 'status', 'health', 'domain', 'deployed'] as const;
export type SortKey = (typeof sortKeys)[number];

/** The view of the list, kept in the URL. */
export interface View {
  search: string;
  status: Tenant['status'] | undefined;
  health: Tenant['health_status'] | undefined;
  sort: SortKey;
  descending: boolean;
}

export function viewOf(query: URLSearchParams): View {
  const sort = query.get('sort') ?? '';
  return {
    search: query.get('q') ?? '',
    status: statuses.find((status) => status === query.get('status')),
    health: healths.find((health) => health === query.get('health')),
    sort: sortKeys.find((key) => key === sort.replace(/^-/, '')) ?? 'name',
    descending: sort.startsWith('-'),
  };
}

const collator = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });
const rank = { unhealthy: 0, degraded: 1, unknown: 2, healthy: 3 } as const;
const statusRank = { error: 0, stopped: 1, pending: 2, running: 3 } as const;

const compare: Record<SortKey, (a: Tenant, b: Tenant) => number> = {
  name: () => 0,
  status: (a, b) => statusRank[a.status] - statusRank[b.status],
  health: (a, b) => rank[healthOf(a)] - rank[healthOf(b)],
  domain: (a, b) => collator.compare(a.domain, b.domain),
  deployed: (a, b) => (a.deployed_at ?? '').localeCompare(b.deployed_at ?? ''),
};

export const matches = (tenant: Tenant, search: string): boolean => {
  const words = fold(search);
  return [tenant.name, tenant.slug, tenant.domain, tenant.api_domain].some((field) => fold(field).includes(words));
};

/** Whether a tenant matches the status and health filters. */
export const hasStates = (tenant: Tenant, { status, health }: Pick<View, 'status' | 'health'>): boolean =>
  (!status || tenant.status === status) && (!health || healthOf(tenant) === health);

/** A stopped tenant has no health: nothing is checked. */
export const healthOf = ({
  status,
  health_status,
}: Pick<Tenant, 'status' | 'health_status'>): Tenant['health_status'] =>
  status === 'stopped' || status === 'pending' ? 'unknown' : health_status;

/** Whether a tenant is down for its visitors although it should run. */
export const isAlarm = (tenant: Pick<Tenant, 'status' | 'health_status'>): boolean =>
  tenant.status === 'error' || healthOf(tenant) === 'unhealthy';

export function arrange(tenants: readonly Tenant[], view: View): Tenant[] {
  const sign = view.descending ? -1 : 1;
  return tenants
    .filter((tenant) => hasStates(tenant, view) && matches(tenant, view.search))
    .sort((a, b) => sign * (compare[view.sort](a, b) || collator.compare(a.name, b.name)));
}
