import { AppError } from '../../lib/errors.ts';

/** The one error for an unreadable file; `reason` is a sentence for its user. */
export function refused(reason: string, cause?: unknown): AppError {
  return new AppError('unsupported_file', reason, { cause });
}

/**
 * Limits, so that a hostile or broken file ends with a clear message, not with exhausted memory. Real lists are far below: the
 * widest voter files have some 900 columns, and a spreadsheet's cell has 32,767 characters at most.
 */
export const limits = {
  columns: 2_000,
  /** Characters of one cell. */
  cell: 100_000,
  /** Characters of one row. */
  row: 2_000_000,
  /** Entries of a workbook's ZIP archive. */
  zipEntries: 10_000,
  /** Bytes of one unpacked sheet: a million rows of 20 cells are about half of it. */
  sheet: 2 * 1024 ** 3,
  /** Unpacked bytes of an .xlsx's shared texts; they are held in memory. */
  sharedStrings: 96 * 1024 ** 2,
  /** Unpacked bytes of any other part of a workbook (styles, the list of sheets). */
  part: 32 * 1024 ** 2,
  /** Bytes of XML without an element's start or end: maximum size of a cell. */
  markup: 2 * 1024 ** 2,
  /** Nesting depth of XML. */
  depth: 100,
  /** Bytes of an .xls, and of an unpacked .ods: they are read completely into memory. */
  wholeWorkbook: 48 * 1024 ** 2,
} as const;
