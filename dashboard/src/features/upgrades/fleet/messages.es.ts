import { number } from '../../../lib/figures.ts';
import { format } from '../../../lib/language.ts';

/** The manager's reasons, and their Spanish. */
const reasons: readonly [RegExp, string][] = [
  [/^Not deployed$/, 'No desplegada'],
  [/^Deleted$/, 'Eliminada'],
  [/^Already runs (\S+)$/, 'Ya usa $1'],
  [/^Already in fleet upgrade (\S+)$/, 'Ya participa en la actualización de la flota $1'],
  [/^No version (\S+) in its repository$/, 'Su repositorio no tiene la versión $1'],
  [/^Runs (\S+), which is newer$/, 'Usa $1, que es más reciente'],
  [/^Not in any ring \((.*)\)$/, 'En ningún grupo ($1)'],
  [
    /^An earlier upgrade to (\S+) failed \(set retry_failed to retry it\): /,
    'Una actualización anterior a $1 falló (marque la opción correspondiente para reintentarla): ',
  ],
  [/^The fleet upgrade was cancelled$/, 'La actualización de la flota se canceló'],
  [/^The record of its upgrade was removed$/, 'Se eliminó el registro de su actualización'],
  [/^Its upgrade was cancelled: /, 'Su actualización se canceló: '],
  [/^Not healthy after its upgrade: /, 'Con fallos después de su actualización: '],
];

export const es = {
  title: 'Actualizaciones',
  hint: 'Actualice muchas instancias por grupos: primero unas pocas, después las demás. Una actualización fallida se revierte automáticamente.',
  begin: 'Nueva actualización',
  emptyTitle: 'Todavía no hay actualizaciones',
  emptyHint:
    'Una versión nueva llega primero a una instancia, luego a algunas y después a todas: por grupos. Cada grupo debe estar en buen estado antes de que empiece el siguiente, y demasiados fallos detienen la actualización. Para actualizar una sola instancia, use su propia página.',
  columns: {
    what: 'Versión',
    status: 'Estado',
    tenants: 'Actualizadas',
    failed: 'Fallidas',
    by: 'Por',
    began: 'Solicitada',
  },
  of: (done: number, all: number) => `${number(done)} de ${number(all)}`,
  newer: 'Más recientes',
  older: 'Más antiguas',
  pages: 'Páginas',
  status: {
    pending: 'En cola',
    running: 'En curso',
    paused: 'En pausa',
    halted: 'Detenida por fallos',
    cancelled: 'Terminada antes de tiempo',
    completed: 'Completada',
  },
  withFailures: 'Completada con fallos',
  member: {
    waiting: 'Pendiente',
    upgrading: 'En curso',
    succeeded: 'Actualizada',
    failed: 'Fallida',
    skipped: 'Omitida',
  },
  form: {
    title: 'Actualizar muchas instancias',
    hint: 'Antes de que cambie nada, verá qué instancias están en cada grupo.',
    version: 'Versión de destino',
    versionHint: 'Una etiqueta de versión del repositorio de las instancias, como v1.4.0.',
    newest: (version: string, tenant: string) => `${version} es la versión más reciente del repositorio de ${tenant}.`,
    halted: (version: string) => `La última actualización a ${version} se detuvo por fallos`,
    haltedHint: 'Elija otra versión o úsela de nuevo solo si la causa está corregida.',
    which: 'Qué instancias',
    selected: (count: number) =>
      format('{count, plural, one {# instancia seleccionada} other {# instancias seleccionadas}} en la lista', {
        count,
      }),
    more: (count: number) => `y ${number(count)} más`,
    byFilter: 'Seleccionar por estado y nombre',
    status: 'Estado',
    anyStatus: 'Cualquiera',
    search: 'Nombre, nombre corto o dominio',
    searchHint: 'Déjelo vacío para incluirlas todas.',
    from: 'Versión actual',
    fromHint: 'Déjelo vacío para cualquiera. Las instancias que ya usan la versión de destino se omiten.',
    how: 'Opciones',
    rings: 'Grupos',
    ringsHint: 'Un grupo empieza cuando el anterior ha terminado y está en buen estado.',
    ringChoices: {
      '1, 10%, 100%': 'Una instancia, 10 %, todas',
      '1, 25%, 50%, 100%': 'Una instancia, 25 %, 50 %, todas',
      '100%': 'Todas en un grupo',
      own: 'Personalizados…',
    } as Record<string, string>,
    ownRings: 'Grupos, del primero al último',
    ownRingsHint:
      'El total alcanzado después de cada grupo, como número de instancias o como porcentaje. Por ejemplo: 1, 5, 20%, 100%',
    failures: 'Fallos permitidos',
    failuresHint:
      'Si fallan más, la actualización se detiene hasta que usted decida. Las instancias fallidas se revierten.',
    pause: 'Pausa entre grupos',
    pauses: {
      '0': 'Ninguna',
      '300': '5 minutos',
      '900': '15 minutos',
      '3600': '1 hora',
      '14400': '4 horas',
      '86400': '1 día',
    } as Record<string, string>,
    pauseHint: 'Tiempo para comprobar que las instancias actualizadas funcionan.',
    backup: 'Hacer antes una copia de cada base de datos',
    backupHint: 'Antes de las migraciones siempre se hace una copia de protección.',
    migrations: 'Ejecutar las migraciones de la versión nueva',
    retry: 'Incluir las instancias en las que esta versión ya falló',
    preview: 'Ver los grupos',
    begin: (count: number, version: string) =>
      format('Actualizar {count, plural, one {# instancia} other {# instancias}} a {version}', { count, version }),
    change: 'Si cambia el formulario, vuelva a ver los grupos.',
  },
  plan: {
    title: 'Qué pasaría',
    hint: 'Todavía no se ha cambiado nada.',
    reading: 'Comprobando cada instancia y su repositorio…',
    ring: (ring: number, count: number) =>
      format('Grupo {ring}: {count, plural, =0 {ninguna instancia nueva} one {# instancia} other {# instancias}}', {
        ring,
        count,
      }),
    skipped: (count: number) => format('Omitidas: {count, plural, one {# instancia} other {# instancias}}', { count }),
    refused: 'Consulte el error junto al campo.',
    noTenants: 'No se actualizaría ninguna instancia',
    noTenantsHint: 'Cada instancia muestra el motivo. Seleccione otras instancias u otra versión.',
  },
  rings: {
    title: 'Cómo funciona una actualización',
    lesson: [
      'La versión nueva se compila una vez. En el primer grupo, cada base de datos se copia y se migra, y cada instancia debe superar su comprobación de estado.',
      'Una actualización fallida se revierte: esa instancia sigue con su versión y sus datos anteriores.',
      'El siguiente grupo empieza cuando el actual ha terminado, la pausa ha pasado y sus instancias siguen en buen estado.',
      'Si fallan más instancias de las permitidas, la actualización se detiene y espera su decisión. Puede pausarla o detenerla en cualquier momento.',
    ],
  },
  one: {
    title: (version: string) => `Actualización a ${version}`,
    back: 'Actualizaciones',
    asked: (who: string) => `solicitada por ${who}`,
    halted: 'Detenida por fallos: no empieza ninguna actualización más',
    haltedHint:
      'Compruebe qué falló. Reanude si la causa eran las instancias; detenga la actualización si era la versión. Las instancias fallidas usan su versión anterior, salvo que se indique otra cosa.',
    paused: 'En pausa: no empieza ninguna actualización más',
    pausedHint: 'Las actualizaciones en curso continúan.',
    pause: 'Pausar',
    resume: 'Reanudar',
    cancel: 'Detener la actualización…',
    retry: (count: number) =>
      format('{count, plural, one {Reintentar la instancia fallida} other {Reintentar las # instancias fallidas}}', {
        count,
      }),
    progress: 'Progreso',
    ended: (done: number, all: number) =>
      format(
        '{done, plural, one {# terminada} other {# terminadas}} de {all, plural, one {# instancia} other {# instancias}}',
        {
          done,
          all,
        },
      ),
    nextRing: 'El siguiente grupo empieza en',
    nextRingNow: 'Comprobando el estado de este grupo antes de que empiece el siguiente.',
    show: 'Mostrar',
    everything: 'Todas',
    nothing: 'Ninguna instancia en este estado.',
    ring: (ring: number) => `Grupo ${ring}`,
    size: (size: number | string) =>
      typeof size === 'string'
        ? `hasta el ${size.replace('%', ' %')}`
        : format('hasta {size, plural, one {# instancia} other {# instancias}}', { size }),
    noNewTenants: 'ninguna instancia nueva',
    left: 'Omitidas desde el principio',
    counts: {
      waiting: (count: number) => format('{count, plural, one {# pendiente} other {# pendientes}}', { count }),
      upgrading: (count: number) => `${number(count)} en curso`,
      succeeded: (count: number) => format('{count, plural, one {# actualizada} other {# actualizadas}}', { count }),
      failed: (count: number) => format('{count, plural, one {# fallida} other {# fallidas}}', { count }),
      skipped: (count: number) => format('{count, plural, one {# omitida} other {# omitidas}}', { count }),
    },
    from: (version: string) => `desde ${version}`,
    watch: 'Ver',
    log: 'Registro',
    watchOf: (word: string, slug: string) => `${word}: ${slug}`,
    facts: 'Opciones',
    maxFailures: 'Fallos permitidos',
    pauseBetween: 'Pausa entre grupos',
    backup: 'Copia de seguridad previa',
    migrations: 'Migraciones',
    retryFailed: 'Incluir los fallos anteriores',
    yes: 'sí',
    no: 'no',
    began: 'Inicio',
    over: 'Fin',
    resumeTitle: '¿Reanudar después de los fallos?',
    resumeHint:
      'Se aceptan los fallos ocurridos hasta ahora. La actualización vuelve a detenerse si fallan más de los permitidos. Las instancias fallidas no se reintentan.',
    resumed: 'Actualización reanudada.',
    pausedDone: 'Actualización en pausa.',
    cancelTitle: '¿Detener esta actualización?',
    cancelHint:
      'Las instancias pendientes se quedan como están. Las actualizaciones en curso continúan y las instancias actualizadas conservan la versión nueva. Una actualización detenida así no se puede reanudar, pero puede iniciar otra.',
    cancelSubmit: 'Detener la actualización',
    cancelled: 'Se detiene después de las actualizaciones en curso.',
  },
  reason: (reason: string): string => {
    const [pattern, spanish] = reasons.find(([one]) => one.test(reason)) ?? [];
    return pattern && spanish ? reason.replace(pattern, spanish) : reason;
  },
  haltReason: (reason: string): string =>
    reason
      .replace(/^(\d+) failed(?=[,;])/, (_all, failed: string) =>
        format('{failed, plural, one {# fallida} other {# fallidas}}', { failed: Number(failed) }),
      )
      .replace(/^([^;]{1,40}), (\d+) of them before it was resumed;/, '$1, $2 de ellas antes de reanudar;')
      .replace(/^([^;]{1,80}); (\d+) may fail\. /, '$1; fallos permitidos: $2. ')
      .replace(/; and (\d+) more$/, '; y $1 más'),
};
