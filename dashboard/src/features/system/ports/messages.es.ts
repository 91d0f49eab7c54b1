import { number } from '../../../lib/figures.ts';
import { format } from '../../../lib/language.ts';

export const es = {
  title: 'Puertos de las instancias',
  hint: 'Cada instancia tiene dos puertos en este servidor, uno para su sitio y otro para su API.',
  pool: 'Intervalo',
  range: (start: number, end: number) => `de ${start} a ${end}`,
  poolHint: 'Definido por PORT_POOL_START y PORT_POOL_END.',
  used: 'En uso',
  pairs: (count: number) => format('{count, plural, one {# par} other {# pares}}', { count }),
  free: 'Libres',
  next: 'Una instancia nueva recibe',
  nextPair: (frontend: number, backend: number) => `${frontend} y ${backend}`,
  exhausted: 'No hay ningún par libre. Amplíe el intervalo (PORT_POOL_START, PORT_POOL_END) y reinicie el gestor.',
  emptyTitle: 'Ningún puerto en uso',
  emptyHint: 'La primera instancia recibe el primer par del intervalo.',
  toTenants: 'Instancias',
  search: 'Buscar puertos',
  searchHint: 'Instancia o puerto',
  table: 'Puertos en uso',
  columns: { tenant: 'Instancia', site: 'Sitio', api: 'API', place: 'Origen', since: 'Asignado' },
  inPool: 'del intervalo',
  outside: 'fuera del intervalo',
  nothing: 'Ningún puerto coincide.',
  shown: (shown: number, all: number) =>
    shown === all ? `${number(all)} en uso` : `${number(shown)} de ${number(all)}`,
};
