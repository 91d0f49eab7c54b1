import { capital, listed, number } from '../../../lib/figures.ts';
import { format } from '../../../lib/language.ts';
import type { TimesSummary } from './times.ts';

const runtimes: Record<string, string> = { docker: 'Docker', swarm: 'Swarm', systemd: 'systemd' };

export const es = {
  unwell: {
    names: { frontend: 'el sitio', backend: 'la API' },
    stopped: (names: readonly string[]) =>
      format('{count, plural, one {No está en marcha} other {No están en marcha}} {names}', {
        count: names.length,
        names: listed(names),
      }),
    silent: (names: readonly string[]) =>
      format('{count, plural, one {No responde} other {No responden}} {names}', {
        count: names.length,
        names: listed(names),
      }),
    failing: (names: readonly string[]) =>
      format('{names} {count, plural, one {responde} other {responden}} con un error', {
        count: names.length,
        names: capital(listed(names)),
      }),
    proxy: 'Los visitantes no pueden acceder a través del proxy',
    database: 'Falló la comprobación de la base de datos',
    certificate: 'El certificado requiere atención',
    synthetic: 'Responde, pero fallan los pasos de un usuario',
    unhealthy: 'Falló una comprobación de estado',
    degraded: 'Una comprobación de estado encontró un problema',
    since: { unhealthy: 'Con fallos desde el', degraded: 'Degradada desde el' },
  },
  responseTimes: 'Tiempos de respuesta',
  oneCheck: 'De momento, una comprobación. Cada comprobación añade un punto.',
  checksSince: (checks: number) =>
    format('{checks, plural, one {# comprobación} other {# comprobaciones}} desde el', { checks }),
  noTimes: 'Los tiempos de respuesta aparecen después de la próxima comprobación.',
  line: (name: string, { fastest, middle, slowest, missing, checks }: TimesSummary) => {
    if (middle === null)
      return format('{name}: sin respuesta en {checks, plural, one {# comprobación} other {# comprobaciones}}', {
        name,
        checks,
      });
    return format(
      '{name}: mediana de {middle, number} ms, entre {fastest, number} y {slowest, number} ms, {checks, plural, one {# comprobación} other {# comprobaciones}}{missing, plural, =0 {} other {; # de {checks, number} sin respuesta}}',
      { name, middle, fastest: fastest ?? middle, slowest: slowest ?? middle, checks, missing },
    );
  },
  changes: 'Historial del estado',
  noChanges: 'Su estado todavía no ha cambiado.',
  healthChanges: {
    '{1} → {2}': '{1} → {2}',
    '{1} (services are stopped on purpose)': '{1} (los servicios se detuvieron a propósito)',
    '{1} ({2})': '{1} ({2})',
    unknown: 'desconocido',
    healthy: 'correcto',
    degraded: 'degradado',
    unhealthy: 'con fallos',
  },
  services: 'Servicios',
  names: { frontend: 'Sitio', backend: 'API' },
  since: 'desde el',
  gaveUp: 'Se cerraba una y otra vez y ya no se reinicia automáticamente.',
  cpu: 'CPU',
  memory: 'Memoria',
  cpuOf: (percent: number) => `${number(percent, 1)} %`,
  memoryOf: (used: string, limit: string) => `${used} de ${limit}`,
  unknown: 'se desconoce',
  current: 'Usan la configuración actual.',
  pending: 'Todavía no usan la configuración actual. Hay que reiniciarlos.',
  proxy: 'Dirección y certificado',
  proxyState: 'Estado del proxy',
  proxyKind: 'Proxy',
  proxyKinds: { none: 'ninguno', nginx: 'nginx', traefik: 'Traefik' },
  noProxy: 'No hay ningún proxy inverso configurado. Los visitantes acceden a la instancia por su puerto.',
  proxyStates: {
    in_sync: 'Al día',
    edited: 'Modificado a mano',
    missing: 'Falta',
    outdated: 'Desactualizado',
    orphan: 'Huérfano',
    none: 'Sin configurar',
  },
  proxyHints: {
    edited:
      'Alguien modificó a mano el archivo del proxy. Un administrador puede repararlo en la página Sistema, Proxy inverso.',
    missing:
      'Falta el archivo del proxy, por lo que los dominios no llevan aquí. Una reparación o un despliegue lo restablecen.',
    outdated: 'Los dominios o los certificados han cambiado. El sitio se actualiza automáticamente en unos minutos.',
    orphan: 'El proxy tiene un archivo que no pertenece a ninguna instancia.',
    none: 'El próximo despliegue activa sus dominios.',
  } as Record<string, string>,
  applied: 'Aplicado',
  certificate: 'Certificado',
  noCertificate: 'ninguno: los dominios se sirven sin cifrado o con el certificado de otro sitio',
  issuer: 'Emitido por',
  validUntil: 'Válido hasta',
  daysLeft: (days: number) =>
    days < 0 ? 'caducado' : format('{days, plural, one {queda # día} other {quedan # días}}', { days }),
  expiresSoon: 'caduca pronto',
  certificateProblem: 'Último intento',
  nextAttempt: 'Próximo intento',
  took: 'duró',
  danger: {
    title: 'Zona de peligro',
    stop: 'Detener los servicios',
    stopHint: 'Los visitantes ven una página de error hasta que se inicien de nuevo. Los datos se conservan.',
    stopNow: 'Detener…',
    remove: 'Eliminar esta instancia',
    removeHint:
      'Se eliminan sus servicios, su sitio y sus ajustes; sus archivos y su base de datos, solo si usted lo indica.',
    removeNow: 'Eliminar…',
  },
  synthetic: {
    title: 'Pasos de un usuario',
    run: 'Ejecutar ahora',
    running: 'En curso…',
    passed: 'Todos los pasos se completaron',
    states: { passed: 'Correcto', failed: 'Falló', skipped: 'Omitido' },
    proxied: 'a través del proxy',
    cleanup: '(limpieza)',
    stepsOf: (name: string) => `Pasos de ${name}`,
    lastRun: 'Última ejecución',
    never: 'Todavía no se han ejecutado',
    interval: (minutes: number) => format('{minutes, plural, one {cada minuto} other {cada # minutos}}', { minutes }),
    off: 'sin repetición',
    onDeploy: 'parte de cada despliegue',
  },
  runtime: (kind: string) => runtimes[kind] ?? 'este gestor',
};

export const esMove = {
  title: (from: string) => `Todavía en ${from}`,
  hint: (from: string, to: string) =>
    `Esta instancia está en ${from}. Trasládela a ${to} antes de desplegarla: los despliegues y reinicios no llegan a ella allí.`,
  move: 'Trasladar',
  dialogTitle: (name: string, to: string) => `¿Trasladar ${name} a ${to}?`,
  dialogHint:
    'Su sitio muestra un error desde que se detienen los servicios hasta que vuelven a estar en marcha. Si el traslado falla, se inician donde estaban.',
  check: 'Resultado de la comprobación',
  from: 'Origen',
  to: 'Destino',
  version: 'Versión',
  services: 'Servicios',
  running: 'en marcha; se inician después del traslado',
  stopped: 'detenidos; siguen detenidos',
  database: 'Base de datos',
  noDatabase: 'ninguna',
  stays: 'permanece en el servidor compartido',
  copied: (size: string | null) => (size === null ? 'se copia' : `se copia, ${size}`),
  problems: 'Ahora no se puede trasladar:',
  movedTitle: (from: string) => `Trasladada desde ${from}`,
  movedHint: (from: string) =>
    `Los servicios detenidos y los datos de antes del traslado permanecen en ${from} hasta que los elimine.`,
  remove: 'Eliminar restos',
  removeTitle: (name: string, from: string) => `¿Eliminar lo que ${name} dejó en ${from}?`,
  removeHint: 'Esto elimina sus servicios, archivos y base de datos de allí, tal como eran antes del traslado.',
  removed: (name: string) => `Los restos de ${name} se eliminaron.`,
};
