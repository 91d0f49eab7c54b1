import { format } from '../../../lib/language.ts';
import { stepNames, stepReasons } from './steps.es.ts';

export const esDeploy = {
  title: (name: string) => `Desplegar ${name}`,
  hint: 'Obtiene la versión, prepara la base de datos, inicia los servicios y comprueba que respondan.',
  againTitle: (name: string) => `¿Volver a desplegar ${name}?`,
  againHint: 'Sus servicios se reinician. Si los nuevos no llegan a estar en buen estado, se conservan los actuales.',
  submit: 'Desplegar',
  submitAgain: 'Volver a desplegar',
  toUpgrade: 'Continuar con la actualización',
  what: 'Qué desplegar',
  kinds: {
    latest: (version: string) => `Última versión publicada (${version})`,
    head: (branch: string) => `Último commit de ${branch}`,
    deployed: (version: string | null) =>
      version ? `${version}, la versión desplegada` : 'Versión desplegada actualmente',
    tag: 'Otra versión',
    branch: 'Una rama',
    commit: 'Un commit',
  },
  version: 'Versión',
  branch: 'Rama',
  commit: 'Commit',
  commitHint: 'Al menos 7 dígitos de su ID. Debe estar en una rama o en una etiqueta de Git.',
  failedBefore: (version: string) => `${version} (ya falló antes)`,
  preRelease: (version: string) => `${version} (versión preliminar)`,
  by: (author: string) => `de ${author}`,
  changes: {
    title: 'Qué va a cambiar',
    reading: 'Comparando…',
    nothing: 'El mismo commit y las mismas variables que ahora.',
    added: (total: number) => format('{total, plural, one {Se añade # commit} other {Se añaden # commits}}', { total }),
    removed: (total: number) =>
      format('{total, plural, one {Se retira # commit} other {Se retiran # commits}}', { total }),
    more: (count: number) => format('y {count, number} más', { count }),
    unknown:
      'No se conocen los commits intermedios: el commit desplegado ya no está en el repositorio o Git no pudo comparar.',
    variables: { added: 'Variables nuevas', changed: 'Variables modificadas', removed: 'Variables eliminadas' },
    migrations: 'Migraciones que se ejecutan',
  },
  otherVersions: 'Otra versión se despliega como actualización: con copia de seguridad y con reversión si falla.',
};

export const es = {
  kinds: {
    deploy: 'Despliegue',
    upgrade: 'Actualización',
    restore: 'Restauración',
    backup: 'Copia de seguridad',
    drill: 'Prueba de restauración',
    rehearsal: 'Ensayo de actualización',
    move: 'Traslado a otro entorno de ejecución',
    rollback: 'Reversión',
  } as Record<string, string>,
  steps: 'Pasos',
  stepNames,
  stepReasons,
  log: 'Registro',
  cancel: 'Cancelar operación…',
  cancelled: 'Cancelando…',
  retry: 'Volver a desplegar',
  began: 'Inicio',
  took: 'Duración',
  back: 'Despliegues',
  empty: 'Todavía no se ha desplegado nada',
  emptyHint:
    'Un despliegue obtiene el repositorio, prepara la base de datos, inicia los servicios y comprueba que respondan.',
  columns: {
    what: 'Tipo',
    version: 'Versión',
    status: 'Resultado',
    began: 'Inicio',
    took: 'Duración',
    back: 'Acciones',
  },
  rollBack: (version: string) => `Revertir a ${version}…`,
  upgrade: (version: string) => `Actualizar a ${version}…`,
  again: (version: string) => `Volver a desplegar ${version}…`,
  progress: 'Progreso',
  stepStates: { pending: 'Pendiente', running: 'En curso', success: 'Hecho', failed: 'Falló', skipped: 'Omitido' },
  cancelWork: {
    title: '¿Cancelar esta operación?',
    hint: 'Se detiene y se deshacen sus cambios.',
    keep: 'Dejar que siga',
    submit: 'Cancelar operación',
  },
};
