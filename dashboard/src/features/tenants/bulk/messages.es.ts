import { format } from '../../../lib/language.ts';

interface Counts {
  success: number;
  failed: number;
  skipped: number;
  pending: number;
  running: number;
}

const tenants = (count: number): string => format('{count, plural, one {# instancia} other {# instancias}}', { count });

const ended =
  (one: string, many: string) =>
  ({ success, failed, skipped, pending, running }: Counts): string => {
    const total = success + failed + skipped + pending + running;
    return success === total
      ? format(`{total, plural, one {# instancia ${one}} other {# instancias ${many}}}`, { total })
      : format(`{success, number} de {total, plural, one {# instancia ${one}} other {# instancias ${many}}}`, {
          success,
          total,
        });
  };

export const es = {
  selectAll: 'Seleccionar todas las mostradas',
  selectOne: (name: string) => `Seleccionar ${name}`,
  selected: (count: number) => format('{count, plural, one {# seleccionada} other {# seleccionadas}}', { count }),
  hidden: (count: number) =>
    format('{count, plural, one {# de ellas no se muestra aquí} other {# de ellas no se muestran aquí}}', { count }),
  actions: 'Acciones en lote',
  clear: 'Quitar la selección',
  start: 'Iniciar…',
  stop: 'Detener…',
  restart: 'Reiniciar…',
  upgrade: 'Actualizar…',
  more: 'Más acciones',
  work: {
    deploy: {
      entry: 'Desplegar…',
      title: (count: number) => `¿Desplegar ${tenants(count)}?`,
      hint: 'Sin versión ni rama, se vuelve a desplegar la versión de cada una, o la última publicada. Puede cerrar esta página.',
      submit: (count: number) => `Desplegar ${tenants(count)}`,
    },
    rollback: {
      entry: 'Revertir…',
      title: (count: number) => `¿Revertir ${tenants(count)}?`,
      hint: 'Sin versión, cada una vuelve a la última anterior que tuvo. Antes se crea una copia de seguridad; los datos quedan como están. Puede cerrar esta página.',
      submit: (count: number) => `Revertir ${tenants(count)}`,
    },
    backup: {
      entry: 'Crear copia…',
      title: (count: number) => `¿Crear una copia de seguridad de ${tenants(count)}?`,
      hint: 'Las instancias siguen en marcha. Las que no están desplegadas se omiten. Puede cerrar esta página.',
      submit: (count: number) => `Crear copia de ${tenants(count)}`,
    },
    check: {
      entry: 'Comprobar ahora…',
      title: (count: number) => `¿Comprobar el estado de ${tenants(count)}?`,
      hint: 'Las que no están desplegadas se omiten. Puede cerrar esta página.',
      submit: (count: number) => `Comprobar ${tenants(count)}`,
    },
    tag: {
      entry: 'Etiquetar…',
      title: (count: number) => `Etiquetar ${tenants(count)}`,
      hint: 'Las demás etiquetas de las instancias no cambian.',
      submit: (count: number) => `Etiquetar ${tenants(count)}`,
    },
    configure: {
      entry: 'Establecer un valor…',
      title: (count: number) => `Establecer un valor en ${tenants(count)}`,
      hint: 'Los servicios reciben el valor en su próximo inicio, reinicio o despliegue. Los secretos se establecen en cada instancia por separado.',
      submit: (count: number) => `Establecer en ${tenants(count)}`,
    },
  },
  fields: {
    version: { label: 'Versión', hint: 'Una etiqueta de versión, por ejemplo v1.2.0' },
    ref: { label: 'Rama o commit', hint: 'En lugar de una versión' },
    add: { label: 'Etiquetas que añadir', hint: 'Separadas por comas' },
    remove: { label: 'Etiquetas que quitar', hint: 'Separadas por comas' },
    entry: { label: 'Nombre de la variable', hint: 'Por ejemplo FEATURE_EVENTS' },
    value: { label: 'Valor', hint: 'Un valor vacío elimina la variable' },
  },
  deploying: {
    newest: (version: string) => `La más reciente es ${version}`,
    change: (from: string, to: string) => `${from} → ${to}`,
    again: (version: string) => `${version} otra vez`,
    latest: 'la última versión publicada o, si no hay ninguna, la rama predeterminada',
    otherCommit: 'un commit sin versión',
    sameOrNewest: 'el mismo o, si sigue la rama predeterminada, el más reciente',
  },
  field: 'Qué establecer',
  configFields: {
    custom_env: 'Variable de entorno',
    app_name: 'Nombre de la aplicación',
    app_name_short: 'Nombre corto',
    project_name: 'Nombre del proyecto',
    admin_email: 'Correo electrónico del administrador',
    frontend_url: 'Dirección del sitio',
    backend_api_url: 'Dirección de la API',
    ws_base_url: 'Dirección de WebSocket',
    local_embed_model: 'Modelo de embeddings',
    local_llm_model: 'Modelo de lenguaje',
    local_base_url: 'Servidor de modelos',
  },
  confirm: {
    start: {
      title: (count: number) => `¿Iniciar ${tenants(count)}?`,
      hint: 'El gestor las inicia de cuatro en cuatro y comprueba que cada una siga en marcha. Puede cerrar esta página.',
      submit: (count: number) => `Iniciar ${tenants(count)}`,
    },
    stop: {
      title: (count: number) => `¿Detener ${tenants(count)}?`,
      hint: 'Los visitantes ven una página de error hasta que se vuelvan a iniciar las instancias. No se modifica ningún dato.',
      submit: (count: number) => `Detener ${tenants(count)}`,
    },
    restart: {
      title: (count: number) => `¿Reiniciar ${tenants(count)}?`,
      hint: 'El gestor las reinicia de cuatro en cuatro. Los visitantes de cada una ven una página de error durante unos segundos. Puede cerrar esta página.',
      submit: (count: number) => `Reiniciar ${tenants(count)}`,
    },
  },
  which: 'Instancias',
  leftOut: (count: number) =>
    format(
      '{count, plural, one {# instancia seleccionada queda fuera} other {# instancias seleccionadas quedan fuera}}',
      { count },
    ),
  whyLeftOut: {
    notDeployed: 'sin desplegar',
    runs: 'ya está en marcha',
    stopped: 'no está en marcha',
  },
  none: {
    start: 'Ninguna de ellas se puede iniciar',
    stop: 'Ninguna de ellas se puede detener',
    restart: 'Ninguna de ellas se puede reiniciar',
  },
  noneHint: 'Abajo aparecen las instancias seleccionadas con el motivo.',
  doing: {
    start: (count: number) => `Iniciando ${tenants(count)}`,
    stop: (count: number) => `Deteniendo ${tenants(count)}`,
    restart: (count: number) => `Reiniciando ${tenants(count)}`,
    deploy: (count: number) => `Desplegando ${tenants(count)}`,
    upgrade: (count: number) => `Actualizando ${tenants(count)}`,
    rollback: (count: number) => `Revirtiendo ${tenants(count)}`,
    backup: (count: number) => `Creando copias de ${tenants(count)}`,
    check: (count: number) => `Comprobando ${tenants(count)}`,
    tag: (count: number) => `Etiquetando ${tenants(count)}`,
    configure: (count: number) => `Configurando ${tenants(count)}`,
  },
  ended: {
    start: ended('iniciada', 'iniciadas'),
    stop: ended('detenida', 'detenidas'),
    restart: ended('reiniciada', 'reiniciadas'),
    deploy: ended('desplegada', 'desplegadas'),
    upgrade: ended('actualizada', 'actualizadas'),
    rollback: ended('revertida', 'revertidas'),
    backup: ended('con copia nueva', 'con copia nueva'),
    check: ended('comprobada', 'comprobadas'),
    tag: ended('etiquetada', 'etiquetadas'),
    configure: ended('configurada', 'configuradas'),
  },
  by: (user: string) => `Por ${user},`,
  progress: 'Progreso',
  counts: {
    success: (count: number) => format('{count, plural, one {# hecha} other {# hechas}}', { count }),
    failed: (count: number) => format('{count, number} con error', { count }),
    running: (count: number) => format('{count, number} en curso', { count }),
    pending: (count: number) => format('{count, plural, one {# pendiente} other {# pendientes}}', { count }),
    skipped: (count: number) => format('{count, plural, one {# omitida} other {# omitidas}}', { count }),
  },
  states: {
    pending: 'Pendiente',
    running: 'En curso',
    success: 'Hecha',
    failed: 'Con error',
    skipped: 'Omitida',
  },
  queued: 'Esperando a otras acciones en lote',
  cancelling: 'Cancelando: antes terminan las operaciones en curso',
  cancelled: 'Cancelada',
  cancel: (count: number) =>
    format('{count, plural, one {Cancelar la pendiente} other {Cancelar las # pendientes}}', { count }),
  retry: (count: number) => format('Reintentar {count, number}', { count }),
  dismiss: 'Cerrar',
  all: 'Todos los resultados',
  show: 'Mostrar',
  reasons: {
    'No tenant with id {1}': 'No hay ninguna instancia con el id {1}',
    '{1} has not been deployed yet. Deploy it first.': '{1} todavía no se ha desplegado. Despliéguela primero.',
    '{1} is already deployed, and there is no later release':
      '{1} ya está desplegada, y no hay ninguna versión posterior',
    '{1} is newer than the deployed {2}': '{1} es posterior a la desplegada, {2}',
    'No version older than {1} was deployed before': 'Antes no se desplegó ninguna versión anterior a {1}',
    'A branch or a commit is deployed: name the version as target_version':
      'Está desplegada una rama o un commit: indique la versión',
    '{1} is already deployed': '{1} ya está desplegada',
    'The repository has no version {1}': 'El repositorio no tiene la versión {1}',
    'The repository has no release: name the version to upgrade to as target_version':
      'El repositorio no tiene ninguna versión publicada: indique la versión',
    'Another operation is in progress on this tenant: {1}': 'Hay otra operación en curso en la instancia: {1}',
    '{1} has not finished within {2} s. It continues in the background.':
      'No terminó en {2} s. Continúa en segundo plano.',
    'The {1} of {2} failed: {3}': 'La acción «{1}» en {2} falló: {3}',
    start: 'iniciar',
    stop: 'detener',
    restart: 'reiniciar',
    'The operation ended early': 'La operación terminó antes de tiempo',
    'The manager stopped while it processed this tenant. The result is unknown.':
      'El gestor se detuvo mientras trataba esta instancia. No se conoce el resultado.',
    'Internal error. See the manager’s log.': 'Error interno. Consulte el registro del gestor.',
  },
};
