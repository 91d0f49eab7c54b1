import type { Tenant } from '../../api/client.ts';
import { compareTexts } from '../../lib/figures.ts';
import { fold } from '../../lib/fold.ts';

export const statuses = ['running', 'stopped', 'error', 'pending'] as const satisfies readonly Tenant['status'][];
const healths = ['healthy', 'degraded', 'unhealthy', 'unknown'] as const satisfies readonly Tenant['health_status'][];
const sortKeys = [
  ...([
    'trouble',
    'name',
    'status',
    'health',
    'version',
    'update',
    'response',
    'backup',
    'tags',
    'domain',
    'deployed',
  ] as const),
];
const backups = ['late', 'never'] as const;
const responses = ['slow', 'none'] as const;
const updates = ['available', 'none'] as const;
const deployments = ['recent', 'old', 'never'] as const;
/** As the tag of a view: tenants without tags. No tag contains a comma. */
export const noTag = ',';
export type SortKey = (typeof sortKeys)[number];

/** The view of the list, kept in the URL. */
export interface View {
  search: string;
  status: Tenant['status'] | undefined;
  health: Tenant['health_status'] | undefined;
  tag: string | undefined;
  version: string | undefined;
  update: (typeof updates)[number] | undefined;
  backup: (typeof backups)[number] | undefined;
  response: (typeof responses)[number] | undefined;
  deployed: (typeof deployments)[number] | undefined;
  sort: SortKey;
  descending: boolean;
}

export function viewOf(query: URLSearchParams): View {
  const sort = query.get('sort') ?? '';
  return {
    search: query.get('q') ?? '',
    status: statuses.find((status) => status === query.get('status')),
    health: healths.find((health) => health === query.get('health')),
    tag: query.get('tag') || undefined,
    version: query.get('version') || undefined,
    update: updates.find((choice) => choice === query.get('update')),
    backup: backups.find((choice) => choice === query.get('backup')),
    response: responses.find((choice) => choice === query.get('response')),
    deployed: deployments.find((choice) => choice === query.get('deployed')),
    sort: sortKeys.find((key) => key === sort.replace(/^-/, '')) ?? 'trouble',
    descending: sort.startsWith('-'),
  };
}

const dayMs = 24 * 3_600_000;
const lateAfterMs = dayMs;
const recentMs = 7 * dayMs;
const oldAfterMs = 30 * dayMs;
const slowAfterMs = 1_000;

const hasBackup = ({ last_backup_at: at }: Tenant, wanted: View['backup']): boolean =>
  wanted === undefined || (wanted === 'never' ? at === null : at === null || Date.now() - Date.parse(at) > lateAfterMs);

const hasResponse = ({ response_ms: ms }: Tenant, wanted: View['response']): boolean =>
  wanted === undefined || (wanted === 'none' ? ms === null : ms !== null && ms > slowAfterMs);

function wasDeployed({ deployed_at: at }: Tenant, wanted: View['deployed']): boolean {
  if (wanted === undefined || at === null) return wanted === undefined || wanted === 'never';
  const age = Date.now() - Date.parse(at);
  return wanted === 'recent' ? age <= recentMs : wanted === 'old' && age > oldAfterMs;
}

const hasTag = ({ tags }: Tenant, wanted: View['tag']): boolean =>
  wanted === undefined || (wanted === noTag ? tags.length === 0 : tags.some((tag) => fold(tag) === fold(wanted)));

/** The versions that tenants run, the highest first. */
export const versionsOf = (tenants: readonly Tenant[]): string[] =>
  [...new Set(tenants.flatMap(({ version }) => version ?? []))].sort((a, b) => compareTexts(b, a));

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

/** The tenants that match search and filters. */
export const matching = (tenants: readonly Tenant[], view: View): Tenant[] =>
  tenants.filter(
    (tenant) =>
      hasStates(tenant, view) &&
      hasTag(tenant, view.tag) &&
      (view.version === undefined || tenant.version === view.version) &&
      (view.update === undefined || (view.update === 'available') === (tenant.update_available !== null)) &&
      hasBackup(tenant, view.backup) &&
      hasResponse(tenant, view.response) &&
      wasDeployed(tenant, view.deployed) &&
      matches(tenant, view.search),
  );
