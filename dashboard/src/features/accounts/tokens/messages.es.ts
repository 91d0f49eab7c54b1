import { format } from '../../../lib/language.ts';

export const es = {
  title: 'Tokens de la API',
  hint: 'Para scripts y otros programas. Un token funciona sin su contraseña y tiene el rol que usted le asigne.',
  create: 'Nuevo token',
  emptyTitle: 'Todavía no hay tokens',
  emptyHint:
    'Con un token, un script puede usar la API en su nombre; por ejemplo, una tarea nocturna que sube una lista. Asigne a cada script su propio token, para poder revocarlos por separado.',
  columns: {
    name: 'Nombre',
    role: 'Rol',
    created: 'Creado',
    used: 'Último uso',
    expires: 'Caduca',
    actions: 'Acciones',
  },
  expired: 'Caducado',
  revoke: 'Revocar…',
  revokeOf: (name: string) => `Revocar ${name}`,
  form: {
    title: 'Nuevo token',
    name: 'Nombre',
    nameHint: 'Para qué sirve el token, de modo que pueda reconocerlo más adelante.',
    lifetime: 'Caduca después de',
    days: (count: number) => format('{count, plural, one {# día} other {# días}}', { count }),
    longest: (count: number) => format('{count, plural, one {# día} other {# días}} (máximo)', { count }),
    other: 'Otra fecha…',
    day: 'Último día',
    dayMissing: 'Elija un día',
    dayPast: 'Elija un día futuro',
    dayLate: (count: number) =>
      format('Elija un día dentro {count, plural, one {del próximo día} other {de los próximos # días}}', { count }),
    role: 'Rol',
    roleHint:
      'Elija el rol más bajo que sea suficiente. El token conserva este rol aunque usted reciba después uno superior.',
    submit: 'Crear token',
  },
  made: {
    title: (name: string) => `Token ${name} creado`,
    hint: 'Copie este token ahora. No podrá volver a verlo.',
    token: 'Token',
    example: 'Pruébelo',
    done: 'Ya lo guardé',
  },
  remove: {
    title: (name: string) => `¿Revocar ${name}?`,
    hint: 'Los programas que usan este token pierden el acceso de inmediato. Esto no se puede deshacer, pero puede crear un token nuevo.',
    submit: 'Revocar token',
    done: (name: string) => `Se revocó ${name}.`,
  },
};
