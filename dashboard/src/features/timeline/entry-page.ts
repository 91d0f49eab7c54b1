import type { IconName } from '../../components/layout/icon.tsx';
import type { Entry, Kind } from './queries.ts';

/** The icon of each kind, the same as of its page. */
export const kindIcons: Readonly<Record<Kind, IconName>> = {
  health: 'overview',
  incident: 'incident',
  deployment: 'deploy',
  upgrade: 'upgrade',
  service: 'restart',
  configuration: 'configuration',
  theme: 'theme',
  proxy: 'proxy',
  certificate: 'password',
  node: 'system',
  engine: 'system',
  disk: 'system',
  import: 'list',
  backup: 'backup',
  tenant: 'tenants',
  settings: 'settings',
  user: 'users',
  sign_in: 'user',
};

/** The page of what an entry is about; undefined: there is none, or the tenant was deleted. */
export function pageOf({ kind, link, tenant, user }: Entry): string | undefined {
  if (link?.type === 'incident') return `/incidents/${link.id}`;
  if (link?.type === 'fleet_upgrade') return `/upgrades/${link.id}`;
  if (kind === 'node') return '/system/nodes';
  if (kind === 'settings') return tenant ? '/system/maintenance' : '/system/settings';
  if (kind === 'user' || kind === 'sign_in') return `/journal?user=${encodeURIComponent(user ?? '')}`;
  if (!tenant) return kind === 'proxy' ? '/system/proxy' : undefined;
  if (tenant.deleted) return undefined;
  const page = `/tenants/${tenant.id}`;
  if (link?.type === 'deployment') return `${page}/deployments/${link.id}`;
  if (link?.type === 'import') return `${page}/lists/${link.id}`;
  if (link?.type === 'backup') return `${page}/backups/${link.id}`;
  switch (kind) {
    case 'backup':
      return `${page}/backups`;
    case 'configuration':
      return `${page}/configuration`;
    case 'theme':
      return `${page}/theme`;
    case 'proxy':
    case 'certificate':
      return `/system/proxy/${tenant.id}`;
    default:
      return page;
  }
}
