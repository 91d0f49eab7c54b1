import { number } from '../../../lib/figures.ts';
import { translated } from '../../../lib/language.ts';
import { es } from './messages.es.ts';

const en = {
  columns: {
    title: 'What is in each column?',
    hint: 'Review the uncertain columns. Columns that are not imported stay in your file.',
    looking: 'Analysing the columns…',
    lookingHint: 'Their names and values are compared with the fields of a person.',
    notYet: 'The columns have not been analysed yet.',
    suggest: 'Suggest again',
    table: 'Columns of the list',
    column: 'Column',
    target: 'Field',
    how: 'Transform',
    sureness: 'Confidence',
    targetOf: (column: string) => `Field for ${column}`,
    howOf: (column: string) => `Transform for ${column}`,
    noValues: 'no values in the first rows',
    filled: (column: string) => `from “${column}”`,
    missing: 'no column yet',
    required: 'Required',
    incomplete: (fields: string) => `Choose a column for ${fields} to continue.`,
    clash: (field: string, other: string) => `${field} is already filled from “${other}”. Change one of them, or`,
    joinBoth: 'join both',
    badName: 'Use lower-case letters, digits and underscores, starting with a letter.',
    customName: (column: string) => `Custom field name for ${column}`,
    yourChoice: 'Your choice',
    forget: 'Forget this choice',
    forgotten: 'Forgotten: the next lists get the usual suggestion.',
    sure: [
      [0.9, 'Sure'],
      [0.7, 'Likely'],
      [0.5, 'Unsure'],
      [0, 'A guess'],
    ] as [number, string][],
    percent: (confidence: number) => `${Math.round(confidence * 100)} %`,
    or: 'Or:',
    show: 'Show',
    shows: { all: 'All', unsure: 'Needs review', kept: 'Imported', skipped: 'Not imported' },
    showing: (name: string, count: number) => `${name} (${number(count)})`,
    nothing: {
      all: '',
      unsure: 'No columns need review.',
      kept: 'No columns are imported.',
      skipped: 'All columns are imported.',
    },
    more: (count: number) => `Show ${number(count)} more`,
    warnings: 'Warnings',
    imported:
      'This list has been imported. Changes here apply to the next import. To replace the imported people, undo the import first.',
    draft: 'Your changes are kept in this browser until you continue.',
    reset: 'Undo my changes',
    save: 'Save and check',
    next: 'Continue to check',
    back: 'Back to preview',
  },

  targets: {
    suggestions: 'Suggested',
    other: 'Other',
    own: 'Custom field',
    ownNamed: (name: string) => `Custom field “${name}”`,
    skip: 'Not imported',
  },

  templates: {
    title: 'Template',
    hint: 'Lists with the same layout need to be mapped only once.',
    choose: 'Use a template',
    none: 'None',
    apply: 'Apply',
    applied: (name: string) => `The template “${name}” was applied.`,
    from: (name: string) => `From the template “${name}”.`,
    save: 'Save as template…',
    saving: {
      title: 'Save as template',
      hint: 'The next list with these columns gets the same mapping, for every tenant.',
      submit: 'Save template',
    },
    name: 'Name',
    description: 'Description',
    saved: (name: string) => `The template “${name}” was saved.`,
    rename: 'Rename…',
    renaming: {
      title: 'Rename template',
      hint: 'The new name applies to every tenant. The mapping does not change.',
      submit: 'Save name',
    },
    renamed: (name: string) => `The template was renamed to “${name}”.`,
    delete: 'Delete template…',
    deleteTitle: (name: string) => `Delete the template “${name}”?`,
    deleteHint: 'It is deleted for every tenant. Lists that used it keep their columns.',
    deleteSubmit: 'Delete template',
    deleted: (name: string) => `The template “${name}” was deleted.`,
  },

  /** Labels of the catalogue, by their names; empty: as the API has them. */
  catalogue: { groups: {}, fields: {}, transforms: {} } as Record<
    'groups' | 'fields' | 'transforms',
    Record<string, string>
  >,
  /** The API's reasons of suggestions and its warnings about columns, for `apiText`; empty: as they are. */
  reasons: {} as Record<string, string>,
  warnings: {} as Record<string, string>,
};

/** The texts of a list’s columns: what each holds, how it is treated, and templates of such choices. */
export const listColumnsText = translated({ en, es });
