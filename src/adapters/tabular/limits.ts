import { AppError } from '../../lib/errors.ts';

/** The one error for a file that can't be read; `reason` is a sentence for its user. */
export function refused(reason: string, cause?: unknown): AppError {
  return new AppError('unsupported_file', reason, { cause });
}

/**
 * Bounds on what is read, so that a hostile or broken file ends with a clear message, not with a full memory. Real lists stay
 * far below: the widest voter files have some 900 columns, and a spreadsheet's cell holds 32,767 characters at most.
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
  /** Bytes of the unpacked texts that an .xlsx keeps aside; they are held in memory. */
  sharedStrings: 96 * 1024 ** 2,
  /** Bytes of any other unpacked part of a workbook (styles, the list of sheets). */
  part: 32 * 1024 ** 2,
  /** Bytes of XML without an element's begin or end: one cell can't be larger. */
  markup: 2 * 1024 ** 2,
  /** Elements of XML inside each other. */
  depth: 100,
  /** Bytes of an .xls, and of an .ods unpacked: they are read into memory as a whole. */
  wholeWorkbook: 48 * 1024 ** 2,
} as const;
