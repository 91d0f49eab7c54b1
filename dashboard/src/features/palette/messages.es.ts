import { format } from '../../lib/language.ts';

export const es = {
  title: 'Buscar o ejecutar un comando',
  search: 'Buscar instancias, páginas y acciones',
  placeholder: 'Instancia, página o acción…',
  nothing: 'Sin resultados. Busque un nombre, un nombre corto, un dominio, una página o una acción.',
  more: (count: number) =>
    format(
      '{count, plural, one {Hay # instancia más que coincide} other {Hay # instancias más que coinciden}}. Siga escribiendo para limitar los resultados.',
      { count },
    ),
  keys: { move: 'para moverse', select: 'para elegir', close: 'para cerrar' },
  groups: {
    sections: (name: string) => `Páginas de ${name}`,
    actions: (name: string) => `Acciones para ${name}`,
    pages: 'Páginas',
    tenants: 'Instancias',
  },
  checkHealth: 'Comprobar el estado ahora',
  checked: (name: string, health: string) => `${name}: ${health.toLowerCase()}.`,
  newTenant: 'Nueva instancia',
  newUpgrade: 'Actualizar varias instancias',
};
