import { number } from '../../lib/figures.ts';
import { format } from '../../lib/language.ts';

export const es = {
  overview: 'Resumen',
  ports: 'Puertos',
  proxy: 'Proxy inverso',
  well: 'Todo funciona con normalidad',
  wellHint:
    'El motor, la base de datos, el disco, el proxy inverso y todas las instancias en marcha están en buen estado.',
  unwell: (count: number) =>
    format('{count, plural, one {# problema requiere} other {# problemas requieren}} atención', { count }),
  problems: {
    errors: (count: number) =>
      format('{count, plural, one {# instancia tiene} other {# instancias tienen}} la situación «Error».', { count }),
    unhealthy: (count: number) =>
      format(
        '{count, plural, one {# instancia en marcha tiene fallos: los visitantes no pueden usarla.} other {# instancias en marcha tienen fallos: los visitantes no pueden usarlas.}}',
        { count },
      ),
    degraded: (count: number) =>
      format(
        '{count, plural, one {El estado de # instancia en marcha está degradado.} other {El estado de # instancias en marcha está degradado.}}',
        { count },
      ),
  },
  look: 'Ver detalles',
  places: {
    engine: 'Ver el motor',
    node: 'Ver los nodos',
    proxy: 'Ver el proxy inverso',
    disk: 'Ver el uso del disco',
    site: 'Ver los sitios',
    warning: 'Ver el sistema',
  },
  tenants: 'Instancias',
  noTenants: 'Todavía no hay instancias.',
  work: 'Operaciones',
  operations: 'Despliegues, copias',
  imports: 'Importaciones de listas',
  queue: (running: number, queued: number) =>
    running + queued === 0 ? 'ninguna' : `${number(running)} en curso, ${number(queued)} en cola`,
  engine: 'Motor',
  runs: 'Ejecuta las instancias como',
  kinds: {
    docker: 'contenedores de Docker',
    swarm: 'servicios de Docker Swarm',
    systemd: 'servicios de systemd',
    process: 'procesos locales, sin aislamiento entre instancias',
  } as Record<string, string>,
  state: 'Estado',
  reachable: 'Accesible',
  away: 'Inaccesible',
  version: 'Versión',
  reason: 'Motivo',
  database: 'Base de datos del gestor',
  dialects: { sqlite: 'SQLite, un archivo en el directorio de datos', mysql: 'MySQL o MariaDB' },
  kind: 'Tipo',
  size: 'Tamaño',
  schema: 'Esquema',
  manager: 'Gestor',
  node: 'Node.js',
  running: 'Tiempo en marcha',
  since: 'Iniciado',
  memory: 'Memoria',
  disk: 'Disco',
  free: (free: string, total: string) => `${free} libres de ${total}`,
  directory: 'Directorio de datos',
  engineFree: (path: string) => `Libre en ${path}`,
  needed: 'Necesario para un despliegue',
  buildCache: 'Caché de compilación del motor',
  parts: {
    backups: 'Copias de seguridad',
    releases: 'Versiones preparadas',
    sources: 'Repositorios',
    tenants: 'Archivos de las instancias',
    imports: 'Listas en importación',
    store: 'Base de datos',
    other: 'Otros',
  },
  takes: 'Uso del disco por tipo',
  unmeasured: 'No se pudo medir el uso del disco. Consulte el registro del gestor.',
  measuring: 'Midiendo…',
  measured: 'Medido:',
  used: 'Usado',
  metrics: 'Métricas de supervisión',
  metricsHint:
    'Prometheus puede leer las métricas en esta dirección con la cabecera «Authorization: Bearer» y un token.',
  metricsToken: 'Token',
  metricsTokenSet: 'METRICS_TOKEN o un token de la API con cualquier rol',
  metricsTokenNone: 'un token de la API con cualquier rol; METRICS_TOKEN no está definido',
  address: 'Dirección',
  saveMetrics: 'Descargar métricas',
  findings: {
    'The engine can’t be reached, so tenants can’t be deployed or started: {1}':
      'No se puede acceder al motor, por lo que no se pueden desplegar ni iniciar instancias: {1}',
    'The node {1} is down.': 'El nodo {1} no responde.',
    'The node {1} lacks the shared storage, so no tenants are started there.':
      'Al nodo {1} le falta el almacenamiento compartido, por lo que allí no se inician instancias.',
    'The reverse proxy is unavailable, so sites may not be reachable: {1}':
      'El proxy inverso no está disponible, por lo que es posible que no se pueda acceder a los sitios: {1}',
    'Only {1} free. Below {2}, deployments are refused. Delete old backups, keep fewer backups and logs, or enlarge the disk.':
      'Solo quedan {1} libres. Por debajo de {2} se rechazan los despliegues. Elimine copias antiguas, conserve menos copias y registros, o amplíe el disco.',
    'Only {1} free at {2}, where images and volumes are stored. Remove unused images, or enlarge the disk.':
      'Solo quedan {1} libres en {2}, donde se guardan las imágenes y los volúmenes. Elimine imágenes sin usar o amplíe el disco.',
    '{1} at the reverse proxy differ from the expected configuration.':
      '{1} del proxy inverso con una configuración distinta de la esperada.',
    '1 site': '1 sitio',
    '{1} sites': '{1} sitios',
    'The engine is too old: {1}, {2}': 'El motor es demasiado antiguo: {1}, {2}',
    'The engine of {1} is too old: {2}, {3}': 'El motor de {1} es demasiado antiguo: {2}, {3}',
    'needs {1}': 'se necesita {1}',
    'The nodes have different engines: {1}': 'Los nodos tienen motores distintos: {1}',
    '{1}: set both by NTP, or tokens, certificates and schedules go wrong':
      '{1}: sincronice ambos por NTP o fallarán los tokens, los certificados y las programaciones',
    'The clock of the {1} is {2} ahead of the manager’s': 'El reloj del {1} va {2} por delante del reloj del gestor',
    'The clock of the {1} is {2} behind the manager’s': 'El reloj del {1} va {2} por detrás del reloj del gestor',
    'container engine': 'motor de contenedores',
    'database server': 'servidor de base de datos',
    'Programs of tenants can gain privileges: {1}': 'Los programas de las instancias pueden obtener privilegios: {1}',
    'Programs of tenants can gain privileges on {1}: {2}':
      'Los programas de las instancias pueden obtener privilegios en {1}: {2}',
    'set "no-new-privileges": true in daemon.json': 'defina "no-new-privileges": true en daemon.json',
    'Units here {1}': 'Los servicios de este nodo {1}',
    'Units on {1} {2}': 'Los servicios de {1} {2}',
    'get no answers from {1}: allow TCP and UDP 7946 and UDP 4789 between the nodes':
      'no reciben respuestas de {1}: permita TCP y UDP 7946 y UDP 4789 entre los nodos',
    'get no large answers from {1}: set SWARM_MTU to what the links carry':
      'no reciben respuestas grandes de {1}: ajuste SWARM_MTU a lo que admiten los enlaces',
  },
};

export const esPage = {
  sections: 'Secciones del sistema',
  nodes: 'Nodos',
  maintenance: 'Mantenimiento',
  metrics: 'Métricas',
  settings: 'Ajustes',
  users: 'Usuarios',
};
