import { number } from '../../../lib/figures.ts';
import { format, translated } from '../../../lib/language.ts';
import { es } from './messages.es.ts';

const en = {
  title: 'Tenant ports',
  hint: 'Each tenant has two ports on this host, one for its site and one for its API.',
  pool: 'Pool',
  range: (start: number, end: number) => `${start} to ${end}`,
  poolHint: 'Set by PORT_POOL_START and PORT_POOL_END.',
  used: 'In use',
  pairs: (count: number) => format('{count, plural, one {# pair} other {# pairs}}', { count }),
  free: 'Free',
  next: 'A new tenant gets',
  nextPair: (frontend: number, backend: number) => `${frontend} and ${backend}`,
  exhausted: 'No pair is free. Enlarge the pool (PORT_POOL_START, PORT_POOL_END) and restart the manager.',
  emptyTitle: 'No ports in use',
  emptyHint: 'The first tenant gets the first pair of the pool.',
  toTenants: 'Tenants',
  search: 'Search ports',
  searchHint: 'Tenant or port',
  table: 'Ports in use',
  columns: { tenant: 'Tenant', site: 'Site', api: 'API', place: 'Source', since: 'Assigned' },
  inPool: 'pool',
  outside: 'outside the pool',
  nothing: 'No matching ports.',
  shown: (shown: number, all: number) =>
    shown === all ? `${number(all)} in use` : `${number(shown)} of ${number(all)}`,
};

export const portsText = translated({ en, es });
