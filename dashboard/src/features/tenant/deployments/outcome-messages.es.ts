import { format } from '../../../lib/language.ts';

export const es = {
  failedAt: (step: string) => `Falló en «${step}»`,
  deployed: (what: string) => `${what} está en línea`,
  deployedHint: 'La instancia está en marcha y responde a su comprobación de estado.',
  prepared: (what: string) => `${what} está lista. Sus servicios no se iniciaron, como se pidió`,
  openSite: 'Abrir el sitio',
  cancelled: 'Operación cancelada',
  cancelledFirst: 'Se deshicieron todos los cambios. Puede volver a desplegar.',
  cancelledAgain: 'La versión anterior no se modificó.',
  toUpgrade: 'Versiones y actualizaciones',
  toBackups: 'Copias de seguridad',
  head: 'el último commit',
  before: 'el commit anterior',
  upgrade: {
    done: (version: string) => `Actualizada a ${version}, comprobación de estado superada`,
    doneHint: (from: string, migrations: number) =>
      format(
        'Versión anterior: {from}. {migrations, plural, =0 {No se ejecutó ninguna migración.} one {Se ejecutó # migración.} other {Se ejecutaron # migraciones.}}',
        { from, migrations },
      ),
    backup: 'Se conservó la copia de seguridad anterior a la actualización.',
    rolledBack: (version: string, before: string) => `Falló ${version}. Se revirtió a ${before}, datos incluidos`,
    unchanged: (version: string, before: string) =>
      `No se pudo preparar ${version}. No se cambió nada: se sigue usando ${before}`,
    notBack: (version: string) => `Falló ${version}, y la reversión está incompleta. Debe intervenir`,
    what: 'Qué falló',
  },
  rehearsal: {
    ok: (version: string) => `${version} funcionaría`,
    failed: (version: string) => `${version} fallaría`,
    broken: 'El ensayo no pudo terminar',
    hint: 'El sitio no se modificó, y la copia de sus datos se eliminó. El informe está en la pestaña Actualización.',
    report: 'Ver informe',
  },
  restore: {
    done: 'La copia se restauró',
    healthy: 'La copia se restauró, y el sitio está en buen estado',
    doneHint: 'El estado anterior se guardó como una copia aparte. Para volver a él, restaure esa copia.',
    rolledBack: 'La restauración falló. Se conservó el estado anterior y no se perdió nada',
    notBack: 'La restauración falló, y el estado anterior no se pudo recuperar del todo. Debe intervenir',
    notBackHint:
      'El estado anterior está en la copia más reciente hecha antes de una restauración. Restaure esa copia y después inicie la instancia.',
    unsaved: 'El estado anterior no se copió, como se pidió.',
  },
  drill: {
    done: 'La prueba de restauración terminó',
    doneHint: 'El resultado se muestra en la copia.',
    failed: 'No se pudo hacer la prueba de restauración. El sitio no se modificó',
  },
  backup: { done: 'La copia de seguridad se creó y se verificó', doneHint: '', failed: 'No se creó ninguna copia' },
};
