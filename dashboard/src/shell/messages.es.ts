import { format } from '../lib/language.ts';

export const es = {
  skipToContent: 'Ir al contenido',
  navigation: 'Principal',
  unhealthyTenants: (count: number) =>
    format('{count, plural, one {# instancia} other {# instancias}} con fallos', { count }),
  apiDocs: 'API',
  signOut: 'Cerrar sesión',
  passwordChanged: 'Contraseña cambiada:',
  timesIn: (zone: string) => `Horas: ${zone}`,
  appearance: 'Apariencia',
  density: 'Filas',
  densities: { comfortable: 'Amplias', compact: 'Compactas' },
  sidebar: 'Mostrar u ocultar la barra lateral',
  themes: { system: 'Del sistema', light: 'Claro', dark: 'Oscuro' },
  live: { online: 'En directo', connecting: 'Conectando…', offline: 'Se perdió la conexión. Reconectando…' },
  help: 'Ayuda de esta página',
  shortcuts: {
    title: 'Atajos de teclado',
    palette: 'Buscar instancias, páginas y acciones',
    search: 'Buscar en esta página',
    home: 'Ir a Inicio',
    tenants: 'Ir a Instancias',
    move: 'Ir al control siguiente o anterior',
    choose: 'Moverse por menús, pestañas y listas de opciones',
    close: 'Cerrar un diálogo, panel o menú',
    list: 'Mostrar esta lista',
  },
  notFound: {
    title: 'Página no encontrada',
    hint: 'Es posible que la dirección esté desactualizada o que la instancia se haya eliminado.',
    back: 'Todas las instancias',
  },
  errorBoundary: {
    title: 'No se puede mostrar esta página',
    hint: 'La página no se pudo cargar o se produjo un error en ella. Si se perdió la conexión, la página se vuelve a cargar automáticamente.',
    again: 'Volver a cargar',
  },
  account: (username: string) => `Cuenta: ${username}`,
};
