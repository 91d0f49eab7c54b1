import { format } from '../../../lib/language.ts';

export const es = {
  view: 'Qué registros',
  views: { live: 'Registros en directo', kept: 'Registros conservados' },
  search: 'Buscar en los registros conservados',
  ages: {
    '': 'Cualquier momento',
    60: 'Última hora',
    1440: 'Últimas 24 horas',
    10080: 'Últimos 7 días',
    43200: 'Últimos 30 días',
    between: 'Período personalizado…',
  },
  from: 'Desde',
  to: 'Hasta',
  generation: 'Generación',
  allGenerations: 'Todas las generaciones',
  generationName: (service: string, commit: string, from: string, to: string | undefined) =>
    to === undefined ? `${service} ${commit}, desde ${from}` : `${service} ${commit}, de ${from} a ${to}`,
  list: 'Líneas encontradas',
  found: (count: number, more: boolean) =>
    `${format('{count, plural, one {# línea} other {# líneas}}', { count })}${more ? ' hasta ahora' : ''}`,
  searching: 'Buscando…',
  more: 'Mostrar líneas anteriores',
  searchedTo: (time: string) => `Se ha buscado hasta ${time}.`,
  nothingTitle: 'Ninguna línea coincide',
  nothingHint: 'Ninguna línea conservada coincide. Pruebe con otro texto, o busque en todos los niveles y momentos.',
  emptyTitle: 'Todavía no se conserva ninguna línea',
  emptyHint: 'Las líneas se conservan como máximo un minuto después de haberse escrito.',
  around: 'Líneas alrededor',
  aroundTitle: 'Líneas alrededor de la línea enlazada',
  back: 'Volver a la búsqueda',
  gone: 'La línea enlazada ya no se conserva.',
  ended: {
    running: 'En marcha.',
    stopped: 'Detenido.',
    failed: 'Ha fallado.',
    replaced: 'Sustituido por otro posterior.',
  },
  endedBecause: (end: string, reason: string) => `${end} Último fallo: ${reason}`,
};
