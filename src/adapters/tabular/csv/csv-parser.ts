import { finished } from 'node:stream/promises';
import { Parser } from 'csv-parse';
import { AppError, messageOf } from '../../../lib/errors.ts';
import { limits, refused } from '../limits.ts';
import type { Delimiter } from '../table.ts';

export interface CsvForm {
  delimiter: Delimiter;
  quotes: boolean;
}

/** A quotation mark opens a cell that is not closed, or not nearby: perhaps the text does not quote cells at all. */
export class UnclosedQuote extends AppError {
  constructor(row: number, cause?: unknown) {
    super('unsupported_file', `The quotation mark that opens a cell in row ${row} is not closed`, { cause });
  }
}

/** csv-parse fed with chunks of text directly, without a stream's events. */
export interface CsvParser {
  /** The records that this chunk completes; its errors may show at the next. @throws UnclosedQuote; AppError unsupported_file */
  push(text: string): string[][];
  end(): Promise<string[][]>;
}

/**
 * A forgiving parser: unexpected quotation marks are literal, rows may have any length, line ends may be mixed.
 * @param width cells of the usual record. csv-parse expects all to be as wide as the first and creates an error object (six
 * times slower, seen with a title row on top) for each that is not; so it gets a first one of that width, if it is known
 */
export function csvParser(form: CsvForm, width?: number): CsvParser {
  const parser = new Parser({
    delimiter: form.delimiter,
    quote: form.quotes ? '"' : null,
    escape: form.quotes ? '"' : null,
    // "Ann", "Lee": a mark after a blank still opens a cell.
    ltrim: form.quotes,
    relax_column_count: true,
    relax_quotes: true,
    record_delimiter: ['\r\n', '\n', '\r'],
    max_record_size: limits.row,
  });
  let failure: unknown;
  parser.on('error', (error) => {
    failure ??= error;
  });
  let seen = width === undefined ? 0 : -1;
  const taken = (): string[][] => {
    const records: string[][] = [];
    for (let record = parser.read(); record !== null; record = parser.read()) {
      // The first is the one below.
      if (seen >= 0) records.push(record as string[]);
      seen += 1;
    }
    if (failure !== undefined) throw translated(failure, form.quotes, seen);
    return records;
  };
  if (width !== undefined) parser.write(`${form.delimiter.repeat(width - 1)}\n`);

  return {
    push(text) {
      parser.write(text);
      return taken();
    },
    async end() {
      parser.end();
      await finished(parser, { readable: false }).catch(() => undefined);
      return taken();
    },
  };
}

function translated(error: unknown, quotes: boolean, records: number): Error {
  const code = (error as { code?: unknown }).code;
  const row = records + 1;
  if (code === 'CSV_MAX_RECORD_SIZE' && !quotes)
    return refused(`Row ${row} is longer than ${limits.row.toLocaleString('en')} characters`, error);
  if (code === 'CSV_MAX_RECORD_SIZE' || code === 'CSV_QUOTE_NOT_CLOSED') return new UnclosedQuote(row, error);
  return refused(`Row ${row} can't be read: ${messageOf(error)}`, error);
}
