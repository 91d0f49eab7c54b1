import { counted, number, people, rows } from '../../../lib/counted.ts';

/** The texts of a list’s check, its import and what came of it. */
export const listImportText = {
  check: {
    title: 'What is wrong with it?',
    hint: 'Rows that can’t be a person are left out. Row numbers are those of your file.',
    checking: (count: number) => `Checking ${rows(count)} …`,
    opening: 'Opening the list …',
    read: (done: number, all: number) => `${number(done)} of ${rows(all)} read, ${Math.floor((100 * done) / all)} %`,
    asking: 'All rows are read. The tenant is asked whom it knows already.',
    checkingHint:
      'A million rows take about a minute. You can open other pages; if you close or reload this one, the check starts again.',
    notYet: 'The rows have not been checked yet.',
    start: 'Check the rows',
    importable: 'people to import',
    repeated: 'duplicate rows',
    composed: (all: number, found: number, repeated: number, rejected: number) =>
      `${rows(all)}: ${[
        people(found),
        ...(repeated > 0 ? [counted(repeated, 'duplicate of an earlier row', 'duplicates of earlier rows')] : []),
        ...(rejected > 0 ? [`${number(rejected)} left out`] : []),
      ].join(', ')}.`,
    rejected: 'left out',
    remarked: 'have a warning',
    known: (found: number, checked: number) =>
      found === 0
        ? checked === 1
          ? 'This person is not in the tenant yet.'
          : `None of the ${number(checked)} people checked is in the tenant yet.`
        : `${number(found)} of ${people(checked)} checked ${found === 1 ? 'is' : 'are'} in the tenant already.`,
    unknown: 'Whether people are in the tenant already shows when they are imported.',
    fine: 'Nothing is wrong with it.',
    none: { errors: 'No row is left out.', warnings: 'No warnings.' },
    show: 'Show',
    shows: { errors: 'Left out', warnings: 'With a warning' },
    showing: (name: string, count: number) => `${name} (${number(count)})`,
    summary: 'What it is about',
    aside: (field: string) =>
      `What is kept aside is imported with the person, in the own field “${field}”, to be mended there.`,
    table: { row: 'Row', column: 'Column', what: 'What is wrong', value: 'Value in file' },
    wholeRow: 'whole row',
    first: (count: number) => `The first ${number(count)} are shown.`,
    firstErrors: 'All of them are in the CSV file.',
    more: (count: number) => `Show ${number(count)} more`,
    download: 'Rows left out, as CSV',
    downloadHint: 'Mend them there and load that file as a list of its own.',
    next: 'Go on: import',
    back: 'Back: columns',
  },

  findings: {
    required: 'A name is missing',
    name_too_long: 'Too long for a name',
    broken_quotes: 'Rows have run together behind a quotation mark',
    repeated_headers: 'The headers once more',
    shifted_cells: 'Its cells have slipped into other columns',
    invalid_email: 'No e-mail address; kept aside',
    invalid_phone: 'No phone number; kept aside',
    invalid_zip: 'No ZIP code; kept aside',
    invalid_state: 'No state; kept aside',
    invalid_district: 'No district; kept aside',
    invalid_date: 'No date; left as it is',
    rounded_by_spreadsheet: 'A number that a spreadsheet has shortened; kept aside',
    zip_zero_restored: 'A leading zero was put back',
    foreign_zip: 'No ZIP code of the United States; imported as it is',
    foreign_state: 'A province of Canada; imported',
    text_beside_phone: 'Words beside a phone number; kept aside',
    several_emails: 'More than one e-mail address; the first is taken',
    several_phones: 'More than one phone number',
    two_people: 'Two people in one row',
    unsure_split: 'Could not be split for sure',
    extra_cells: 'More cells than columns; kept aside',
    shortened: 'Too long; cut',
    duplicate_in_file: 'Duplicate row',
  } as Record<string, string>,

  run: {
    title: 'Import it',
    hint: (tenant: string) => `Into ${tenant}. It goes on when you leave this page, and can be taken back afterwards.`,
    notDeployed: 'This tenant was not deployed yet',
    notDeployedHint:
      'People are handed to the running application. Deploy it, then come back: the list stays as it is.',
    toOverview: 'To the tenant',
    viewer: 'It is ready; an operator can import it.',
    listName: 'Name of the list',
    listNameHint: 'The tenant shows with each person where he or she came from.',
    tags: 'Tags for all people in it',
    tagsHint: 'Separated by commas; none are needed.',
    known: 'If a person already exists',
    knownHint: 'In the tenant, or in an earlier row of this file.',
    knowns: { skip: 'Keep existing', update: 'Update from the list', add: 'Add again' },
    submit: (count: number | undefined) => (count === undefined ? 'Import' : `Import ${people(count)}`),
    again: 'Import again',
    noneValid: 'No row can be imported. See the check, or the columns.',
    noneNew: 'All people in the list are already in the tenant: the import would add no one.',
    underWay: 'The list is being imported',
    retry: (reason: string, attempt: number, time: string) =>
      `The tenant did not accept the rows: ${reason}. Attempt ${attempt} at ${time}. The manager retries for five minutes.`,
    underWayHint: 'You may leave this page; it goes on.',
    progress: 'Progress of the import',
    checkedFirst: 'Every row is checked first; after that people are added.',
    processed: (done: number, all: number) => `${number(done)} of ${rows(all)}`,
    cancel: 'Cancel the import …',
    cancelTitle: 'Cancel the import?',
    cancelHint: 'People who are in the tenant by then stay there; they can be taken back afterwards.',
    cancelSubmit: 'Cancel the import',
    cancelled: 'It is being cancelled.',
    figures: {
      imported: 'added',
      updated: 'updated',
      duplicates: 'in the tenant already',
      inFile: 'duplicates in the file',
      anyDuplicates: 'duplicates',
      failed: 'left out',
    },
    back: 'Back: check',
  },

  result: {
    done: (count: number) => `${people(count)} added`,
    noneNew: 'No new people',
    doneHint: (name: string) => `${name} is imported.`,
    failed: 'The import failed',
    cancelled: 'The import was cancelled',
    stopped: (count: number) =>
      count === 0
        ? 'The tenant reported no added people; a part may still have been on its way. Import it again and it goes on, or take it back.'
        : `${people(count)} had been added, and are in the tenant; a part more may have been on its way. Import it again and it goes on, or take it back.`,
    undone: 'The import was taken back',
    undoneHint: (removed: number) =>
      `${people(removed)} were taken out of the tenant again. The list can be imported once more.`,
    finished: 'Ended',
    began: 'Started',
    open: 'See the people',
    another: 'Load another list',
    refused: 'Rows left out, as CSV',
    undo: 'Undo import …',
    undoTitle: 'Undo this import?',
    undoHint:
      'The people whom this list added go out of the tenant. Those that somebody has worked with since stay, and what it changed of others stays changed.',
    undoSubmit: 'Undo import',
    kept: (count: number) => `${people(count)} stay in the tenant: somebody has worked with them since.`,
    earlierBroken:
      'An import with other columns broke off; a part of it may be in the tenant. Take that back first, if this is to replace it.',
    earlier: (count: number) =>
      `This list was imported with other columns; ${people(count)} whom it added are in the tenant. Take that back first, if this is to replace it.`,
  },
};
