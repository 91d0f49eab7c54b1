import { number } from '../../../lib/figures.ts';
import { format } from '../../../lib/language.ts';

export const es = {
  check: {
    title: 'Resultado de la comprobación',
    hint: 'Las filas que no pueden ser una persona se omiten. Corrija celdas aquí o continúe: su archivo no cambia. Los números de fila se refieren a él.',
    checking: (count: number) => format('Comprobando {count, plural, one {# fila} other {# filas}}…', { count }),
    opening: 'Abriendo la lista…',
    read: (done: number, all: number) =>
      format('{done, number} de {all, plural, one {# fila} other {# filas}}, {percent} %', {
        done,
        all,
        percent: Math.floor((100 * done) / all),
      }),
    asking: 'Todas las filas están leídas. Buscando personas que ya están en la instancia…',
    checkingHint:
      'Un millón de filas tarda alrededor de un minuto. Puede abrir otras páginas. Si cierra o recarga esta, la comprobación empieza de nuevo.',
    notYet: 'Las filas todavía no se han comprobado.',
    start: 'Comprobar las filas',
    importable: 'personas por importar',
    repeated: 'filas duplicadas',
    composed: (all: number, found: number, repeated: number, rejected: number) =>
      `${format('{all, plural, one {# fila} other {# filas}}', { all })}: ${[
        format('{found, plural, one {# persona} other {# personas}}', { found }),
        ...(repeated > 0
          ? [
              format(
                '{repeated, plural, one {# duplicado de una fila anterior} other {# duplicados de filas anteriores}}',
                {
                  repeated,
                },
              ),
            ]
          : []),
        ...(rejected > 0 ? [format('{rejected, plural, one {# omitida} other {# omitidas}}', { rejected })] : []),
      ].join(', ')}.`,
    rejected: 'omitidas',
    remarked: 'con advertencia',
    known: (found: number, checked: number) =>
      format(
        '{found, plural, =0 {{checked, plural, one {Esta persona todavía no está en la instancia.} other {Ninguna de las # personas comprobadas está todavía en la instancia.}}} one {# de {checked, plural, one {# persona comprobada} other {# personas comprobadas}} ya está en la instancia.} other {# de {checked, plural, one {# persona comprobada} other {# personas comprobadas}} ya están en la instancia.}}',
        { found, checked },
      ),
    unknown: 'La importación encuentra a las personas que ya están en la instancia.',
    fine: 'No se encontraron problemas.',
    none: {
      errors: 'No se omite ninguna fila.',
      duplicates: 'No hay filas duplicadas.',
      warnings: 'No hay otras advertencias.',
    },
    show: 'Mostrar',
    shows: { errors: 'Omitidas', duplicates: 'Duplicados', warnings: 'Con advertencia' },
    showing: (name: string, count: number) => `${name} (${number(count)})`,
    summary: 'Resumen',
    aside: (field: string) =>
      `Los valores que no se pueden usar se importan en el campo personalizado «${field}», para que pueda corregirlos allí.`,
    table: { row: 'Fila', what: 'Problema' },
    cellOf: (column: string, row: number) => `${column}, fila ${number(row)}`,
    everywhere: (value: string) => `Todas las celdas con «${value}»`,
    everywhereEmpty: 'Todas las celdas vacías de esta columna',
    unsaved: (count: number) =>
      format('{count, plural, one {# corrección sin guardar} other {# correcciones sin guardar}}', { count }),
    discard: 'Descartar',
    save: 'Guardar y volver a comprobar',
    replace: 'Buscar y reemplazar…',
    replacing: {
      title: 'Buscar y reemplazar',
      hint: 'Cambia todas las filas de la lista. Se distinguen mayúsculas y minúsculas. Puede deshacerlo.',
      column: 'Columna',
      find: 'Buscar',
      replace: 'Reemplazar por',
      whole: 'Solo celdas con exactamente este valor',
      submit: 'Reemplazar y volver a comprobar',
    },
    corrections: {
      title: (count: number) => format('{count, plural, one {# corrección} other {# correcciones}}', { count }),
      one: (row: number, column: string, value: string) => `${column}, fila de datos ${number(row)}: «${value}»`,
      all: (column: string, find: string, value: string) =>
        `${column}: todas las celdas con «${find}» pasan a «${value}»`,
      text: (column: string, find: string, value: string) =>
        `${column}: «${find}» pasa a «${value}» en todas las celdas`,
      undo: 'Deshacer',
    },
    first: (count: number) => `Solo se muestran las primeras ${number(count)}.`,
    firstErrors: 'El archivo CSV las contiene todas.',
    more: (count: number) => `Mostrar ${number(count)} más`,
    download: 'Descargar filas omitidas (CSV)',
    downloadHint: 'Para corregirlas en una hoja de cálculo y subirlas como lista aparte.',
    next: 'Continuar a la importación',
    back: 'Volver a las columnas',
  },

  findings: {
    required: 'Falta un nombre',
    name_too_long: 'Demasiado largo para un nombre',
    broken_quotes: 'Filas unidas por unas comillas sin cerrar',
    repeated_headers: 'Fila de encabezado repetida',
    shifted_cells: 'Celdas desplazadas a otras columnas',
    invalid_email: 'Correo electrónico no válido; se guarda aparte',
    invalid_phone: 'Número de teléfono no válido; se guarda aparte',
    invalid_zip: 'Código postal no válido; se guarda aparte',
    invalid_state: 'Estado no válido; se guarda aparte',
    invalid_district: 'Distrito no válido; se guarda aparte',
    invalid_date: 'Fecha no válida; no se cambia',
    rounded_by_spreadsheet: 'Número acortado por una hoja de cálculo; se guarda aparte',
    zip_zero_restored: 'Cero inicial restaurado',
    foreign_zip: 'No es un código postal de EE. UU.; se importa sin cambios',
    foreign_state: 'Provincia de Canadá; se importa',
    text_beside_phone: 'Texto junto a un número de teléfono; se guarda aparte',
    several_emails: 'Varios correos electrónicos; se usa el primero',
    several_phones: 'Varios números de teléfono',
    two_people: 'Dos personas en una fila',
    unsure_split: 'No se pudo dividir con seguridad',
    extra_cells: 'Más celdas que columnas; se guardan aparte',
    shortened: 'Demasiado largo; se acorta',
    duplicate_in_file: 'Fila duplicada',
  } as Record<string, string>,
  findingDetails: {
    'Duplicate of row {1} of the file: {2}': 'Duplicado de la fila {1} del archivo: {2}',
    'the same e-mail address': 'el mismo correo electrónico',
    'the same name and phone number': 'el mismo nombre y teléfono',
    'the same name and ZIP code': 'el mismo nombre y código postal',
    'More than one phone number: {1} is used': 'Más de un número de teléfono: se usa {1}',
    'Longer than {1} characters; the rest was cut off': 'Más de {1} caracteres; el resto se cortó',
    'It is unclear where the first name ends and the last name begins':
      'No está claro dónde termina el nombre y empieza el apellido',
    'This is more than a city, a state and a ZIP code': 'Hay más que una ciudad, un estado y un código postal',
  } as Record<string, string>,

  run: {
    title: 'Importar la lista',
    hint: (tenant: string) =>
      `En ${tenant}. La importación continúa aunque salga de esta página, y después puede deshacerla.`,
    notDeployed: 'Esta instancia todavía no se ha desplegado',
    notDeployedHint:
      'La aplicación en marcha es la que importa a las personas. Despliegue la instancia y vuelva aquí. La lista no cambia.',
    toOverview: 'Ir a la instancia',
    viewer: 'Ya se puede importar la lista. Un operador puede hacerlo.',
    listName: 'Nombre de la lista',
    listNameHint: 'La instancia lo muestra como origen de cada persona.',
    tags: 'Etiquetas para todas las personas',
    tagsHint: 'Separadas por comas; opcional.',
    known: 'Si una persona ya existe',
    knownHint: 'En la instancia.',
    knowns: { skip: 'Conservar la existente', update: 'Actualizarla con la lista', add: 'Agregarla de nuevo' },
    repeated: (count: number) =>
      format('Para {count, plural, one {la fila duplicada} other {las # filas duplicadas}} de este archivo', {
        count,
      }),
    repeatedHint: 'Filas de la misma persona: por correo electrónico, o por nombre junto con teléfono o código postal.',
    repeats: (adds: boolean) => ({
      first: 'Conservar la primera fila',
      last: 'Conservar la última fila',
      merge: 'Combinar: la primera fila, completada con las demás',
      all: adds ? 'Conservar todas las filas' : 'Enviar todas las filas: la instancia las compara',
    }),
    submit: (count: number | undefined) =>
      count === undefined
        ? 'Importar'
        : format('Importar {count, plural, one {# persona} other {# personas}}', { count }),
    again: 'Importar de nuevo',
    noneValid: 'No se puede importar ninguna fila. Revise la comprobación o las columnas.',
    noneNew: 'Todas las personas de la lista ya están en la instancia: la importación no agregaría a nadie.',
    underWay: 'Importación en curso',
    retry: (reason: string, attempt: number, time: string) =>
      `La instancia no aceptó las filas: ${reason}. Intento ${attempt} a las ${time}. El gestor reintenta durante cinco minutos.`,
    underWayHint: 'Puede salir de esta página. La importación continúa.',
    progress: 'Progreso de la importación',
    checkedFirst: 'Primero se comprueban todas las filas. Después se agregan las personas.',
    processed: (done: number, all: number) =>
      format('{done, number} de {all, plural, one {# fila} other {# filas}}', { done, all }),
    cancel: 'Cancelar importación…',
    cancelTitle: '¿Cancelar la importación?',
    cancelHint: 'Las personas ya agregadas siguen en la instancia. Después puede deshacer la importación.',
    cancelSubmit: 'Cancelar importación',
    cancelled: 'Cancelando…',
    figures: {
      imported: 'agregadas',
      updated: 'actualizadas',
      duplicates: 'ya en la instancia',
      inFile: 'duplicados en el archivo',
      anyDuplicates: 'duplicados',
      failed: 'omitidas',
    },
    back: 'Volver a la comprobación',
  },

  result: {
    done: (count: number) =>
      format('{count, plural, one {# persona agregada} other {# personas agregadas}}', { count }),
    noneNew: 'Ninguna persona nueva',
    doneHint: (name: string) => `Se importó ${name}.`,
    failed: 'La importación falló',
    cancelled: 'La importación se canceló',
    stopped: (count: number) =>
      format(
        '{count, plural, =0 {La instancia no informó de ninguna persona agregada, pero algunas filas podrían haber estado en camino.} one {Ya se había agregado # persona, que está en la instancia; podría haber habido más filas en camino.} other {Ya se habían agregado # personas, que están en la instancia; podría haber habido más filas en camino.}} Vuelva a importar para continuar o deshaga la importación.',
        { count },
      ),
    undone: 'La importación se deshizo',
    undoneHint: (removed: number) =>
      format(
        '{removed, plural, one {Se quitó # persona} other {Se quitaron # personas}} de la instancia. Puede volver a importar la lista.',
        { removed },
      ),
    finished: 'Fin:',
    began: 'Inicio:',
    open: 'Ver personas',
    another: 'Subir otra lista',
    refused: 'Descargar filas omitidas (CSV)',
    undo: 'Deshacer importación…',
    undoTitle: '¿Deshacer esta importación?',
    undoHint:
      'Las personas que agregó esta lista se quitan de la instancia. Las que alguien haya modificado desde entonces se quedan, y los cambios en personas que ya existían no se revierten.',
    undoSubmit: 'Deshacer importación',
    kept: (count: number) =>
      format(
        '{count, plural, one {# persona sigue en la instancia porque alguien la ha modificado} other {# personas siguen en la instancia porque alguien las ha modificado}} desde entonces.',
        { count },
      ),
    earlierBroken:
      'Una importación con otras columnas se interrumpió, y parte de ella puede estar en la instancia. Para sustituirla, deshágala primero.',
    earlier: (count: number) =>
      format(
        'Esta lista se importó con otras columnas, y {count, plural, one {# persona de esa importación está en la instancia. Para sustituirla} other {# personas de esa importación están en la instancia. Para sustituirlas}}, deshaga primero esa importación.',
        { count },
      ),
  },
};
