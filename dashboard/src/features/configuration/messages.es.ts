import { format } from '../../lib/language.ts';

export const es = {
  section: 'Configuración',
  hint: 'Valores que recibe la aplicación. Los cambios se aplican en el próximo reinicio o despliegue.',
  viewerHint: 'Valores que recibe la aplicación. Un operador puede cambiarlos.',
  groups: {
    names: 'Nombres',
    addresses: 'Direcciones',
    model: 'Modelo de lenguaje',
  },
  groupHints: {
    names: 'Como se muestran a las personas. Los nombres que nunca cambió siguen el nombre de la instancia.',
    addresses: 'Las direcciones públicas de la aplicación. Las que nunca cambió siguen los dominios de la instancia.',
    model: 'El servidor de modelos para las funciones que lo necesitan.',
  },
  fields: {
    app_name: {
      label: 'Nombre de la aplicación',
      hint: 'Se muestra en el encabezado de las páginas y en los correos electrónicos.',
    },
    app_name_short: { label: 'Nombre corto', hint: 'Se usa donde hay poco espacio. Máximo 40 caracteres.' },
    project_name: { label: 'Nombre del proyecto', hint: 'Para los registros propios de la aplicación.' },
    admin_email: {
      label: 'Correo electrónico del administrador',
      hint: 'El primer usuario de la aplicación y su dirección de contacto.',
    },
    frontend_url: { label: 'Sitio', hint: 'Empieza por https:// o http://' },
    backend_api_url: { label: 'API', hint: 'Empieza por https:// o http://' },
    ws_base_url: { label: 'WebSocket', hint: 'Empieza por wss:// o ws://' },
    local_llm_model: { label: 'Modelo de lenguaje', hint: 'Su nombre en el servidor de modelos.' },
    local_embed_model: { label: 'Modelo de embeddings', hint: 'Su nombre en el servidor de modelos.' },
    local_base_url: { label: 'Servidor de modelos', hint: 'Empieza por https:// o http://' },
  },
  history: {
    title: 'Historial',
    hint: 'Los últimos 100 cambios. Se puede restaurar cualquiera.',
    revision: (revision: number) => `Revisión ${revision}`,
    changes: (count: number) =>
      format('{count, plural, =0 {primer estado conocido} one {# cambio} other {# cambios}}', { count }),
    unknown: 'antes de que empezara el historial',
    current: 'Actual',
    revert: 'Restaurar…',
    revertTo: (revision: number) => `Restaurar… la revisión ${revision}`,
    more: 'Mostrar más',
    ask: (revision: number) => `¿Restaurar la revisión ${revision}?`,
    askHint:
      'Todos los campos y variables recuperan los valores que tenían entonces, como una revisión nueva. Los servicios los reciben en su próximo reinicio o despliegue.',
    submit: 'Restaurar',
    done: (revision: number) => `Se restauró la revisión ${revision}.`,
  },
  env: {
    title: 'Variables de entorno',
    hint: 'Variables que lee su aplicación, por ejemplo un servidor de correo. Todos los valores se cifran. Los valores cuyo nombre contiene «key», «token» o «password» se ocultan una vez guardados.',
    empty: 'Todavía no hay variables. Añada una o pegue un archivo .env.',
    name: 'Nombre',
    value: 'Valor',
    nameOf: (position: number) => `Nombre de la variable ${position}`,
    valueOf: (name: string) => `Valor de ${name || 'la variable nueva'}`,
    add: 'Añadir variable',
    paste: 'Pegar un archivo .env',
    remove: (name: string) => `Quitar ${name || 'la variable nueva'}`,
    hidden: 'Oculto',
    blank: 'vacío',
    replace: 'Sustituir',
    replaceOf: (name: string) => `Sustituir el valor de ${name}`,
    keep: 'Conservar el valor anterior',
    keepOf: (name: string) => `Conservar el valor anterior de ${name}`,
    twice: 'Este nombre ya se usa más arriba.',
    noName: 'Escriba un nombre.',
    dropRefused: (count: number) =>
      format('{count, plural, one {Quitar la variable rechazada} other {Quitar las # variables rechazadas}}', {
        count,
      }),
  },
  pasteDialog: {
    title: 'Pegar un archivo .env',
    hint: 'Un NOMBRE=valor por línea. No se guarda nada hasta que revise los cambios.',
    label: 'Contenido del archivo',
    found: (added: number, changed: number, same: number) =>
      format(
        '{added, plural, one {# nueva} other {# nuevas}}, {changed, plural, one {# modificada} other {# modificadas}}, {same, number} sin cambios.',
        { added, changed, same },
      ),
    skipped: (lines: readonly number[]) =>
      format(
        '{count, plural, one {La línea {shown} no se puede leer y se omitirá} other {Las líneas {shown} no se pueden leer y se omitirán}}.',
        { count: lines.length, shown: `${lines.slice(0, 8).join(', ')}${lines.length > 8 ? ' …' : ''}` },
      ),
    replace: 'Quitar las variables que no están en el archivo',
    submit: 'Aplicar',
    nothing: 'Todavía no se encontró ninguna variable.',
  },
  changes: (count: number) =>
    format('{count, plural, one {# cambio sin guardar} other {# cambios sin guardar}}', { count }),
  conflict: {
    title: 'Otra persona cambió esta configuración mientras usted la editaba',
    hint: (names: readonly string[]) =>
      names.length > 0
        ? `Cambió: ${names.join(', ')}. Si conserva sus cambios, revíselos frente a los valores nuevos.`
        : 'Si conserva sus cambios, revíselos frente a los valores nuevos.',
    keep: 'Conservar mis cambios',
  },
  discard: 'Descartar',
  review: 'Revisar y guardar',
  wrong: 'Algunos datos no se pueden guardar. Consulte los errores junto a ellos.',
  noChange: 'No hay cambios que guardar.',
  dialog: {
    title: '¿Guardar estos cambios?',
    hint: 'Los secretos no se muestran.',
    changes: 'Cambios',
    before: 'Antes',
    after: 'Después',
    none: 'ninguno',
    hidden: 'oculto',
    changedHidden: 'valor nuevo, oculto',
    sameStart: 'Los valores se diferencian después de esta parte.',
    restart: 'Reiniciar los servicios ahora',
    restartHint:
      'Los visitantes pueden tener que esperar unos segundos. Si no, los cambios se aplican en el próximo reinicio o despliegue.',
    submit: 'Guardar',
    submitAndRestart: 'Guardar y reiniciar',
  },
  saved: 'Configuración guardada.',
  pending: {
    title: 'Hay que reiniciar para aplicar los cambios guardados',
    hint: 'Los servicios todavía usan la configuración anterior.',
    viewerHint: 'Los servicios todavía usan la configuración anterior. Un operador puede reiniciarlos.',
    restart: 'Reiniciar ahora',
    restarting: 'Reiniciando…',
  },
  file: {
    title: 'Archivo de entorno',
    hint: 'La configuración también se escribe en un archivo del directorio de la instancia en cada despliegue, y en cada reinicio después de un cambio. Vuelva a generarlo si alguien lo cambió o lo eliminó. Los servicios no se modifican y el archivo anterior se conserva.',
    submit: 'Volver a generar el archivo',
    path: 'Archivo',
    backup: 'Archivo anterior',
    noBackup: 'ninguno',
    written: {
      'Environment file written{1}': 'Archivo de entorno escrito{1}',
      ', without {1}: the format cannot represent the value': ', sin {1}: el formato no puede representar el valor',
    },
  },
};
