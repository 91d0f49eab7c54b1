import { number } from '../../../lib/figures.ts';
import { format } from '../../../lib/language.ts';

/** «a v1.2.3», «al último commit» */
const to = (version: string): string => (version.startsWith('el ') ? `al ${version.slice(3)}` : `a ${version}`);
/** «de v1.2.3», «del último commit» */
const of = (version: string): string => (version.startsWith('el ') ? `del ${version.slice(3)}` : `de ${version}`);

export const es = {
  notDeployedTitle: 'Todavía no hay nada que actualizar',
  notDeployedHint:
    'El primer despliegue instala la versión más reciente. Las actualizaciones instalan las siguientes y, si fallan, se revierten.',
  noRepositoryTitle: 'Sin repositorio',
  noRepositoryHint: 'Añada el repositorio de Git del que proceden las versiones.',
  head: 'el último commit',
  upToDate: (version: string) => `Al día: ${version}`,
  upToDateHint: 'Es la versión más reciente. Las versiones nuevas aparecen aquí automáticamente.',
  upToDateHeadHint: 'Es el último commit. Los commits nuevos aparecen aquí automáticamente.',
  aheadHint: (latest: string) => `Es más reciente que la última versión publicada, ${latest}.`,
  noReleaseHint:
    'El repositorio no tiene ninguna versión más reciente. Cree una etiqueta de Git como v1.2.3 y aparecerá aquí.',
  ready: (version: string) => `Disponible: ${version}`,
  readyHint: (version: string) =>
    `Versión en uso: ${version}. Un ensayo prueba la actualización con una copia de los datos, sin tocar el sitio.`,
  failedBefore: (version: string) => `${version} es la versión más reciente, pero aquí falló`,
  wouldFail: (version: string) => `${version} es la versión más reciente, pero aquí fallaría`,
  wouldFailHint: 'Un ensayo encontró el problema. Consulte el informe de abajo. Espere una versión corregida.',
  rehearsed: (version: string) => `Disponible, con un ensayo correcto: ${version}`,
  rehearsedHint: (version: string) => `Versión en uso: ${version}. Consulte abajo el informe del ensayo.`,
  failedBeforeHint: 'Espere una versión corregida o vuelva a ensayarla para ver si ahora funcionaría.',
  upgrade: 'Actualizar…',
  rehearse: 'Ensayar primero',
  rehearseAgain: 'Volver a ensayar',
  upgradeAnyway: 'Actualizar de todos modos…',
  rehearseOne: 'Ensayar',
  goBack: 'Volver a esta versión…',
  actionsOf: (version: string) => `Acciones para ${version}`,
  rehearsalStarted: 'Ensayo iniciado. El sitio sigue funcionando.',
  underWay: {
    upgrade: ['Actualización en curso', 'Si falla, se revierte, también los datos. Puede salir de esta página.'],
    rehearsal: [
      'Ensayo en curso',
      'Se hace con una copia de los datos. El sitio sigue funcionando y no se modifica. Puede salir de esta página.',
    ],
    other: ['Hay otra operación en curso', 'Las actualizaciones y los ensayos deben esperar hasta que termine.'],
    watch: 'Ver',
  } as Record<'upgrade' | 'rehearsal' | 'other', [string, string]> & { watch: string },
  log: 'Ver registro',
  versions: 'Versiones',
  versionsHint: 'Las etiquetas de Git del repositorio, de la más reciente a la más antigua.',
  noVersions:
    'El repositorio no tiene etiquetas de versión. Una actualización instala el último commit de su rama predeterminada.',
  more: (shown: number, all: number) => `Mostrar más (${number(shown)} de ${number(all)})`,
  columns: { version: 'Versión', what: 'Descripción', actions: 'Acciones' },
  marks: {
    deployed: 'Actual',
    latest: 'Más reciente',
    preRelease: 'Versión preliminar',
    failed: 'Falló aquí',
  },
  ask: {
    title: (version: string) => `¿Actualizar ${to(version)}?`,
    backTitle: (version: string) => `¿Volver ${to(version)}?`,
    hint: (name: string, version: string) => `Versión en uso en ${name}: ${version}.`,
    what: 'Qué va a pasar',
    steps: (version: string, current: string) => [
      `Se descarga y se compila ${version} mientras el sitio funciona. Si eso falla, no cambia nada.`,
      'El sitio se detiene un momento. Los visitantes ven una página de error.',
      'Se hace una copia de la base de datos y se ejecutan las migraciones.',
      `Arranca ${version} y debe superar su comprobación de estado.`,
      `Si algo falla, se restauran automáticamente ${current} y sus datos.`,
    ],
    back: [
      'El código más antiguo arranca con los datos actuales; los datos no se revierten.',
      'Un código más antiguo puede no entender datos más recientes. Para recuperar también los datos antiguos, restaure después una copia de esa versión.',
    ],
    failed: (at: string) => `Aquí falló el ${at}:`,
    wouldFail: 'Un ensayo encontró que fallaría:',
    more: 'Más opciones',
    backup: 'Hacer antes una copia de seguridad',
    backupHint:
      'Aunque no lo marque, se hace una copia antes de las migraciones, porque de otro modo no se pueden deshacer.',
    migrations: 'Ejecutar sus migraciones',
    migrationsHint: 'Déjelo marcado salvo que sepa que la versión nueva no necesita migraciones.',
    submit: (version: string) => `Actualizar ${to(version)}`,
    submitBack: (version: string) => `Volver ${to(version)}`,
  },
  report: {
    title: (version: string) => `Ensayo ${of(version)}`,
    ok: (version: string) => `${version} funcionaría`,
    okHint: (migrations: number, took: string) =>
      format(
        '{migrations, plural, one {Se compiló, y su migración se ejecutó} other {Se compiló, y sus # migraciones se ejecutaron}} con una copia de los datos en {took}. El sitio no se modificó.',
        { migrations, took },
      ),
    okNothing: 'Se compiló. El sitio no se modificó.',
    fails: (version: string) => `${version} fallaría`,
    failsHint: 'El sitio no se modificó y la copia se eliminó. Envíe esto a los desarrolladores de la aplicación:',
    inScript: (script: string) => `en la migración ${script}`,
    output: 'Últimas líneas de su salida',
    took: 'Total',
    copy: 'Copia de los datos',
    migrations: 'Migraciones',
    migrationsHint: 'Durante una actualización, el sitio no está disponible mientras se ejecutan.',
    schema: 'Tablas modificadas',
    noSchema: 'No cambia la estructura de ninguna tabla.',
    changes: { added: 'se añade', removed: 'se elimina', changed: 'cambia' },
    column: (name: string) => `columna ${name}`,
    index: (name: string) => `índice ${name}`,
    rows: 'Cambios en el número de filas',
    noRows: (tables: number, rows: number) =>
      format(
        'Todas las tablas conservan sus filas ({tables, plural, one {# tabla} other {# tablas}}, {rows, plural, one {# fila} other {# filas}}).',
        { tables, rows },
      ),
    rowColumns: { table: 'Tabla', before: 'Antes', after: 'Después', difference: 'Diferencia' },
    fewer: (rows: number) => `${number(rows)} menos`,
    more: (rows: number) => `${number(rows)} más`,
    newTable: 'tabla nueva',
    noTable: 'tabla eliminada',
    notes: 'Notas',
    broken: 'El ensayo no pudo terminar',
    worded: {
      'The rehearsal could not be completed: {1}. The tenant was not changed':
        'No se pudo completar el ensayo: {1}. La instancia no se modificó',
      Prepare: 'Preparar',
      'Run migrations': 'Ejecutar migraciones',
      'No migrations were run: {1}': 'No se ejecutó ninguna migración: {1}',
      'this version has no database': 'esta versión no tiene base de datos',
      'the tenant has no database yet': 'la instancia todavía no tiene base de datos',
    },
  },
};
