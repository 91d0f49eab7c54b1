import { number } from '../../lib/figures.ts';
import { format, translated } from '../../lib/language.ts';
import { listColumnsText } from './columns/messages.ts';
import { listImportText } from './import/messages.ts';
import { es } from './messages.es.ts';

const en = {
  title: 'Contact lists',
  count: (count: number) => number(count),

  drop: {
    label: 'Choose a list',
    title: 'Upload a contact list',
    hint: 'Or drop it here: CSV, Excel (.xlsx, .xls) or OpenDocument (.ods). You review everything before it is imported.',
    sending: (name: string) => `Uploading ${name}`,
    sent: (sent: string, all: string) => `${sent} of ${all}`,
    reading: 'Reading the file…',
    readingHint: 'A long list takes a few seconds.',
    cancel: 'Cancel',
    viewer: 'An operator can upload lists.',
    whatToDo: {
      unsupported_file: 'Open it in your spreadsheet program, save it as CSV or .xlsx, and upload that file.',
    },
  },

  formatHelp: {
    title: 'Supported list formats',
    points: [
      'Any table with one person per row. Title rows, semicolons and old character sets are fine.',
      'Columns can have any names, in any order. You see how each column was recognised and can correct it.',
      'A first and a last name are required. A single column with the full name is split.',
      'Nothing reaches the tenant before the last step, and you can undo an import.',
    ],
    example: 'Example',
    exampleColumns: ['Full Name', 'Mobile', 'E-mail', 'City', 'ZIP'],
    exampleRows: [
      ['Rosa Vanterpool', '312-555-0170', 'rosa@example.org', 'Riverton', '62561'],
      ['EVERLY, KOFI', '(312) 555-0107', '', 'Greenville', '62246'],
    ],
  },

  history: {
    title: 'Previous lists',
    columns: {
      list: 'List',
      rows: 'Rows',
      state: 'Status',
      people: 'People added',
      by: 'Uploaded by',
      when: 'Uploaded',
    },
    newer: 'Newer',
    older: 'Older',
    pages: 'Pages',
    page: (from: number, to: number, all: number) => `${number(from)}–${number(to)} of ${number(all)}`,
  },

  states: {
    pending: 'Not mapped',
    analyzing: 'Analysing',
    ready: 'Not imported',
    importing: 'Importing',
    completed: 'Imported',
    failed: 'Failed',
    cancelled: 'Cancelled',
    undone: 'Undone',
  },

  list: {
    back: 'Contact lists',
    steps: 'Steps',
    stepNames: { file: 'File', preview: 'Preview', columns: 'Columns', check: 'Check', import: 'Import' },
    done: 'done',
    meta: (count: number, by: string) =>
      format('{count, plural, one {# row} other {# rows}}, uploaded by {by}', { count, by }),
    contents: 'Operators and administrators can see the people in this list and import it.',
    fileGone:
      'Its file was deleted because its retention period has ended. The results stay here. To import the list again, upload it again.',
    gone: 'This list no longer exists',
    goneHint: 'Someone deleted it, or the address is outdated.',
    delete: 'Delete list…',
    deleteTitle: (name: string) => `Delete ${name}?`,
    deleteHint: 'Its file and its history are deleted. People imported from it stay in the tenant.',
    deleteSubmit: 'Delete list',
    deleted: (name: string) => `${name} was deleted.`,
    actions: 'Actions for this list',
  },

  preview: {
    title: 'Is this your list?',
    hint: 'The first rows as they were read. Nothing has been imported yet.',
    recognised: 'How it was read',
    kind: 'File',
    kinds: {
      csv: 'Text',
      xlsx: 'Excel workbook (.xlsx)',
      xls: 'Excel workbook (.xls)',
      ods: 'OpenDocument sheet (.ods)',
    },
    delimiters: { ',': 'commas', ';': 'semicolons', '\t': 'tabs', '|': 'bars', '^': 'carets' } as Record<
      string,
      string
    >,
    encodings: {
      'utf-8': 'UTF‑8',
      'utf-16le': 'UTF‑16',
      'utf-16be': 'UTF‑16',
      'windows-1252': 'Windows-1252',
      macintosh: 'Mac Roman',
    } as Record<string, string>,
    csv: (delimiter: string, encoding: string) => `Text with ${delimiter}, ${encoding}`,
    size: 'Size',
    sizes: (rows: number, columns: number) =>
      format('{rows, plural, one {# row} other {# rows}}, {columns, plural, one {# column} other {# columns}}', {
        rows,
        columns,
      }),
    sheet: 'Sheet',
    sheetHint: 'One sheet is imported at a time.',
    emptySheet: (name: string) => `${name} (empty)`,
    header: 'Column names',
    headerHint: 'If you change this, the file is read and its columns are analysed again.',
    headerRow: (row: number, cells: string) => `In row ${row}: ${cells}`,
    headerRowOnly: (row: number) => `In row ${row}`,
    noHeader: 'None: the list has no header row',
    readingAgain: 'Reading the file again…',
    noticed: 'Notes',
    table: 'First rows of the list',
    moreColumns: (count: number) => `${number(count)} more columns are not shown here.`,
    next: 'Continue to columns',
    noRows:
      'There are no rows below the column names, so there is no one to import. If your list has rows, choose the row with the column names above, or upload the correct file.',
  },

  /** The API's notes on how a file was read, for `apiText`; empty: as they are. */
  notes: {} as Record<string, string>,
};

/** Every text of the list loader. */
export const listsText = { ...translated({ en, es }), ...listColumnsText, ...listImportText };
