import { format } from '../../lib/language.ts';

/** The units of numbers, by their English plurals; abbreviations are the same. */
const units: Record<string, string> = {
  seconds: '{value, plural, one {segundo} other {segundos}}',
  minutes: '{value, plural, one {minuto} other {minutos}}',
  days: '{value, plural, one {día} other {días}}',
  weeks: '{value, plural, one {semana} other {semanas}}',
  months: '{value, plural, one {mes} other {meses}}',
  tenants: '{value, plural, one {instancia} other {instancias}}',
  deployments: '{value, plural, one {despliegue} other {despliegues}}',
  releases: '{value, plural, one {versión} other {versiones}}',
  cores: '{value, plural, one {núcleo} other {núcleos}}',
  processes: '{value, plural, one {proceso} other {procesos}}',
  backups: '{value, plural, one {copia} other {copias}}',
  lists: '{value, plural, one {lista} other {listas}}',
  'US dollars': '{value, plural, one {dólar estadounidense} other {dólares estadounidenses}}',
};

export const es = {
  title: 'Ajustes',
  hint: 'Estos ajustes se aplican a todas las instancias, de inmediato salvo que un ajuste indique otra cosa.',
  readOnly: 'Un administrador puede cambiarlos.',
  search: 'Buscar un ajuste',
  nothingTitle: 'Ningún ajuste coincide',
  nothingHint: 'Ningún ajuste contiene este texto en su nombre o descripción.',
  clear: 'Mostrar todos los ajustes',
  groups: {
    health: 'Comprobaciones de estado',
    deployments: 'Despliegues',
    services: 'Límites de los servicios',
    manager: 'Registro de auditoría, tokens y navegadores',
    tenants: 'Instancias nuevas',
    backups: 'Copias de seguridad',
    bucket: 'Copias externas',
    lists: 'Listas de contactos',
    assistant: 'Proveedor de IA',
    themes: 'Temas',
    notifications: 'Notificaciones',
  },
  names: {
    new_tenant_git_repo: 'Repositorio de Git',
    new_tenant_domain: 'Patrón del dominio',
    health_check_interval: 'Intervalo de comprobación',
    health_check_timeout: 'Tiempo máximo de comprobación',
    health_check_concurrency: 'Comprobaciones simultáneas',
    synthetic_check_interval: 'Intervalo de los pasos de un usuario',
    synthetic_checks_on_deploy: 'Pasos de un usuario en los despliegues',
    incident_failures: 'Fallos que abren un incidente',
    incident_reminder_minutes: 'Intervalo entre recordatorios',
    availability_objective: 'Objetivo de disponibilidad',
    deployment_concurrency: 'Despliegues simultáneos',
    deployment_timeout: 'Tiempo máximo de cada paso del despliegue',
    base_image_max_age_hours: 'Volver a consultar las imágenes base tras',
    build_cache_gb: 'Caché de compilaciones en cada motor',
    log_retention_days: 'Conservar las entradas del registro de auditoría',
    release_retention: 'Versiones conservadas para revertir',
    unit_memory_mb: 'Memoria por servicio',
    unit_cpus: 'Procesadores por servicio',
    unit_pids: 'Procesos por servicio',
    log_retention_mb: 'Registros conservados por servicio',
    api_token_max_days: 'Duración máxima de un token de la API',
    session_idle_minutes: 'Terminar las sesiones inactivas después de',
    public_addresses: 'Direcciones públicas del proxy',
    hsts_max_age_days: 'Los navegadores exigen HTTPS durante',
    min_free_disk_mb: 'Espacio libre mínimo en disco',
    backup_schedule: 'Horario predeterminado',
    backup_keep_last: 'Copias más recientes conservadas',
    backup_keep_daily: 'Copias diarias conservadas',
    backup_keep_weekly: 'Copias semanales conservadas',
    backup_loss_percent: 'Pérdida que se notifica',
    backup_max_hours: 'Duración máxima de una copia',
    backup_max_gb: 'Máximo que lee una copia',
    backup_keep_monthly: 'Copias mensuales conservadas',
    backup_keep_safety: 'Copias de protección conservadas',
    restore_drill_days: 'Pruebas de restauración',
    backup_s3_bucket: 'Bucket',
    backup_s3_endpoint: 'Dirección del servicio',
    backup_s3_region: 'Región',
    backup_s3_prefix: 'Prefijo del nombre',
    backup_s3_access_key: 'Clave de acceso',
    backup_s3_secret_key: 'Clave secreta',
    import_max_upload_mb: 'Tamaño máximo de una lista',
    import_retention_days: 'Conservar los archivos de las listas',
    import_concurrency: 'Importaciones simultáneas',
    import_phone_region: 'País de los números de teléfono',
    ai_provider_api_key: 'Clave',
    ai_provider_base_url: 'Dirección',
    ai_provider_model: 'Modelo',
    ai_provider_timeout: 'Tiempo máximo de respuesta',
    ai_sees_pictures: 'El modelo puede leer imágenes',
    ai_input_price: 'Precio de los tokens de entrada',
    ai_output_price: 'Precio de los tokens de salida',
    ai_raw_samples: 'Enviar valores reales de las listas al proveedor de IA',
    screenshot_retention_days: 'Conservar las capturas de pantalla',
    notification_digest_minutes: 'Reunir las notificaciones menores durante',
  } as Record<string, string>,
  descriptions: {
    new_tenant_git_repo: 'Repositorio de Git que propone el formulario de una instancia nueva; vacío: ninguno',
    new_tenant_domain:
      'Dominio que propone el formulario de una instancia nueva, como {slug}.example.org; vacío: como el de la instancia más reciente',
    health_check_interval: 'Intervalo entre las comprobaciones de estado de todas las instancias, en segundos',
    health_check_timeout: 'Tiempo máximo de una comprobación de estado, en segundos',
    health_check_concurrency: 'Número de instancias que se comprueban a la vez',
    synthetic_check_interval:
      'Intervalo entre las comprobaciones de una instancia con los pasos de un usuario de tenant.yaml, en minutos; 0: nunca',
    synthetic_checks_on_deploy:
      'Si un despliegue o una actualización ejecuta también las comprobaciones con los pasos de un usuario de tenant.yaml y se revierte si una falla',
    incident_failures: 'Número de comprobaciones fallidas seguidas que abren un incidente',
    incident_reminder_minutes:
      'Intervalo entre recordatorios de un incidente sin confirmar, en minutos; 0: sin recordatorios. Las copias y los simulacros que faltan y los certificados que caducan se recuerdan como mucho una vez al día',
    availability_objective:
      'Disponibilidad a la que se aspira en un mes natural, como porcentaje de las comprobaciones',
    deployment_concurrency: 'Número de despliegues que se ejecutan a la vez; los demás esperan su turno',
    deployment_timeout: 'Tiempo máximo de cada paso de un despliegue, en segundos',
    base_image_max_age_hours:
      'Antigüedad a partir de la cual se vuelve a consultar una imagen base en su registro antes de una compilación, en horas; si el registro no responde, se usa la copia del motor',
    build_cache_gb: 'Tamaño de la caché de compilaciones que se conserva en cada motor, en GB',
    log_retention_days: 'Número de días que se conservan los registros y las entradas de auditoría',
    release_retention:
      'Número de versiones preparadas que se conservan para poder revertir, además de la que está en marcha',
    unit_memory_mb:
      'Límite de memoria de cada servicio de una instancia, en MiB; se aplica con el próximo despliegue de la instancia',
    unit_cpus:
      'Límite de procesador de cada servicio de una instancia, en núcleos; se aplica con el próximo despliegue de la instancia',
    unit_pids:
      'Número máximo de procesos e hilos de cada servicio de una instancia; se aplica con el próximo despliegue de la instancia',
    log_retention_mb:
      'Cantidad de texto de registro, en MiB, que se conserva de cada servicio y de cada una de sus últimas generaciones, también cuando su contenedor ya no existe; las líneas más antiguas se eliminan primero',
    api_token_max_days: 'Duración máxima de los nuevos tokens de la API, en días',
    public_addresses:
      'Direcciones IP o nombres de host con los que se accede al proxy inverso, separados por comas; la comprobación de los nombres de host los compara con ellos; vacío: no se compara nada',
    hsts_max_age_days:
      'Número de días durante los que los navegadores usan solo HTTPS para los nombres de host de las instancias (HSTS); 0: desactivado. Se aplica con el próximo despliegue de una instancia si tiene certificado. Los navegadores lo recuerdan: no pueden abrir el nombre de host si más adelante falta el certificado',
    session_idle_minutes: 'Número de minutos de inactividad tras los que termina una sesión',
    min_free_disk_mb: 'Espacio libre en disco, en MiB, necesario para iniciar un despliegue',
    backup_schedule:
      'Horario de las instancias que no tienen uno propio: una expresión cron en UTC; vacío: sin copias programadas',
    backup_keep_last: 'Número de copias programadas más recientes que se conservan de cada instancia',
    backup_keep_daily: 'Número de días de los que se conserva la última copia programada del día',
    backup_loss_percent:
      'Se notifica una copia en la que una tabla de al menos 100 filas, o el conjunto, ha perdido más que esto desde la anterior, y las anteriores se conservan hasta que se confirme; 0: desactivado',
    backup_max_hours: 'Una copia que tarda más falla; se notifica al pasar la mitad de este tiempo',
    backup_max_gb: 'Una copia falla cuando su base de datos, o sus archivos, ocupan más que esto sin comprimir',
    backup_keep_weekly: 'Número de semanas de las que se conserva la última copia programada de la semana',
    backup_keep_monthly: 'Número de meses de los que se conserva la última copia programada del mes',
    restore_drill_days:
      'La copia más reciente de cada instancia en marcha se carga en una base de datos temporal y se compara con esta frecuencia; 0: solo a petición',
    backup_keep_safety:
      'Número de copias anteriores a restauraciones que se conservan, y el mismo número de las anteriores a actualizaciones',
    backup_s3_bucket:
      'Bucket en el que se guarda cada copia, en Amazon S3 o en un servicio compatible; vacío: sin copias externas',
    backup_s3_endpoint: 'Dirección del servicio compatible con S3; vacío: Amazon S3',
    backup_s3_region: 'Región con la que se firman las solicitudes al servicio',
    backup_s3_prefix: 'Prefijo de los nombres de las copias en el bucket, sin barra final',
    backup_s3_access_key:
      'Clave de acceso al bucket. Debe permitir leer, guardar y eliminar objetos, y enumerar y cancelar cargas',
    backup_s3_secret_key: 'Clave secreta de la clave de acceso',
    import_max_upload_mb: 'Tamaño máximo de una lista subida, en MiB',
    import_retention_days:
      'Número de días que se conserva el archivo de una lista después de su último uso; el historial permanece',
    import_concurrency: 'Número de listas que se importan a la vez; las demás esperan su turno',
    import_phone_region: 'País predeterminado de los números de teléfono sin código de país (ISO 3166)',
    ai_provider_base_url:
      'Dirección de una API compatible con OpenAI, como http://127.0.0.1:11434/v1 para un modelo local. Vacío: OpenAI si hay una clave; si no, solo se usan las reglas integradas. Cambiar la dirección borra la clave, que pertenece a la dirección anterior',
    ai_provider_api_key: 'Clave para el proveedor de IA',
    ai_provider_model: 'Nombre del modelo del proveedor de IA. Vacío: no se usa el proveedor de IA',
    ai_provider_timeout:
      'Tiempo máximo de respuesta del proveedor de IA, en segundos; después solo se usan las reglas integradas',
    ai_sees_pictures:
      'Si el modelo acepta imágenes: en ese caso recibe una captura de pantalla del sitio web al sugerir temas',
    ai_input_price:
      'Precio de un millón de tokens de entrada en dólares estadounidenses, para los costos en el registro de auditoría; 0: no se muestran',
    ai_output_price:
      'Precio de un millón de tokens de salida en dólares estadounidenses, para los costos en el registro de auditoría; 0: no se muestran',
    ai_raw_samples:
      'Si el proveedor de IA recibe sin enmascarar celdas de las listas de contactos, que son datos personales. Si no, se enmascaran las letras y las cifras',
    screenshot_retention_days:
      'Número de días que se conservan las capturas de pantalla de los sitios web analizados; las sugerencias permanecen',
    notification_digest_minutes:
      'Los canales reúnen las alertas de gravedad inferior a error y las envían como un solo mensaje cada este número de minutos; 0: cada una se envía de inmediato',
  } as Record<string, string>,
  rules: {
    'Must not contain credentials: operators see this setting':
      'No debe contener credenciales: los operadores ven este ajuste',
    'Must be https://…, http://…, ssh://… or git@host:path': 'Debe ser https://…, http://…, ssh://… o git@host:path',
    'Must be a host name that contains {1} once, like {2}.example.org':
      'Debe ser un nombre de host que contenga {1} una vez, como {2}.example.org',
    'Must be IP addresses or host names, comma-separated':
      'Deben ser direcciones IP o nombres de host separados por comas',
    'Must be a cron expression of five fields': 'Debe ser una expresión cron de cinco campos',
    'Must be the name of an S3 bucket': 'Debe ser el nombre de un bucket de S3',
    'Must be an http or https address without credentials': 'Debe ser una dirección http o https sin credenciales',
    'Must be letters, digits and hyphens': 'Solo puede contener letras, cifras y guiones',
    'Must be names of letters, digits, “.”, “_” and “-” separated by slashes':
      'Deben ser nombres de letras, cifras, «.», «_» y «-» separados por barras',
    'Must be a country code of two capital letters': 'Debe ser un código de país de dos letras mayúsculas',
    'Must not contain control characters': 'No debe contener caracteres de control',
  } as Record<string, string>,
  unit: (unit: string, value: number) => format(units[unit] ?? unit, { value }),
  defaultValue: (value: string) => `Predeterminado: ${value}`,
  between: (least: string, most: string) => `de ${least} a ${most}`,
  empty: 'vacío',
  on: 'Activado',
  off: 'Desactivado',
  isSet: 'Definido',
  isNotSet: 'Sin definir',
  toBeCleared: 'Se borrará',
  setSecret: 'Definir…',
  replace: 'Sustituir…',
  clearSecret: 'Borrar',
  of: (action: string, name: string) => `${action}: ${name}`,
  newValue: (name: string) => `${name}: valor nuevo`,
  changed: 'Cambiado',
  undo: 'Deshacer',
  useDefault: 'Usar el predeterminado',
  wrong: {
    integer: 'Escriba un número entero, sin unidades',
    number: 'Escriba un número con punto decimal, como 0.5, sin unidades',
    between: (least: string, most: string) => `Debe estar entre ${least} y ${most}`,
    long: (most: number) => `Como máximo ${most} caracteres`,
  },
  unsaved: (count: number) =>
    format('{count, plural, one {# cambio sin guardar} other {# cambios sin guardar}}', { count }),
  discard: 'Descartar',
  review: 'Revisar y guardar',
  reviewTitle: (count: number) =>
    format('{count, plural, one {¿Guardar este cambio?} other {¿Guardar estos # cambios?}}', { count }),
  reviewHint: 'Estos valores cambiarán. El registro de auditoría indica quién los cambió.',
  columns: { what: 'Ajuste', before: 'Actual', after: 'Nuevo' },
  newSecret: 'un valor nuevo',
  submit: 'Guardar cambios',
  saved: (count: number) => format('{count, plural, one {# ajuste guardado.} other {# ajustes guardados.}}', { count }),
  savedOthers: (names: string) => `Guardado: ${names}.`,
  savedSoFar: (names: string) => `Guardado: ${names}. Estos cambios no se han guardado:`,
  refused: (count: number) =>
    format(
      '{count, plural, one {# valor no se pudo guardar. Vea el error junto a él.} other {# valores no se pudieron guardar. Vea los errores junto a ellos.}}',
      { count },
    ),
};
