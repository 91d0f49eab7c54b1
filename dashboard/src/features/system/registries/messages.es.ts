import { format } from '../../../lib/language.ts';

export const es = {
  section: 'Registros de imágenes',
  hint: 'Credenciales para imágenes base privadas. Sirven a las instancias y los repositorios que usted elija, y a MARIADB_IMAGE.',
  add: 'Añadir registro',
  emptyTitle: 'Sin credenciales',
  emptyHint:
    'Las imágenes públicas no las necesitan. Las de REGISTRY_AUTH_FILE sirven a todas las instancias y no se muestran aquí.',
  columns: { host: 'Registro', use: 'Lo usan', changed: 'Modificado', actions: 'Acciones' },
  unused: 'ninguno todavía',
  tenants: (count: number) => format('{count, plural, one {# instancia} other {# instancias}}', { count }),
  repositories: (count: number) => format('{count, plural, one {# repositorio} other {# repositorios}}', { count }),
  test: 'Probar',
  testOf: (host: string) => `Probar las credenciales de ${host}`,
  accepted: (host: string) => `${host} acepta las credenciales`,
  refused: (host: string) => `${host} rechaza las credenciales`,
  actionsOf: (host: string) => `Acciones de ${host}`,
  edit: 'Editar',
  delete: 'Eliminar',
  deleting: {
    title: (host: string) => `¿Eliminar las credenciales de ${host}?`,
    hint: 'Fallarán las compilaciones que necesiten imágenes privadas de este registro.',
    submit: 'Eliminar',
    done: (host: string) => `Credenciales de ${host} eliminadas`,
  },
  form: {
    add: 'Añadir registro',
    edit: 'Editar registro',
    host: 'Registro',
    hostHint: 'Su nombre de host, con el puerto si lo tiene: docker.io, ghcr.io, registry.example.org:5000',
    username: 'Nombre de usuario',
    password: 'Contraseña o token',
    kept: 'Déjelo vacío para conservar la guardada.',
    tenants: 'Instancias',
    tenantsHint: 'Sus compilaciones pueden usar las credenciales.',
    noTenants: 'Ninguna',
    repositories: 'Repositorios',
    repositoriesHint:
      'Direcciones de git, una por línea. Las compilaciones de cualquier instancia desde ellos pueden usar las credenciales.',
    submit: 'Guardar',
    saved: 'Registro guardado',
  },
};
