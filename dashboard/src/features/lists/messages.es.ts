import { number } from '../../lib/figures.ts';
import { format } from '../../lib/language.ts';

export const es = {
  title: 'Listas de contactos',
  count: (count: number) => number(count),

  drop: {
    label: 'Elegir una lista',
    title: 'Subir una lista de contactos',
    hint: 'O suéltela aquí: CSV, Excel (.xlsx, .xls) u OpenDocument (.ods). Podrá revisarlo todo antes de importarla.',
    sending: (name: string) => `Subiendo ${name}`,
    sent: (sent: string, all: string) => `${sent} de ${all}`,
    reading: 'Leyendo el archivo…',
    readingHint: 'Una lista larga tarda unos segundos.',
    cancel: 'Cancelar',
    viewer: 'Un operador puede subir listas.',
    whatToDo: {
      unsupported_file: 'Ábralo en su programa de hojas de cálculo, guárdelo como CSV o .xlsx y suba ese archivo.',
    },
  },

  formatHelp: {
    title: 'Formatos de lista admitidos',
    points: [
      'Cualquier tabla con una persona por fila. Puede tener filas de título, puntos y comas o juegos de caracteres antiguos.',
      'Las columnas pueden tener cualquier nombre y orden. Verá cómo se reconoció cada una y podrá corregirlo.',
      'Se necesitan nombre y apellido. Si hay una sola columna con el nombre completo, se divide.',
      'Nada llega a la instancia antes del último paso, y puede deshacer una importación.',
    ],
    example: 'Ejemplo',
    exampleColumns: ['Nombre completo', 'Móvil', 'Correo', 'Ciudad', 'Código postal'],
    exampleRows: [
      ['Rosa Vanterpool', '312-555-0170', 'rosa@example.org', 'Riverton', '62561'],
      ['EVERLY, KOFI', '(312) 555-0107', '', 'Greenville', '62246'],
    ],
  },

  history: {
    title: 'Listas anteriores',
    columns: {
      list: 'Lista',
      rows: 'Filas',
      state: 'Estado',
      people: 'Personas agregadas',
      by: 'Subida por',
      when: 'Fecha de subida',
    },
    newer: 'Más recientes',
    older: 'Más antiguas',
    pages: 'Páginas',
    page: (from: number, to: number, all: number) => `${number(from)}–${number(to)} de ${number(all)}`,
  },

  states: {
    pending: 'Columnas sin asignar',
    analyzing: 'Analizando',
    ready: 'Sin importar',
    importing: 'Importando',
    completed: 'Importada',
    failed: 'Fallida',
    cancelled: 'Cancelada',
    undone: 'Deshecha',
  },

  list: {
    back: 'Listas de contactos',
    steps: 'Pasos',
    stepNames: {
      file: 'Archivo',
      preview: 'Vista previa',
      columns: 'Columnas',
      check: 'Comprobación',
      import: 'Importación',
    },
    done: 'hecho',
    meta: (count: number, by: string) =>
      format('{count, plural, one {# fila} other {# filas}}, subida por {by}', { count, by }),
    contents: 'Los operadores y los administradores pueden ver a las personas de esta lista e importarla.',
    fileGone:
      'El archivo se eliminó porque terminó su plazo de conservación. Los resultados siguen aquí. Para volver a importar la lista, súbala otra vez.',
    gone: 'Esta lista ya no existe',
    goneHint: 'Alguien la eliminó o la dirección ya no es válida.',
    delete: 'Eliminar lista…',
    deleteTitle: (name: string) => `¿Eliminar ${name}?`,
    deleteHint: 'Se eliminan el archivo y su historial. Las personas importadas de la lista siguen en la instancia.',
    deleteSubmit: 'Eliminar lista',
    deleted: (name: string) => `Se eliminó ${name}.`,
    actions: 'Acciones para esta lista',
  },

  preview: {
    title: '¿Es esta su lista?',
    hint: 'Las primeras filas, tal como se leyeron. Todavía no se ha importado nada.',
    recognised: 'Cómo se leyó',
    kind: 'Archivo',
    kinds: {
      csv: 'Texto',
      xlsx: 'Libro de Excel (.xlsx)',
      xls: 'Libro de Excel (.xls)',
      ods: 'Hoja de OpenDocument (.ods)',
    },
    delimiters: {
      ',': 'comas',
      ';': 'puntos y comas',
      '\t': 'tabulaciones',
      '|': 'barras',
      '^': 'acentos circunflejos',
    } as Record<string, string>,
    encodings: {
      'utf-8': 'UTF‑8',
      'utf-16le': 'UTF‑16',
      'utf-16be': 'UTF‑16',
      'windows-1252': 'Windows-1252',
      macintosh: 'Mac Roman',
    } as Record<string, string>,
    csv: (delimiter: string, encoding: string) => `Texto con ${delimiter}, ${encoding}`,
    size: 'Tamaño',
    sizes: (rows: number, columns: number) =>
      format('{rows, plural, one {# fila} other {# filas}}, {columns, plural, one {# columna} other {# columnas}}', {
        rows,
        columns,
      }),
    sheet: 'Hoja',
    sheetHint: 'Se importa una sola hoja a la vez.',
    emptySheet: (name: string) => `${name} (vacía)`,
    header: 'Nombres de las columnas',
    headerHint: 'Si cambia esto, se vuelve a leer el archivo y a analizar sus columnas.',
    headerRow: (row: number, cells: string) => `En la fila ${row}: ${cells}`,
    headerRowOnly: (row: number) => `En la fila ${row}`,
    noHeader: 'Ninguno: la lista no tiene fila de encabezado',
    readingAgain: 'Leyendo el archivo otra vez…',
    noticed: 'Notas',
    table: 'Primeras filas de la lista',
    moreColumns: (count: number) =>
      format(
        '{count, plural, one {Hay # columna más que no se muestra} other {Hay # columnas más que no se muestran}} aquí.',
        {
          count,
        },
      ),
    next: 'Continuar a las columnas',
    noRows:
      'No hay filas debajo de los nombres de las columnas, así que no hay a quién importar. Si su lista tiene filas, elija arriba la fila con los nombres de las columnas o suba el archivo correcto.',
  },

  notes: {
    '1 title row above row {1} is left out.': 'Se omite 1 fila de título por encima de la fila {1}.',
    '{1} title rows above row {2} are left out.': 'Se omiten {1} filas de título por encima de la fila {2}.',
    'The file has no header row: the columns are named by their letters.':
      'El archivo no tiene fila de encabezado: las columnas se nombran con sus letras.',
    'Empty or repeated headers were named: {1}.': 'Se dio nombre a encabezados vacíos o repetidos: {1}.',
    '{1} bytes of the file are no characters of its encoding (UTF-8); they show as \uFFFD.':
      '{1} bytes del archivo no son caracteres de su codificación (UTF-8); se muestran como \uFFFD.',
    'Sheet "{1}" is read; there is also {2}.': 'Se lee la hoja «{1}»; también hay {2}.',
    'The quotation mark that opens a cell in row {1} is not closed':
      'Las comillas que abren una celda en la fila {1} no se cierran',
    '{1}: quotation marks are taken as ordinary characters in the whole file.':
      '{1}: en todo el archivo las comillas se leen como caracteres normales.',
  } as Record<string, string>,
};
