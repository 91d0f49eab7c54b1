import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream';
import { parse } from 'csv-parse';
import { failure } from '../errors.js';

/** A longer row is no row but a quote that was never closed. */
const MAX_ROW_CHARACTERS = 64 * 1024;

/**
 * Reads a CSV file as it is asked for rows, so that its size does not matter. The first row is the header.
 * @param {string} path
 * @returns {AsyncGenerator<string[]>}
 * @throws 400 where the file cannot be read as CSV
 */
export async function* readList(path) {
  const parser = parse({
    bom: true,
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    max_record_size: MAX_ROW_CHARACTERS,
  });
  // Errors of the file arrive at the parser, whose reader is the loop below.
  pipeline(createReadStream(path), parser, () => {});
  try {
    yield* parser;
  } catch (error) {
    throw failure(400, `The file cannot be read: ${error.code ?? error.message}`);
  }
}
