import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream';
import { parse } from 'csv-parse';
import { failure } from '../errors.js';

/** A longer row means that a quotation mark was never closed. */
const MAX_ROW_CHARACTERS = 8 * 1024 * 1024;

/**
 * Opens a CSV file, whose first row is the header. It is read on demand, so its size does not matter.
 * @param {string} path
 * @returns {Promise<{header: string[], rows: AsyncGenerator<string[]>}>}
 * @throws 400 where the file is empty or cannot be read as CSV; the rows as well
 */
export async function openList(path) {
  const rows = readRows(path);
  const { value: header } = await rows.next();
  if (!header) throw failure(400, 'The file is empty');
  return { header, rows };
}

async function* readRows(path) {
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
