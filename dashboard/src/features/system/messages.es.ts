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
      format('{count, plural, one {# instancia tiene} other {# instancias tienen}} el estado Error.', { count }),
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
  said: [
    [
      /^The engine can’t be reached, so tenants can’t be deployed or started: /,
      'No se puede acceder al motor, por lo que no se pueden desplegar ni iniciar instancias: ',
    ],
    [
      /^The node (\S+) lacks the shared storage, so no tenants are started there\.$/,
      'Al nodo $1 le falta el almacenamiento compartido, por lo que allí no se inician instancias.',
    ],
    [
      /^The reverse proxy is unavailable, so sites may not be reachable: /,
      'El proxy inverso no está disponible, por lo que es posible que no se pueda acceder a los sitios: ',
    ],
    [
      /^Only (\d+ MiB) free\. Below (\d+ MiB), deployments are refused\. Delete old backups or enlarge the disk\.$/,
      'Solo quedan $1 libres. Por debajo de $2 se rechazan los despliegues. Elimine copias antiguas o amplíe el disco.',
    ],
    [
      /^Only (\d+ MiB) free at (.+), where images and volumes are stored\.$/,
      'Solo quedan $1 libres en $2, donde se guardan las imágenes y los volúmenes.',
    ],
    [
      /^1 site at the reverse proxy differ from the expected configuration\.$/,
      '1 sitio del proxy inverso difiere de la configuración esperada.',
    ],
    [
      /^(\d+) sites at the reverse proxy differ from the expected configuration\.$/,
      '$1 sitios del proxy inverso difieren de la configuración esperada.',
    ],
    [/^The engine is too old: (\S+), needs (\S+)$/, 'El motor es demasiado antiguo: $1, se necesita $2'],
    [/^The engine of (\S+) is too old: (\S+), needs (\S+)$/, 'El motor de $1 es demasiado antiguo: $2, se necesita $3'],
    [/^The nodes have different engines: /, 'Los nodos tienen motores distintos: '],
    [
      /^Programs of tenants can gain privileges: set (.+) in daemon\.json$/,
      'Los programas de las instancias pueden obtener privilegios: defina $1 en daemon.json',
    ],
    [
      /^Programs of tenants can gain privileges on ([^:]+): set (.+) in daemon\.json$/,
      'Los programas de las instancias pueden obtener privilegios en $1: defina $2 en daemon.json',
    ],
    [
      /^Units here get no answers from (\S+): allow TCP and UDP 7946 and UDP 4789 between the nodes$/,
      'Los servicios de este nodo no reciben respuestas de $1: permita TCP y UDP 7946 y UDP 4789 entre los nodos',
    ],
    [
      /^Units on (\S+) get no answers from (\S+): allow TCP and UDP 7946 and UDP 4789 between the nodes$/,
      'Los servicios de $1 no reciben respuestas de $2: permita TCP y UDP 7946 y UDP 4789 entre los nodos',
    ],
    [
      /^Units here get no large answers from (\S+): set SWARM_MTU to what the links carry$/,
      'Los servicios de este nodo no reciben respuestas grandes de $1: ajuste SWARM_MTU a lo que admiten los enlaces',
    ],
    [
      /^Units on (\S+) get no large answers from (\S+): set SWARM_MTU to what the links carry$/,
      'Los servicios de $1 no reciben respuestas grandes de $2: ajuste SWARM_MTU a lo que admiten los enlaces',
    ],
  ] as readonly (readonly [RegExp, string])[],
};

export const esPage = {
  sections: 'Secciones del sistema',
  nodes: 'Nodos',
  settings: 'Ajustes',
  users: 'Usuarios',
};
