import type { ApiTexts } from '../../../lib/api-text.ts';

/** The steps of all operations, by the API's names. */
export const stepNames: ApiTexts = {
  // Deployments
  'Copy files': 'Copiar archivos',
  'Install dependencies': 'Instalar dependencias',
  'Generate environment': 'Generar el entorno',
  'Initialize database': 'Inicializar la base de datos',
  'Create service-manager services': 'Crear los servicios',
  'Configure proxy': 'Configurar el proxy',
  'Setup SSL': 'Configurar SSL',
  'Start services': 'Iniciar los servicios',
  'Health check': 'Comprobar el estado',
  // Upgrades, rehearsals, moves and removals
  Prepare: 'Preparar',
  'Stop services': 'Detener los servicios',
  'Back up database': 'Copiar la base de datos',
  'Fetch code': 'Obtener el código',
  'Run migrations': 'Ejecutar las migraciones',
  'Run migrations on a copy': 'Ejecutar las migraciones en una copia',
  'Create database': 'Crear la base de datos',
  'Create services': 'Crear los servicios',
  'Remove proxy': 'Eliminar del proxy',
  'Remove services': 'Eliminar los servicios',
  'Remove files': 'Eliminar los archivos',
  // Backups
  'Back up': 'Crear la copia de seguridad',
  'Copy to the bucket': 'Copiar al bucket',
  'Check backup': 'Comprobar la copia',
  'Load into a scratch database': 'Cargar en una base de datos aparte',
  'Safety backup': 'Copia antes de restaurar',
  'Restore database': 'Restaurar la base de datos',
  'Restore files': 'Restaurar los archivos',
  // Lists and themes
  Analyze: 'Analizar',
  'Check rows': 'Comprobar las filas',
  Import: 'Importar',
  'Collect errors': 'Reunir los errores',
  'Read website': 'Leer el sitio web',
  'Take screenshot': 'Hacer la captura de pantalla',
  'Suggest themes': 'Sugerir temas',
  // Actions on many tenants
  'Work on the tenants': 'Procesar las instancias',
};

/** Why a step was skipped or how it ended, by the API's words. */
export const stepReasons: ApiTexts = {
  'skip_services is set': 'skip_services está activado',
  'skip_proxy is set': 'skip_proxy está activado',
  'skip_ssl is set': 'skip_ssl está activado',
  'no reverse proxy is configured (PROXY=none)': 'no hay ningún proxy inverso configurado (PROXY=none)',
  stopped: 'detenidos',
  'they were already stopped': 'ya estaban detenidos',
  'backup_db is false, and no migration will run': 'backup_db es false y no se ejecutará ninguna migración',
  'installed before the services were stopped': 'instaladas antes de detener los servicios',
  'run_migrations is false': 'run_migrations es false',
  '{1} scripts run': 'scripts ejecutados: {1}',
  'this version has none': 'esta versión no tiene ninguna',
  healthy: 'en buen estado',
  'healthy; stopped again, as before': 'en buen estado; detenidos de nuevo, como antes',
  'the version could not be prepared': 'no se pudo preparar la versión',
  'the file is not whole': 'el archivo no está completo',
  'there is no database in it': 'no contiene ninguna base de datos',
  'the backup is of the running version': 'la copia es de la versión en uso',
  'the services were stopped before': 'los servicios ya estaban detenidos',
  'no bucket is configured': 'no hay ningún bucket configurado',
  'the application has no database': 'la aplicación no tiene base de datos',
  'the data is on the shared server already': 'los datos ya están en el servidor compartido',
  'read already': 'ya se leyó',
  'not asked for': 'no se pidió',
  'checked before': 'ya se comprobaron',
};
