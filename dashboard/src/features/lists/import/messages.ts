import { number } from '../../../lib/figures.ts';
import { format, translated } from '../../../lib/language.ts';
import { es } from './messages.es.ts';

const en = {
  check: {
    title: 'Check results',
    hint: 'Rows that can’t become a person are left out. Correct cells here, or continue: your file stays as it is. Row numbers refer to it.',
    checking: (count: number) => format('Checking {count, plural, one {# row} other {# rows}}…', { count }),
    opening: 'Opening the list…',
    read: (done: number, all: number) =>
      format('{done, number} of {all, plural, one {# row} other {# rows}} read, {percent} %', {
        done,
        all,
        percent: Math.floor((100 * done) / all),
      }),
    asking: 'All rows are read. Looking for people who are already in the tenant…',
    checkingHint:
      'A million rows take about a minute. You can open other pages. If you close or reload this page, the check starts again.',
    notYet: 'The rows have not been checked yet.',
    start: 'Check the rows',
    importable: 'people to import',
    repeated: 'duplicate rows',
    composed: (all: number, found: number, repeated: number, rejected: number) =>
      `${format('{all, plural, one {# row} other {# rows}}', { all })}: ${[
        format('{found, plural, one {# person} other {# people}}', { found }),
        ...(repeated > 0
          ? [
              format('{repeated, plural, one {# duplicate of an earlier row} other {# duplicates of earlier rows}}', {
                repeated,
              }),
            ]
          : []),
        ...(rejected > 0 ? [`${number(rejected)} left out`] : []),
      ].join(', ')}.`,
    rejected: 'left out',
    remarked: 'with a warning',
    known: (found: number, checked: number) =>
      format(
        '{found, plural, =0 {{checked, plural, one {This person is not in the tenant yet.} other {None of the # people checked is in the tenant yet.}}} one {# of {checked, plural, one {# person} other {# people}} checked is already in the tenant.} other {# of {checked, plural, one {# person} other {# people}} checked are already in the tenant.}}',
        { found, checked },
      ),
    unknown: 'The import finds people who are already in the tenant.',
    fine: 'No problems found.',
    none: { errors: 'No rows are left out.', duplicates: 'No duplicate rows.', warnings: 'No other warnings.' },
    show: 'Show',
    shows: { errors: 'Left out', duplicates: 'Duplicates', warnings: 'With a warning' },
    showing: (name: string, count: number) => `${name} (${number(count)})`,
    summary: 'Summary',
    aside: (field: string) =>
      `Values that can’t be used are imported into the custom field “${field}”, so that you can correct them there.`,
    table: { row: 'Row', what: 'Problem' },
    cellOf: (column: string, row: number) => `${column}, row ${number(row)}`,
    everywhere: (value: string) => `All cells with “${value}”`,
    everywhereEmpty: 'All empty cells of this column',
    unsaved: (count: number) =>
      format('{count, plural, one {# unsaved correction} other {# unsaved corrections}}', { count }),
    discard: 'Discard',
    save: 'Save and check again',
    replace: 'Find and replace…',
    replacing: {
      title: 'Find and replace',
      hint: 'Changes every row of the list. Capital and small letters are distinguished. You can undo it.',
      column: 'Column',
      find: 'Find',
      replace: 'Replace with',
      whole: 'Only cells with exactly this value',
      submit: 'Replace and check again',
    },
    corrections: {
      title: (count: number) => format('{count, plural, one {# correction} other {# corrections}}', { count }),
      one: (row: number, column: string, value: string) => `${column}, data row ${number(row)}: “${value}”`,
      all: (column: string, find: string, value: string) => `${column}: all cells with “${find}” become “${value}”`,
      text: (column: string, find: string, value: string) => `${column}: “${find}” becomes “${value}” in all cells`,
      undo: 'Undo',
    },
    first: (count: number) => `Only the first ${number(count)} are shown.`,
    firstErrors: 'The CSV file contains all of them.',
    more: (count: number) => `Show ${number(count)} more`,
    download: 'Download left-out rows (CSV)',
    downloadHint: 'To correct them in a spreadsheet and upload them as a separate list.',
    next: 'Continue to import',
    back: 'Back to columns',
  },

  findings: {
    required: 'A name is missing',
    name_too_long: 'Too long for a name',
    broken_quotes: 'Rows merged by an unclosed quotation mark',
    repeated_headers: 'Repeated header row',
    shifted_cells: 'Cells shifted into other columns',
    invalid_email: 'Invalid e-mail address; stored separately',
    invalid_phone: 'Invalid phone number; stored separately',
    invalid_zip: 'Invalid ZIP code; stored separately',
    invalid_state: 'Invalid state; stored separately',
    invalid_district: 'Invalid district; stored separately',
    invalid_date: 'Invalid date; not changed',
    rounded_by_spreadsheet: 'Number shortened by a spreadsheet; stored separately',
    zip_zero_restored: 'Leading zero restored',
    foreign_zip: 'Not a US ZIP code; imported unchanged',
    foreign_state: 'Canadian province; imported',
    text_beside_phone: 'Text next to a phone number; stored separately',
    several_emails: 'Several e-mail addresses; the first is used',
    several_phones: 'Several phone numbers',
    two_people: 'Two people in one row',
    unsure_split: 'Could not be split reliably',
    extra_cells: 'More cells than columns; stored separately',
    shortened: 'Too long; truncated',
    duplicate_in_file: 'Duplicate row',
  } as Record<string, string>,
  /** The API's own words about a finding, for `servedText`; empty: as they are. */
  findingDetails: {} as Record<string, string>,

  run: {
    title: 'Import the list',
    hint: (tenant: string) =>
      `Into ${tenant}. The import continues if you leave this page, and you can undo it afterwards.`,
    notDeployed: 'This tenant has not been deployed yet',
    notDeployedHint:
      'The running application imports the people. Deploy the tenant, then come back. The list stays as it is.',
    toOverview: 'Go to the tenant',
    viewer: 'The list is ready. An operator can import it.',
    listName: 'List name',
    listNameHint: 'The tenant shows it as the source of each person.',
    tags: 'Tags for all people',
    tagsHint: 'Separated by commas; optional.',
    known: 'If a person already exists',
    knownHint: 'In the tenant.',
    knowns: { skip: 'Keep existing', update: 'Update from the list', add: 'Add again' },
    repeated: (count: number) =>
      format('For the {count, plural, one {# duplicate row} other {# duplicate rows}} in this file', { count }),
    repeatedHint: 'Rows for the same person: by e-mail address, or by name and phone number or ZIP code.',
    repeats: (adds: boolean) => ({
      first: 'Keep the first row',
      last: 'Keep the last row',
      merge: 'Merge: first row, gaps filled from the others',
      all: adds ? 'Keep all rows' : 'Send all rows: the tenant compares them',
    }),
    submit: (count: number | undefined) =>
      count === undefined ? 'Import' : format('Import {count, plural, one {# person} other {# people}}', { count }),
    again: 'Import again',
    noneValid: 'No rows can be imported. Review the check or the columns.',
    noneNew: 'All people in the list are already in the tenant: the import would add no one.',
    underWay: 'Import in progress',
    retry: (reason: string, attempt: number, time: string) =>
      `The tenant did not accept the rows: ${reason}. Attempt ${attempt} at ${time}. The manager retries for five minutes.`,
    underWayHint: 'You can leave this page. The import continues.',
    progress: 'Import progress',
    checkedFirst: 'All rows are checked first. Then people are added.',
    processed: (done: number, all: number) =>
      format('{done, number} of {all, plural, one {# row} other {# rows}}', { done, all }),
    cancel: 'Cancel import…',
    cancelTitle: 'Cancel the import?',
    cancelHint: 'People who were already added stay in the tenant. You can undo the import afterwards.',
    cancelSubmit: 'Cancel import',
    cancelled: 'Cancelling…',
    figures: {
      imported: 'added',
      updated: 'updated',
      duplicates: 'already in the tenant',
      inFile: 'duplicates in the file',
      anyDuplicates: 'duplicates',
      failed: 'left out',
    },
    back: 'Back to check',
  },

  result: {
    done: (count: number) => format('{count, plural, one {# person} other {# people}} added', { count }),
    noneNew: 'No new people',
    doneHint: (name: string) => `${name} was imported.`,
    failed: 'The import failed',
    cancelled: 'The import was cancelled',
    stopped: (count: number) =>
      format(
        '{count, plural, =0 {The tenant reported no added people, but some rows may have been in transit.} one {# person had been added and are in the tenant; more rows may have been in transit.} other {# people had been added and are in the tenant; more rows may have been in transit.}} Import again to continue, or undo the import.',
        { count },
      ),
    undone: 'The import was undone',
    undoneHint: (removed: number) =>
      format(
        '{removed, plural, one {# person was} other {# people were}} removed from the tenant. You can import the list again.',
        { removed },
      ),
    finished: 'Finished',
    began: 'Started',
    open: 'View people',
    another: 'Upload another list',
    refused: 'Download left-out rows (CSV)',
    undo: 'Undo import…',
    undoTitle: 'Undo this import?',
    undoHint:
      'People whom this list added are removed from the tenant. People whom someone has edited since then stay, and updates of existing people are not reverted.',
    undoSubmit: 'Undo import',
    kept: (count: number) =>
      format(
        '{count, plural, one {# person stays} other {# people stay}} in the tenant because someone has edited them since.',
        { count },
      ),
    earlierBroken:
      'An import with other columns was interrupted, and part of it may be in the tenant. To replace it, undo that import first.',
    earlier: (count: number) =>
      format(
        'This list was imported with other columns, and {count, plural, one {# person from it is} other {# people from it are}} in the tenant. To replace them, undo that import first.',
        { count },
      ),
  },
};

/** The texts of a list’s check, its import and what came of it. */
export const listImportText = translated({ en, es });
