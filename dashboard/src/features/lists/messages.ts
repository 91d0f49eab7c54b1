import { counted, number, people, rows } from '../../lib/counted.ts';
import { listColumnsText } from './columns/messages.ts';
import { listImportText } from './import/messages.ts';

/** Every text of the list loader. */
export const listsText = {
  title: 'Contact lists',
  count: number,
  rows,
  people,

  drop: {
    label: 'Choose a list',
    title: 'Load a contact list',
    hint: 'Or drop it here: CSV, Excel (.xlsx, .xls) or OpenDocument (.ods). You look at everything before anything is imported.',
    sending: (name: string) => `Sending ${name}`,
    sent: (sent: string, all: string) => `${sent} of ${all}`,
    reading: 'The manager reads it …',
    readingHint: 'A long list takes a few seconds.',
    cancel: 'Cancel',
    viewer: 'An operator can load lists.',
    whatToDo: { unsupported_file: 'Put it right in your spreadsheet, save it as CSV or .xlsx, and load that.' },
  },

  teach: {
    title: 'What a list may look like',
    points: [
      'Any table with one person in a row. It need not be tidy: title rows, semicolons and old character sets are fine.',
      'Columns may have any names, in any order. You are shown what each was taken for, and change what is wrong.',
      'Needed is a first and a last name. One column with the whole name will do: it is split.',
      'Nothing reaches the tenant before the last step, and an import can be taken back.',
    ],
    example: 'An example',
    exampleColumns: ['Full Name', 'Mobile', 'E-mail', 'City', 'ZIP'],
    exampleRows: [
      ['Rosa Vanterpool', '312-555-0170', 'rosa@example.org', 'Riverton', '62561'],
      ['EVERLY, KOFI', '(312) 555-0107', '', 'Greenville', '62246'],
    ],
  },

  history: {
    title: 'Lists so far',
    columns: { list: 'List', rows: 'Rows', state: 'State', people: 'People added', by: 'Loaded by', when: 'When' },
    newer: 'Newer',
    older: 'Older',
    pages: 'Pages',
    page: (from: number, to: number, all: number) => `${number(from)}–${number(to)} of ${number(all)}`,
  },

  states: {
    pending: 'Not mapped',
    analyzing: 'Being looked at',
    ready: 'Not imported',
    importing: 'Importing',
    completed: 'Imported',
    failed: 'Failed',
    cancelled: 'Cancelled',
    undone: 'Taken back',
  },

  list: {
    back: 'Contact lists',
    steps: 'Steps',
    stepNames: { file: 'File', preview: 'Preview', columns: 'Columns', check: 'Check', import: 'Import' },
    done: 'done',
    meta: (count: number, by: string) => `${rows(count)}, loaded by ${by}`,
    contents: 'Operators and administrators can see the people in this list and load it.',
    fileGone: 'Its file was removed for its age. What became of it stays here; to import it again, load it again.',
    gone: 'This list is gone',
    goneHint: 'Somebody has deleted it, or the address is old.',
    delete: 'Delete this list …',
    deleteTitle: (name: string) => `Delete ${name}?`,
    deleteHint: 'Its file and its history here go. People that it brought into the tenant stay there.',
    deleteSubmit: 'Delete list',
    deleted: (name: string) => `${name} is deleted.`,
    actions: 'Actions for this list',
  },

  preview: {
    title: 'Is this your list?',
    hint: 'The first rows, as they were read. Nothing is imported yet.',
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
    sizes: (rowCount: number, columns: number) => `${rows(rowCount)}, ${counted(columns, 'column', 'columns')}`,
    sheet: 'Sheet',
    sheetHint: 'One sheet is imported at a time.',
    emptySheet: (name: string) => `${name} (empty)`,
    header: 'Names of the columns',
    headerHint: 'Another choice reads the file again, and the columns are looked at anew.',
    headerRow: (row: number, cells: string) => `In row ${row}: ${cells}`,
    headerRowOnly: (row: number) => `In row ${row}`,
    noHeader: 'Nowhere: the list has none',
    readingAgain: 'Reading it again …',
    noticed: 'Noticed',
    table: 'First rows of the list',
    moreColumns: (count: number) => `${number(count)} more columns are not shown here.`,
    next: 'Go on: columns',
    nobody:
      'There are no rows below the names of the columns, so there is nobody to import. If your list has some, choose above where the names of its columns stand, or load the right file.',
  },

  ...listColumnsText,
  ...listImportText,
};
