import { format } from '../../../lib/language.ts';

export const es = {
  section: 'Reglas de notificación',
  hint: 'Las reglas eligen qué canales y usuarios reciben cada aviso. Cada usuario puede elegir más en sus preferencias.',
  add: 'Agregar una regla',
  emptyTitle: 'Todavía no hay reglas',
  emptyHint:
    'Sin reglas, los administradores ven los errores en su bandeja y no se envía nada. Agregue una regla para enviar alertas a un canal o a un usuario.',
  sentence: (events: string, severity: string, scope: string, targets: string) =>
    `Cuando se informe de ${events || 'cualquier evento'} con gravedad ${severity} o superior${scope && ` en ${scope}`}, avisar a ${targets}.`,
  deleted: '(ya no existe)',
  disabled: (name: string) => `${name} (desactivado)`,
  off: 'Desactivada',
  quiet: (from: string, to: string, zone: string, except: string) =>
    `En silencio de ${from} a ${to} (${zone}), excepto a partir de ${except}`,
  digest: (minutes: number) =>
    minutes === 0
      ? 'Las alertas menores se envían de inmediato'
      : format('Las alertas menores se reúnen durante {minutes, plural, one {# minuto} other {# minutos}}', {
          minutes,
        }),
  edit: 'Editar…',
  editOf: (sentence: string) => `Editar: ${sentence}`,
  delete: 'Eliminar…',
  deleteOf: (sentence: string) => `Eliminar: ${sentence}`,
  deleting: {
    title: '¿Eliminar esta regla?',
    hint: (sentence: string) => `${sentence} Lo que ya ha reunido se envía igualmente.`,
    submit: 'Eliminar regla',
    done: 'Regla eliminada.',
  },
  form: {
    add: 'Agregar una regla',
    edit: 'Editar la regla',
    events: 'Cuando ocurra',
    anyEvent: 'cualquier evento',
    severity: 'con gravedad mínima',
    tags: 'en instancias con una etiqueta',
    tenants: 'en las instancias',
    anyTenant: 'todas',
    channels: 'avisar por los canales',
    users: 'avisar a los usuarios',
    usersHint: 'En su bandeja, si su rol puede verlo; también por correo si así lo eligieron.',
    noOne: 'ninguno',
    chooseOne: 'Elija un canal o un usuario.',
    digest: 'Alertas de gravedad inferior a error',
    digests: {
      '': 'Según los ajustes',
      '0': 'Enviar de inmediato',
      '15': 'Reunir durante 15 minutos',
      '60': 'Reunir durante una hora',
      '240': 'Reunir durante 4 horas',
      '1440': 'Reunir durante un día',
    },
    digestOf: (minutes: number) => `Reunir durante ${minutes} minutos`,
    enabled: 'La regla está activada',
    save: 'Guardar',
    saved: 'Regla guardada.',
  },
  quietHours: {
    use: 'Horas de silencio',
    ofRule: 'Los canales esperan y después envían un solo mensaje con lo que siga siendo relevante.',
    ofUser: 'El correo espera; la bandeja, no.',
    from: 'Desde',
    to: 'Hasta',
    zone: 'Zona horaria',
    except: 'Sin silencio a partir de esta gravedad',
  },
  own: {
    title: 'Notificaciones',
    hint: 'Lo que usted quiere recibir, además de lo que las reglas eligen para usted.',
    severity: 'Avisarme a partir de',
    nothing: 'Nada',
    events: 'Sobre',
    anyEvent: 'todo lo que mi rol puede ver',
    tags: 'En instancias con una etiqueta',
    tenants: 'En estas instancias',
    tenantsHint:
      'Sin elección: avisos de todas las instancias y del servidor. Con instancias y etiquetas, deben cumplirse ambas.',
    anyTenant: 'todas las instancias',
    email: 'Por correo',
    emails: {
      none: 'Nada',
      account: 'Solo inicios de sesión y cambios de mi cuenta',
      all: 'Todo lo que recibo',
    },
    emailTo: (address: string) => `A ${address}, si un administrador ha configurado un canal de correo.`,
    noAddress: 'Su cuenta no tiene una dirección que pueda recibir correo.',
    save: 'Guardar',
    saved: 'Guardado.',
  },
};
