import { format } from '../../lib/language.ts';

export const es = {
  title: 'Inicio',
  needsAttention: 'Requiere atención',
  count: (count: number) =>
    format('{count, plural, one {# asunto requiere atención} other {# asuntos requieren atención}}', { count }),
  quiet: 'Nada requiere atención.',
  kinds: {
    data_missing: 'Datos perdidos',
    unhealthy: 'Con fallos',
    not_running: 'No funciona',
    deployment_failed: 'Falló el despliegue',
    dns_missing: 'Nombre de host',
    dns_elsewhere: 'Nombre de host',
    redirects_to_itself: 'Redirecciones',
    api_key_refused: 'Clave de API',
    degraded: 'Degradada',
    backup_failed: 'Falló la copia',
    backup_missing: 'Falta la copia',
    certificate: 'Certificado',
    stopped: 'Detenida',
  },
  actions: {
    data_missing: 'Ver las copias',
    unhealthy: 'Ver registros',
    not_running: 'Buscar la causa',
    deployment_failed: 'Ver qué falló',
    dns_missing: 'Ver la causa',
    dns_elsewhere: 'Ver la causa',
    redirects_to_itself: 'Ver la causa',
    api_key_refused: 'Ver la causa',
    degraded: 'Ver las comprobaciones',
    backup_failed: 'Ver qué falló',
    backup_missing: 'Crear copia',
    certificate: 'Comprobar el sitio',
    stopped: 'Iniciar',
  },
  look: 'Ver detalles',
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
  behind: (count: number, version: string | null) =>
    version === null
      ? format(
          '{count, plural, one {# instancia tiene} other {# instancias tienen}} una versión anterior a la más reciente.',
          { count },
        )
      : format(
          '{count, plural, one {# instancia tiene} other {# instancias tienen}} una versión anterior a {version}.',
          { count, version },
        ),
  upgrade: 'Actualizar…',
  activity: 'Actividad reciente',
  all: 'Registro de auditoría',
  noActivity: 'Todavía nada.',
};
