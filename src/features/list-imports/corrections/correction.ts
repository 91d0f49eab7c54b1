import { z } from 'zod';

/** Longest value of a corrected cell, in characters: that of the longest person field, rounded up. */
export const maxCellLength = 10_100;
/** Corrections of one list, in all its sheets; they are read again with every check. */
export const maxCorrections = 20_000;
/** Characters of all their values: a thread that reads a list has little memory. */
export const maxCorrectionsLength = 2_000_000;

const column = z.string().min(1).max(1_000).meta({ description: 'The column’s header' });
const value = z.string().max(maxCellLength);
/** Shorter, since a text may occur many times in a cell. */
const text = z.string().max(1_000);

/** One cell, by the data row's number. */
const cellCorrection = z.strictObject({
  column,
  row: z.int().min(1).meta({ description: 'The data row; 1 is the first' }),
  value: value.meta({ description: 'The new value of the cell' }),
});

/** Every cell of a column that has a value, or contains a text. */
const replacement = z
  .strictObject({
    column,
    find: text.meta({ description: 'Compared exactly; with `match: "cell"` surrounding spaces do not count' }),
    replace: text,
    match: z.enum(['cell', 'text']).meta({
      description: 'cell: cells with exactly this value, also empty ones; text: every occurrence within a cell',
    }),
  })
  .refine(({ find, match }) => match === 'cell' || find !== '', {
    path: ['find'],
    message: 'Must not be empty with match "text"',
  });

/** What a user changes in the cells of a list. The uploaded file itself stays as it is. */
export const correction = z.union([cellCorrection, replacement]).meta({ id: 'ListCorrection' });
export type Correction = z.output<typeof correction>;

/** As it is kept: in the order in which they apply. */
export const keptCorrection = z.union([
  cellCorrection.extend({ id: z.int().min(1) }),
  replacement.safeExtend({ id: z.int().min(1) }),
]);
export type KeptCorrection = z.output<typeof keptCorrection>;
