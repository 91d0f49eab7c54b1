import type { TableExamination, TableLayout } from '../../../adapters/tabular/tabular.ts';
import type { Correction } from '../corrections/correction.ts';
import type { FieldMapping } from '../mapping/field-mapping.ts';
import type { FindingCode, RowFinding } from './checks/finding.ts';

/** How a list is read, and the reference data for its rows. */
export interface ListSource {
  path: string;
  layout: TableLayout;
  mappings: readonly FieldMapping[];
  /** Applied to the cells before anything else. */
  corrections: readonly Correction[];
  options: RowOptions;
}

export interface RowOptions {
  /** Country of phone numbers that name none, ISO 3166 (`US`). States, ZIP codes and districts are checked for the US alone. */
  region: string;
}

/** Finds out what a file is: `examineTable` in a thread. */
export interface ExamineTask {
  task: 'examine';
  path: string;
  sheet?: string | undefined;
  headerRow?: number | null | undefined;
  sampleRows: number;
}
export type ExamineResult = TableExamination;

/** Checks every row, and writes the rejected ones to `errorsPath`. */
export interface ValidateTask extends ListSource {
  task: 'validate';
  /** Rows of the list as it was examined: the memory for finding duplicates is measured by it. */
  rowCount: number;
  errorsPath: string;
}

/** Rows with findings, as they are after the corrections. */
export interface FoundCells {
  /** The headers of the columns that are imported, in the order of the list. */
  columns: string[];
  /** `row` as `RowFinding.row` counts; a cell for each of `columns`. */
  rows: { row: number; cells: string[] }[];
}

export interface ValidateResult {
  total: number;
  valid_count: number;
  /** Rows with at least one error: those that are rejected. */
  error_count: number;
  /** Rows that are imported and have at least one warning. */
  warning_count: number;
  /** The first 1,000 each, in the order of the file. */
  errors: RowFinding[];
  warnings: RowFinding[];
  /** Cells of the rows with these findings, to correct them; without those of long rows, and of rows after the first few megabytes. */
  cells: FoundCells;
  /** All findings, counted by kind and column, the most frequent first. */
  summary: { code: FindingCode; column: string | null; count: number }[];
}

/** Which of several rows of a list for one person is imported; `merge`: the first, completed by the others. */
export const duplicateChoices = ['first', 'last', 'merge'] as const;
export type DuplicateChoice = (typeof duplicateChoices)[number];

/**
 * Writes the rows that are not rejected, normalised, as CSV files (parts) for the tenant's bulk import. The same list,
 * mappings, options and `rowsPerPart` make the same parts, so it can resume at any part.
 */
export interface ConvertTask extends ListSource {
  task: 'convert';
  /** The directory of the parts; created if missing. A part is whole when it is reported. */
  directory: string;
  /** Rows of data in a part; the last has fewer. */
  rowsPerPart: number;
  /** To resume an interrupted conversion: the number of the first part, and the first row that may be in it. */
  from?: { part: number; row: number } | undefined;
  /** Whether the original cells are included, in columns `original.<header>` that the mappings skip. */
  originals: boolean;
  /** Rows that repeat a person of an earlier row are left out; `rowCount` as for `validate`. */
  distinct?: { rowCount: number } | undefined;
  /** Which row for one person is converted, where the user chose; left out: all of them. `rowCount` as for `validate`. */
  duplicates?: { choice: DuplicateChoice; rowCount: number } | undefined;
  /** Rejected rows are written here, like `validate` does; left out: not at all. Only those met from `from` on. */
  errorsPath?: string | undefined;
}

/** One file for the tenant's bulk import. */
export interface ListPart {
  /** 1 is the first. */
  number: number;
  /** `part-00001.csv` in the task's directory: UTF-8, a header row of targets, lines end in LF. */
  file: string;
  /** The list's rows in it, as `RowFinding.row` counts: the tenant's row n is the n-th of them (from 1). */
  rows: number[];
  /** Rows after those of the part before it that are left out as duplicates. */
  duplicates: number;
}

export interface ConvertResult {
  parts: number;
  /** Rows in them. */
  rows: number;
  rejected: number;
  /** Rows after the last part that are left out as duplicates. */
  duplicates: number;
  total: number;
}

/** Appends rows of the list that the tenant refused, with its reasons, to `errorsPath` (as `validate` writes it). */
export interface FailuresTask {
  task: 'failures';
  path: string;
  layout: TableLayout;
  corrections: readonly Correction[];
  /** Files of refusals (see `refusalList`), a part of the list each, in the list's order: read one after the other. */
  refusals: readonly string[];
  errorsPath: string;
}
export interface FailuresResult {
  written: number;
}

export type ImportTask = ExamineTask | ValidateTask | ConvertTask | FailuresTask;

/**
 * What a task reports while it runs. `progress` counts the rows read so far, and comes from all but `examine`, a few times a
 * second at most; the task waits while a message is not yet dealt with, so that a slow consumer of `part`s applies backpressure.
 */
export type ImportMessage = { kind: 'progress'; rows: number } | { kind: 'part'; part: ListPart };

const progressIntervalMs = 250;

/** Reports how many rows were read, at most four times a second. */
export function progressReporter(
  send: (message: ImportMessage) => Promise<void>,
): (rows: number) => Promise<void> | undefined {
  let next = performance.now() + progressIntervalMs;
  return (rows) => {
    if (performance.now() < next) return undefined;
    next = performance.now() + progressIntervalMs;
    return send({ kind: 'progress', rows });
  };
}
