import { number } from '../../lib/figures.ts';
import { translated } from '../../lib/language.ts';
import { es } from './messages.es.ts';

const en = {
  title: 'Search or run',
  search: 'Find tenants, pages and actions',
  placeholder: 'Tenant, page or action…',
  nothing: 'No results. Search for a name, short name, domain, page or action.',
  more: (count: number) => `${number(count)} more tenants match. Keep typing to narrow the results.`,
  keys: { move: 'to navigate', select: 'to select', close: 'to close' },
  groups: {
    sections: (name: string) => `Pages of ${name}`,
    actions: (name: string) => `Actions for ${name}`,
    pages: 'Pages',
    tenants: 'Tenants',
  },
  checkHealth: 'Check health now',
  checked: (name: string, health: string) => `${name}: ${health.toLowerCase()}.`,
  newTenant: 'New tenant',
  newUpgrade: 'Upgrade many tenants',
};

/** The command palette. */
export const paletteText = translated({ en, es });
