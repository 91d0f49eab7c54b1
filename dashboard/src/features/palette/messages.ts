import { number } from '../../lib/counted.ts';

/** The command palette. */
export const paletteText = {
  title: 'Search or run a command',
  search: 'Go to a tenant or a page, or do something',
  placeholder: 'Tenant, page or action …',
  nothing: 'Nothing fits. Look for a name, a short name, a domain, a page or an action.',
  more: (count: number) => `${number(count)} more tenants fit: type on.`,
  keys: { move: 'to choose', take: 'to take', leave: 'to leave' },
  groups: {
    sections: (name: string) => `Go to, in ${name}`,
    deeds: (name: string) => `Do with ${name}`,
    pages: 'Pages',
    tenants: 'Tenants',
  },
  checkHealth: 'Check health now',
  checked: (name: string, health: string) => `${name}: ${health.toLowerCase()}.`,
  newTenant: 'New tenant',
  newUpgrade: 'Upgrade many tenants',
};
