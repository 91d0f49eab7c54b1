import { format } from '../../lib/language.ts';

export const es = {
  title: 'Inicio',
  needsAttention: 'Requiere atención',
  count: (count: number) =>
    format('{count, plural, one {# asunto requiere atención} other {# asuntos requieren atención}}', { count }),
  quiet: 'Nada requiere atención.',
  kinds: {
    unhealthy: 'Con fallos',
    not_running: 'No funciona',
    deployment_failed: 'Falló el despliegue',
    degraded: 'Degradada',
    backup_failed: 'Falló la copia',
    backup_missing: 'Falta la copia',
    certificate: 'Certificado',
    stopped: 'Detenida',
  },
  actions: {
    unhealthy: 'Ver registros',
    not_running: 'Buscar la causa',
    deployment_failed: 'Ver qué falló',
    degraded: 'Ver las comprobaciones',
    backup_failed: 'Ver qué falló',
    backup_missing: 'Crear copia',
    certificate: 'Comprobar el sitio',
    stopped: 'Iniciar',
  },
  causes: {
    'Visitors see an error page': 'Los visitantes ven una página de error',
    'Its services do not run': 'Sus servicios no están en marcha',
    'A health check failed': 'Falló una comprobación de estado',
    'It failed': 'Falló',
    'The scheduled backup was not made': 'No se creó la copia programada',
    'There is no backup': 'No hay ninguna copia',
    'The last backup is more than eight days old': 'La última copia tiene más de ocho días',
    'it has expired': 'ha caducado',
    '{1} stopped the services': '{1} detuvo los servicios',
    '{1}; {2}': '{1}; {2}',
    'frontend: {1}': 'Sitio: {1}',
    'backend: {1}': 'API: {1}',
    'database: {1}': 'Base de datos: {1}',
    'no answer within {1}000 ms': 'sin respuesta en {1} s',
    'connection refused': 'conexión rechazada',
    down: 'no funciona',
    'it expires at {1} and has not been renewed': 'caduca el {1} y no se ha renovado',
  },
  system: 'Gestor',
  more: (count: number) => format('Mostrar {count, number} más', { count }),
  fleet: 'Instancias',
  figures: {
    running: () => 'en marcha',
    stopped: (count: number) => format('{count, plural, one {detenida} other {detenidas}}', { count }),
    error: () => 'con error',
    pending: () => 'sin desplegar',
  },
  checks: 'Comprobaciones de estado, últimas dos horas',
  noChecks: 'Todavía no hay comprobaciones',
  period: (at: string, checks: number, unhealthy: number) =>
    format(
      '{at}: {checks, plural, =0 {sin comprobaciones} one {{unhealthy, number} de # comprobación con fallos} other {{unhealthy, number} de # comprobaciones con fallos}}',
      { at, checks, unhealthy },
    ),
  summary: (checks: number, unhealthy: number) =>
    format('{good, number} de {checks, plural, one {# comprobación} other {# comprobaciones}} sin fallos', {
      good: checks - unhealthy,
      checks,
    }),
  versions: 'Versiones',
  version: (version: string, count: number) =>
    format('{version}: {count, plural, one {# instancia} other {# instancias}}', { version, count }),
  behind: (count: number, version: string) =>
    format('{count, plural, one {# instancia} other {# instancias}} con una versión anterior a {version}', {
      count,
      version,
    }),
  upgrade: 'Actualizar…',
  noVersion: 'sin versión',
  activity: 'Actividad reciente',
  all: 'Registro de auditoría',
  noActivity: 'Todavía nada.',
};
